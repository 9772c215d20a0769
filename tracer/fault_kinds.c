#include "tracer/fault_kind.h"

#include "base/mem.h"
#include "tracer/fault_effects.h"
#include "vclock/clock.h"

#include <string.h>

#define US NS_PER_US
#define MS NS_PER_MS
#define SEC NS_PER_S
#define PERCENT 10000ll /* of FV_CHANCE */
#define ALL_OF_IT (100 * PERCENT)

/* Settings: TIME(name, allowed min, max, drawn from, to, default, help) and so on. */
#define TIME(n, lo, hi, a, b, d, h) {.name = n, .type = FV_TIME, .min = lo, .max = hi, .from = a, .to = b, .def = d, .help = h}
#define FOR(a, b, d) TIME("for", 1, VCLOCK_NEVER, a, b, d, "how long")
#define NODE {.name = "node", .type = FV_NODE, .help = "the node; one of them, if none is named"}
#define WHOSE {.name = "node", .type = FV_NODE, .help = "whose calls; any node's, if none is named"}
#define FROM {.name = "from", .type = FV_NODES, .help = "the senders; all, if none is named"}
#define TO {.name = "to", .type = FV_NODES, .help = "the receivers; all, if none is named"}
#define NODES {.name = "nodes", .type = FV_NODES, .help = "of one: all its links; of several: those between them, both ways"}
#define YEAR (365 * 86400 * NS_PER_S)
#define CHANCE(a, b, d, h) \
	{.name = "p", .type = FV_CHANCE, .min = 1, .max = ALL_OF_IT, .from = (a) * PERCENT, .to = (b) * PERCENT, \
	 .def = (d) * PERCENT, .help = h}
#define ERRNO(d) {.name = "errno", .type = FV_ERRNO, .def = d, .help = "the error that it fails with"}

#define DOWNTIME TIME("downtime", 0, VCLOCK_NEVER, 20 * MS, 5 * SEC, 1 * SEC, "until it is started again")

const struct fault_kind fault_kinds[] = {
	/* ---- nodes ---- */
	{
		.name = "crash", .group = FAULT_NODES, .level = LEVEL_LIGHT, .flags = KIND_DOWN | KIND_NODES_ONLY,
		.help = "kills all processes of a node at once and starts it again; its files keep what was written",
		.params = {NODE, DOWNTIME},
		.effects = {EFFECT_PROCESSES_KILLED, EFFECT_CONNECTIONS_LOST, EFFECTS},
		.choose = fault_choose_node, .start = fault_crash_start, .stop = fault_crash_stop,
	},
	{
		.name = "stop", .group = FAULT_NODES, .level = LEVEL_DEFAULT, .flags = KIND_DOWN | KIND_NODES_ONLY,
		.help = "asks a node to end (SIGTERM), kills what is left after a grace, and starts it again",
		.params = {NODE, TIME("grace", 0, VCLOCK_NEVER, 1 * MS, 2 * SEC, 1 * SEC, "from SIGTERM to SIGKILL"), DOWNTIME},
		.effects = {EFFECT_PROCESSES_KILLED, EFFECT_CONNECTIONS_LOST, EFFECTS},
		.choose = fault_choose_node, .start = fault_stop_start, .stop = fault_stop_stop,
	},
	{
		.name = "pause", .group = FAULT_NODES, .level = LEVEL_LIGHT, .flags = KIND_WINDOW | KIND_DOWN | KIND_NODES_ONLY,
		.help = "no thread of a node runs, while time and its network go on (as after SIGSTOP, but nobody is told)",
		.params = {NODE, FOR(5 * MS, 10 * SEC, 1 * SEC)},
		.effects = {EFFECT_TURNS_HELD, EFFECTS},
		.choose = fault_choose_node, .start = fault_pause_start, .stop = fault_pause_stop,
	},
	{
		.name = "pause-thread", .group = FAULT_NODES, .level = LEVEL_DEFAULT, .flags = KIND_WINDOW,
		.help = "one thread of a node does not run: the one that made the call, or any",
		.params = {NODE, FOR(1 * MS, 2 * SEC, 100 * MS)},
		.effects = {EFFECT_TURNS_HELD, EFFECTS},
		.choose = fault_choose_node, .start = fault_pause_thread_start, .stop = fault_pause_stop,
	},
	{
		.name = "slow", .group = FAULT_NODES, .level = LEVEL_DEFAULT, .flags = KIND_WINDOW,
		.help = "every call of a node takes so much longer",
		.params = {NODE, TIME("each", 1, 3600 * SEC, 5 * US, 2 * MS, 100 * US, "what each call takes more"),
			   FOR(50 * MS, 20 * SEC, 5 * SEC)},
		.effects = {EFFECT_CALLS_DELAYED, EFFECTS},
		.choose = fault_choose_node, .start = fault_slow_start, .stop = fault_slow_stop,
	},
	{
		.name = "unfair", .group = FAULT_NODES, .level = LEVEL_DEFAULT, .flags = KIND_WINDOW,
		.help = "some threads of all nodes run only when no other can",
		.params = {{.name = "share", .type = FV_CHANCE, .min = 1, .max = ALL_OF_IT, .from = 10 * PERCENT,
			    .to = 80 * PERCENT, .def = 50 * PERCENT, .help = "how many of the threads"},
			   FOR(10 * MS, 10 * SEC, 1 * SEC)},
		.effects = {EFFECT_PICKS_PASSED, EFFECTS},
		.start = fault_unfair_start, .stop = fault_unfair_stop,
	},

	{
		.name = "buggify", .group = FAULT_NODES, .level = LEVEL_LIGHT, .flags = KIND_WINDOW | KIND_FOR_RUN,
		.help = "sites of the program's own code (simrun_buggify) misbehave: some sites, some of the times",
		.params = {{.name = "sites", .type = FV_CHANCE, .min = 1, .max = ALL_OF_IT, .from = 10 * PERCENT,
			    .to = 60 * PERCENT, .def = 25 * PERCENT, .help = "how many of the sites"},
			   CHANCE(5, 50, 25, "how likely each time"), FOR(0, 0, VCLOCK_NEVER)},
		.effects = {EFFECT_SITES_FIRED, EFFECTS},
		.start = fault_buggify_start, .stop = fault_buggify_stop,
	},

	/* ---- network ---- */
	{
		.name = "partition", .group = FAULT_NETWORK, .level = LEVEL_LIGHT, .flags = KIND_WINDOW | KIND_DOWN,
		.help = "groups of nodes do not reach each other; what is sent across is lost and, by TCP, sent again",
		.params = {{.name = "spec", .type = FV_WORD, .to = 3, .words = "halves|isolate|ring|bridge",
			    .help = "halves; one against all; each sees another majority; two halves that share one node"},
			   {.name = "groups", .type = FV_GROUPS, .help = "the groups themselves, as in n1+n2|n3"},
			   {.name = "nodes", .type = FV_NODES, .help = "among these, in this order; if none is named, all, shuffled"},
			   FOR(100 * MS, 20 * SEC, 5 * SEC)},
		.effects = {EFFECT_PACKETS_DROPPED, EFFECTS},
		.choose = fault_choose_groups, .start = fault_partition_start, .stop = fault_link_stop,
	},
	{
		.name = "cut", .group = FAULT_NETWORK, .level = LEVEL_DEFAULT, .flags = KIND_WINDOW,
		.help = "nothing arrives in one direction",
		.params = {FROM, TO, NODES, FOR(100 * MS, 20 * SEC, 5 * SEC)},
		.effects = {EFFECT_PACKETS_DROPPED, EFFECTS},
		.choose = fault_choose_ends, .start = fault_link_start, .stop = fault_link_stop,
	},
	{
		.name = "clog", .group = FAULT_NETWORK, .level = LEVEL_DEFAULT, .flags = KIND_WINDOW,
		.help = "packets are held, and all arrive when it ends",
		.params = {FROM, TO, NODES, FOR(10 * MS, 5 * SEC, 1 * SEC)},
		.effects = {EFFECT_PACKETS_HELD, EFFECTS},
		.choose = fault_choose_ends, .start = fault_link_start, .stop = fault_link_stop,
	},
	{
		.name = "swizzle", .group = FAULT_NETWORK, .level = LEVEL_DEFAULT, .flags = KIND_WINDOW,
		.help = "nodes are clogged one after the other, and set free one after the other in another order",
		.params = {{.name = "nodes", .type = FV_NODES, .help = "these, in this order; some, if none is named"},
			   FOR(100 * MS, 10 * SEC, 2 * SEC)},
		.effects = {EFFECT_PACKETS_HELD, EFFECTS},
		.choose = fault_choose_some, .start = fault_swizzle_start, .stop = fault_swizzle_stop,
	},
	{
		.name = "slow-link", .group = FAULT_NETWORK, .level = LEVEL_LIGHT, .flags = KIND_WINDOW,
		.help = "packets take longer",
		.params = {FROM, TO, NODES, TIME("delay", 0, 3600 * SEC, 1 * MS, 1 * SEC, 100 * MS, "how much longer"),
			   TIME("jitter", 0, 3600 * SEC, 1, 200 * MS, 0, "and up to so much more"),
			   {.name = "rate", .type = FV_BYTES, .min = 0, .max = 1ll << 40, .def = 0,
			    .help = "bytes a second at most; 0: no bound"},
			   FOR(100 * MS, 20 * SEC, 5 * SEC)},
		.effects = {EFFECT_PACKETS_DELAYED, EFFECTS},
		.choose = fault_choose_ends, .start = fault_link_start, .stop = fault_link_stop,
	},
	{
		.name = "reset", .group = FAULT_NETWORK, .level = LEVEL_LIGHT, .flags = KIND_WINDOW,
		.help = "TCP connections are reset: those that stand, or each when its data reach a byte",
		.params = {FROM, TO, NODES, {.name = "bytes", .type = FV_BYTES, .min = 0, .max = 1ll << 40, .from = 1, .to = 64 << 10,
					     .def = 0, .help = "after so many bytes in one direction; 0: at once"},
			   {.name = "count", .type = FV_COUNT, .min = 1, .max = 1 << 20, .from = 1, .to = 8, .def = 1 << 20,
			    .help = "how many connections at most"},
			   FOR(10 * MS, 10 * SEC, 5 * SEC)},
		.effects = {EFFECT_CONNECTIONS_RESET, EFFECTS},
		.choose = fault_choose_ends, .start = fault_link_start, .stop = fault_link_stop,
	},
	{
		.name = "syn-drop", .group = FAULT_NETWORK, .level = LEVEL_DEFAULT, .flags = KIND_WINDOW,
		.help = "new TCP connections cannot be made; those that stand go on",
		.params = {FROM, TO, NODES, CHANCE(20, 100, 100, "how likely each"), FOR(100 * MS, 10 * SEC, 5 * SEC)},
		.effects = {EFFECT_PACKETS_DROPPED, EFFECTS},
		.choose = fault_choose_ends, .start = fault_link_start, .stop = fault_link_stop,
	},
	{
		.name = "loss", .group = FAULT_NETWORK, .level = LEVEL_DEFAULT, .flags = KIND_WINDOW,
		.help = "packets are lost; TCP sends them again, so that they are late",
		.params = {FROM, TO, NODES, CHANCE(1, 75, 20, "how likely each"), FOR(100 * MS, 20 * SEC, 5 * SEC)},
		.effects = {EFFECT_PACKETS_DROPPED, EFFECTS},
		.choose = fault_choose_ends, .start = fault_link_start, .stop = fault_link_stop,
	},
	{
		.name = "duplicate", .group = FAULT_NETWORK, .level = LEVEL_DEFAULT, .flags = KIND_WINDOW,
		.help = "datagrams arrive twice",
		.params = {FROM, TO, NODES, CHANCE(1, 75, 20, "how likely each"), FOR(100 * MS, 20 * SEC, 5 * SEC)},
		.effects = {EFFECT_PACKETS_DUPLICATED, EFFECTS},
		.choose = fault_choose_ends, .start = fault_link_start, .stop = fault_link_stop,
	},
	{
		.name = "reorder", .group = FAULT_NETWORK, .level = LEVEL_DEFAULT, .flags = KIND_WINDOW,
		.help = "datagrams overtake each other",
		.params = {FROM, TO, NODES, CHANCE(1, 75, 20, "how likely each"),
			   TIME("delay", 1, 3600 * SEC, 1 * MS, 1 * SEC, 10 * MS, "how much later one may come"),
			   FOR(100 * MS, 20 * SEC, 5 * SEC)},
		.effects = {EFFECT_PACKETS_REORDERED, EFFECTS},
		.choose = fault_choose_ends, .start = fault_link_start, .stop = fault_link_stop,
	},
	{
		.name = "corrupt", .group = FAULT_NETWORK, .level = LEVEL_NAMED, .flags = KIND_WINDOW,
		.help = "a bit of a datagram is flipped (checksums find nearly all such, so no preset has it)",
		.params = {FROM, TO, NODES, CHANCE(1, 75, 20, "how likely each"), FOR(100 * MS, 20 * SEC, 5 * SEC)},
		.effects = {EFFECT_PACKETS_CORRUPTED, EFFECTS},
		.choose = fault_choose_ends, .start = fault_link_start, .stop = fault_link_stop,
	},
	{
		.name = "resolve", .group = FAULT_NETWORK, .level = LEVEL_HEAVY, .flags = KIND_CALL | KIND_WINDOW,
		.help = "names of hosts are not found: /etc/hosts is not there, no name server answers",
		.params = {WHOSE, CHANCE(50, 100, 100, "how likely each"), FOR(50 * MS, 20 * SEC, VCLOCK_NEVER)},
		.effects = {EFFECT_CALLS_FAILED, EFFECTS},
		.calls = "open+openat+openat2+connect+sendto", .choose = fault_choose_node, .start = fault_call_start,
		.stop = fault_call_stop, .act = fault_resolve_act,
	},

	/* ---- calls ---- */
	{
		.name = "short", .group = FAULT_CALLS, .level = LEVEL_DEFAULT, .flags = KIND_CALL | KIND_WINDOW,
		.help = "reads and writes move fewer bytes than they could; drawn: streams only, and no write that waits",
		.params = {WHOSE, CHANCE(5, 50, 100, "how likely each"),
			   {.name = "bytes", .type = FV_BYTES, .min = 1, .max = 1 << 30, .from = 0, .to = 0, .def = 0,
			    .help = "how many at most; drawn each time, if it is not said"},
			   FOR(50 * MS, 20 * SEC, VCLOCK_NEVER)},
		.effects = {EFFECT_CALLS_SHORTENED, EFFECTS},
		.calls = "%read+%write", .choose = fault_choose_node, .start = fault_call_start, .stop = fault_call_stop,
		.act = fault_short_act,
	},
	{
		.name = "eintr", .group = FAULT_CALLS, .level = LEVEL_DEFAULT, .flags = KIND_CALL | KIND_WINDOW,
		.help = "calls that have to wait end with EINTR; drawn: only where a handler of the program could be the cause",
		.params = {WHOSE, CHANCE(1, 30, 100, "how likely each"), FOR(50 * MS, 20 * SEC, VCLOCK_NEVER)},
		.effects = {EFFECT_CALLS_INTERRUPTED, EFFECTS},
		.calls = "%wait", .choose = fault_choose_node, .start = fault_call_start, .stop = fault_call_stop,
		.act = fault_eintr_act,
	},
	{
		.name = "eagain", .group = FAULT_CALLS, .level = LEVEL_DEFAULT, .flags = KIND_CALL | KIND_WINDOW,
		.help = "calls on descriptors that do not block say EAGAIN for a while; then the descriptor becomes ready anew",
		.params = {WHOSE, CHANCE(1, 30, 100, "how likely each"),
			   TIME("wait", 1, 3600 * SEC, 10 * US, 20 * MS, 1 * MS, "until it is ready anew"),
			   FOR(50 * MS, 20 * SEC, VCLOCK_NEVER)},
		.effects = {EFFECT_CALLS_FAILED, EFFECTS},
		.calls = "%read+%write+accept+accept4", .choose = fault_choose_node, .start = fault_call_start,
		.stop = fault_call_stop, .act = fault_eagain_act,
	},
	{
		.name = "delay", .group = FAULT_CALLS, .level = LEVEL_HEAVY, .flags = KIND_CALL | KIND_WINDOW,
		.help = "calls begin later",
		.params = {WHOSE, CHANCE(1, 30, 100, "how likely each"),
			   TIME("by", 1, VCLOCK_NEVER, 100 * US, 2 * SEC, 100 * MS, "how much later"),
			   FOR(50 * MS, 20 * SEC, VCLOCK_NEVER)},
		.effects = {EFFECT_CALLS_DELAYED, EFFECTS},
		.calls = "%file+%net+%sync", .choose = fault_choose_node, .start = fault_call_start, .stop = fault_call_stop,
		.act = fault_delay_act,
	},
	{
		.name = "errno", .group = FAULT_CALLS, .level = LEVEL_NONE, .flags = KIND_CALL | KIND_WINDOW,
		.help = "calls fail; only as somebody writes it",
		.params = {WHOSE, CHANCE(0, 0, 100, "how likely each"),
			   {.name = "errno", .type = FV_ERRNO, .required = true, .help = "the error, for example errno=ENOSPC"},
			   FOR(0, 0, VCLOCK_NEVER)},
		.effects = {EFFECT_CALLS_FAILED, EFFECTS},
		.start = fault_call_start, .stop = fault_call_stop, .act = fault_errno_act,
	},
	{
		.name = "fork", .group = FAULT_CALLS, .level = LEVEL_NAMED, .flags = KIND_CALL | KIND_WINDOW,
		.help = "no new process can be made",
		.params = {WHOSE, CHANCE(10, 100, 100, "how likely each"), ERRNO(EAGAIN), FOR(50 * MS, 20 * SEC, VCLOCK_NEVER)},
		.effects = {EFFECT_CALLS_FAILED, EFFECTS},
		.calls = "fork+vfork+clone+clone3", .choose = fault_choose_node, .start = fault_call_start,
		.stop = fault_call_stop, .act = fault_fork_act,
	},
	{
		.name = "thread", .group = FAULT_CALLS, .level = LEVEL_NAMED, .flags = KIND_CALL | KIND_WINDOW,
		.help = "no new thread can be made",
		.params = {WHOSE, CHANCE(10, 100, 100, "how likely each"), ERRNO(EAGAIN), FOR(50 * MS, 20 * SEC, VCLOCK_NEVER)},
		.effects = {EFFECT_CALLS_FAILED, EFFECTS},
		.calls = "clone+clone3", .choose = fault_choose_node, .start = fault_call_start, .stop = fault_call_stop,
		.act = fault_thread_act,
	},
	{
		.name = "enomem", .group = FAULT_CALLS, .level = LEVEL_NAMED, .flags = KIND_CALL | KIND_WINDOW,
		.help = "no more memory is to be had (mmap, mremap, brk)",
		.params = {WHOSE, CHANCE(10, 100, 100, "how likely each"), ERRNO(ENOMEM), FOR(50 * MS, 20 * SEC, VCLOCK_NEVER)},
		.effects = {EFFECT_CALLS_FAILED, EFFECTS},
		.calls = "%memory", .choose = fault_choose_node, .start = fault_call_start, .stop = fault_call_stop,
		.act = fault_errno_act,
	},
	{
		.name = "emfile", .group = FAULT_CALLS, .level = LEVEL_NAMED, .flags = KIND_CALL | KIND_WINDOW,
		.help = "no more descriptors are to be had",
		.params = {WHOSE, CHANCE(10, 100, 100, "how likely each"), ERRNO(EMFILE), FOR(50 * MS, 20 * SEC, VCLOCK_NEVER)},
		.effects = {EFFECT_CALLS_FAILED, EFFECTS},
		.calls = "%newfd", .choose = fault_choose_node, .start = fault_call_start, .stop = fault_call_stop,
		.act = fault_errno_act,
	},

	/* ---- clocks ---- */
	{
		.name = "clock-jump", .group = FAULT_CLOCKS, .level = LEVEL_LIGHT, .flags = KIND_WINDOW | KIND_NODES_ONLY,
		.help = "a node's wall clock is set to another time",
		.params = {NODE, {.name = "by", .type = FV_TIME, .required = true, .min = -(10 * YEAR), .max = 10 * YEAR, .from = 10 * MS,
				  .to = 300 * SEC, .help = "forwards, or, with a minus, backwards"},
			   FOR(0, 0, VCLOCK_NEVER)},
		.effects = {EFFECT_CLOCK_READS, EFFECT_TIMERS_MOVED, EFFECTS},
		.choose = fault_choose_node, .start = fault_jump_start, .stop = fault_jump_stop,
	},
	{
		.name = "clock-drift", .group = FAULT_CLOCKS, .level = LEVEL_DEFAULT, .flags = KIND_WINDOW | KIND_NODES_ONLY,
		.help = "a node's wall clock runs too fast or too slowly",
		.params = {NODE, {.name = "rate", .type = FV_PPM, .required = true, .min = -900000, .max = 10000000, .from = 50,
				  .to = 500000, .help = "as in 200ppm, -5%; 100% is twice as fast"},
			   FOR(1 * SEC, 600 * SEC, 60 * SEC)},
		.effects = {EFFECT_CLOCK_READS, EFFECT_TIMERS_MOVED, EFFECTS},
		.choose = fault_choose_node, .start = fault_drift_start, .stop = fault_drift_stop,
	},
	{
		.name = "clock-strobe", .group = FAULT_CLOCKS, .level = LEVEL_HEAVY, .flags = KIND_WINDOW | KIND_NODES_ONLY,
		.help = "a node's wall clock jumps to and fro",
		.params = {NODE, TIME("by", 1, 10 * YEAR, 4 * MS, 262 * SEC, 200 * MS, "how far"),
			   TIME("period", 1 * US, 3600 * SEC, 1 * MS, 1 * SEC, 10 * MS, "how long each time"),
			   FOR(10 * MS, 32 * SEC, 5 * SEC)},
		.effects = {EFFECT_CLOCK_READS, EFFECT_TIMERS_MOVED, EFFECTS},
		.choose = fault_choose_node, .start = fault_strobe_start, .stop = fault_strobe_stop,
	},
	{
		.name = "leap", .group = FAULT_CLOCKS, .level = LEVEL_DEFAULT, .flags = KIND_NODES_ONLY,
		.help = "a leap second: a node's wall clock repeats a second, or leaves one out, and CLOCK_TAI goes on",
		.params = {NODE, {.name = "second", .type = FV_WORD, .to = 1, .words = "insert|delete", .help = "insert repeats one"}},
		.effects = {EFFECT_CLOCK_READS, EFFECT_TIMERS_MOVED, EFFECTS},
		.choose = fault_choose_node, .start = fault_leap_start,
	},
};

unsigned fault_nkinds(void)
{
	return ARRAY_LEN(fault_kinds);
}

const struct fault_kind *fault_kind_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(fault_kinds); i++)
		if (strlen(fault_kinds[i].name) == len && !strncmp(fault_kinds[i].name, name, len))
			return &fault_kinds[i];
	return NULL;
}

int fault_param_index(const struct fault_kind *k, const char *name, size_t len)
{
	for (int i = 0; k->params[i].name; i++)
		if (strlen(k->params[i].name) == len && !strncmp(k->params[i].name, name, len))
			return i;
	return -1;
}

const char *fault_effect_name(enum fault_effect e)
{
	static const char *const names[] = {
		[EFFECT_PROCESSES_KILLED] = "processes_killed",
		[EFFECT_CONNECTIONS_LOST] = "connections_lost",
		[EFFECT_CONNECTIONS_RESET] = "connections_reset",
		[EFFECT_TURNS_HELD] = "turns_held",
		[EFFECT_CALLS_FAILED] = "calls_failed",
		[EFFECT_CALLS_SHORTENED] = "calls_shortened",
		[EFFECT_CALLS_INTERRUPTED] = "calls_interrupted",
		[EFFECT_CALLS_DELAYED] = "calls_delayed",
		[EFFECT_PICKS_PASSED] = "picks_passed",
		[EFFECT_PACKETS_DROPPED] = "packets_dropped",
		[EFFECT_PACKETS_HELD] = "packets_held",
		[EFFECT_PACKETS_DELAYED] = "packets_delayed",
		[EFFECT_PACKETS_DUPLICATED] = "packets_duplicated",
		[EFFECT_PACKETS_REORDERED] = "packets_reordered",
		[EFFECT_PACKETS_CORRUPTED] = "packets_corrupted",
		[EFFECT_CLOCK_READS] = "clock_reads",
		[EFFECT_TIMERS_MOVED] = "timers_moved",
		[EFFECT_SITES_FIRED] = "sites_fired",
	};

	return names[e];
}

const char *fault_group_name(enum fault_group g)
{
	static const char *const names[] = {
		[FAULT_NODES] = "nodes", [FAULT_NETWORK] = "network", [FAULT_CALLS] = "calls", [FAULT_CLOCKS] = "clocks"};

	return names[g];
}

static const char *const levels[] = {[LEVEL_NONE] = "none", [LEVEL_LIGHT] = "light", [LEVEL_DEFAULT] = "default",
				     [LEVEL_HEAVY] = "heavy"};

const char *fault_level_name(enum fault_level l)
{
	return l < ARRAY_LEN(levels) ? levels[l] : "";
}

int fault_level_parse(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(levels); i++)
		if (strlen(levels[i]) == len && !strncmp(levels[i], name, len))
			return (int)i;
	return -1;
}
