/*
 * simrun.h: what a C or C++ program can tell the simulator, and ask of it.
 *
 * In a simulation (see simrun(1)) properties are tracked over all seeds, operations are recorded and checked, events
 * stand in the trace. Anywhere else nothing is sent to anybody: properties that are violated end the program (as assert(3)
 * does), everything else does nothing. So the same source runs in both, and in ordinary tests.
 *
 * C99 and C++11, x86-64 Linux, gcc or clang. Messages must be string literals: they name the property, and the source's
 * properties are listed in a section of the program, so that one that never runs is known all the same. What changes
 * from run to run belongs into the details, which are printf arguments after the message:
 *
 *     SIMRUN_ALWAYS(len >= committed, "log never shrinks below the commit index", "%zu %zu", len, committed);
 *
 * Arguments of a macro are evaluated once, details only when they are shown.
 */
#ifndef SIMRUN_H
#define SIMRUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIMRUN_SECOND INT64_C(1000000000) /* durations are in nanoseconds */
#define SIMRUN_MS INT64_C(1000000)

/* Whether this process is in a simulation. */
bool simrun_active(void);

/* ---- failing a run ---- */

/* SIMRUN_FAIL("replica %d diverged", i): ends the run with this message. */
#define SIMRUN_FAIL(...) simrun_fail_(SIMRUN_HERE_, __func__, __VA_ARGS__)
/* SIMRUN_ASSERT(got == want, "acknowledged write lost: %s", key) */
#define SIMRUN_ASSERT(cond, ...) ((cond) ? (void)0 : simrun_fail_(SIMRUN_HERE_, __func__, __VA_ARGS__))

/* ---- properties ---- */

/*                                      fails the seed when       fails the sweep when
 *  ALWAYS(cond, msg, …)                cond is false             it was never reached
 *  ALWAYS_OR_UNREACHABLE(cond, msg, …) cond is false
 *  UNREACHABLE(msg, …)                 it is reached
 *  SOMETIMES(cond, msg, …)                                       cond was never true
 *  REACHABLE(msg, …)                                             it was never reached
 */
#define SIMRUN_ALWAYS(cond, ...) SIMRUN_CONDITION_("always", SIMRUN_K_ALWAYS, cond, __VA_ARGS__)
#define SIMRUN_ALWAYS_OR_UNREACHABLE(cond, ...)                                                                    \
	SIMRUN_CONDITION_("always_or_unreachable", SIMRUN_K_ALWAYS_OR_UNREACHABLE, cond, __VA_ARGS__)
#define SIMRUN_UNREACHABLE(...) SIMRUN_CONDITION_("unreachable", SIMRUN_K_UNREACHABLE, false, __VA_ARGS__)
#define SIMRUN_SOMETIMES(cond, ...) SIMRUN_CONDITION_("sometimes", SIMRUN_K_SOMETIMES, cond, __VA_ARGS__)
#define SIMRUN_REACHABLE(...) SIMRUN_CONDITION_("reachable", SIMRUN_K_REACHABLE, true, __VA_ARGS__)

/* The same of a comparison, which also keeps how close it came: the smallest margin of an "always", the largest of a
 * "sometimes". left and right are of any arithmetic types; integers are compared exactly. */
#define SIMRUN_ALWAYS_GREATER_THAN(left, right, ...) SIMRUN_NUMBERS_("always", SIMRUN_K_ALWAYS, left, ">", right, __VA_ARGS__)
#define SIMRUN_ALWAYS_GREATER_THAN_OR_EQUAL_TO(left, right, ...)                                                   \
	SIMRUN_NUMBERS_("always", SIMRUN_K_ALWAYS, left, ">=", right, __VA_ARGS__)
#define SIMRUN_ALWAYS_LESS_THAN(left, right, ...) SIMRUN_NUMBERS_("always", SIMRUN_K_ALWAYS, left, "<", right, __VA_ARGS__)
#define SIMRUN_ALWAYS_LESS_THAN_OR_EQUAL_TO(left, right, ...)                                                      \
	SIMRUN_NUMBERS_("always", SIMRUN_K_ALWAYS, left, "<=", right, __VA_ARGS__)
#define SIMRUN_SOMETIMES_GREATER_THAN(left, right, ...)                                                            \
	SIMRUN_NUMBERS_("sometimes", SIMRUN_K_SOMETIMES, left, ">", right, __VA_ARGS__)
#define SIMRUN_SOMETIMES_GREATER_THAN_OR_EQUAL_TO(left, right, ...)                                                \
	SIMRUN_NUMBERS_("sometimes", SIMRUN_K_SOMETIMES, left, ">=", right, __VA_ARGS__)
#define SIMRUN_SOMETIMES_LESS_THAN(left, right, ...)                                                               \
	SIMRUN_NUMBERS_("sometimes", SIMRUN_K_SOMETIMES, left, "<", right, __VA_ARGS__)
#define SIMRUN_SOMETIMES_LESS_THAN_OR_EQUAL_TO(left, right, ...)                                                   \
	SIMRUN_NUMBERS_("sometimes", SIMRUN_K_SOMETIMES, left, "<=", right, __VA_ARGS__)

/* At least one of the named values is always true; all of them are, some time, at once:
 *     SIMRUN_ALWAYS_SOME(SIMRUN_NAMED({"primary", p >= 0}, {"backup", b >= 0}), "some replica answers");  */
#define SIMRUN_ALWAYS_SOME(named, ...) SIMRUN_GROUP_("always", SIMRUN_K_ALWAYS, "some", named, __VA_ARGS__)
#define SIMRUN_SOMETIMES_ALL(named, ...) SIMRUN_GROUP_("sometimes", SIMRUN_K_SOMETIMES, "all", named, __VA_ARGS__)

/*
 * Calls cond(arg) until it returns true, sleeping within/100 between two calls, and returns true. If it is still false
 * after `within` nanoseconds of (virtual) time, the run fails with class "liveness".
 */
#define SIMRUN_EVENTUALLY(cond, arg, msg, within)                                                                  \
	(SIMRUN_CATALOG_EXPR_("eventually", msg) simrun_eventually_(SIMRUN_HERE_, __func__, msg, cond, arg, within))

/* ---- events, faults, size of the work ---- */

/* A moment of the run, in the trace. `details` is JSON; NULL: none. The second form makes it as printf does. */
void simrun_event(const char *name, const char *details);
void simrun_eventf(const char *name, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* True at seeded points, when the run's configuration has buggify on: make something go wrong here. */
bool simrun_buggify(const char *site);
/* Suppresses every fault for so long, and ends partitions, clogs and slowdowns now. */
void simrun_quiet_for(int64_t ns);
/* Bootstrapping is over; with "faults_after_setup" faults begin. The first call counts. */
void simrun_setup_complete(void);
/* n, or fewer when a run is being made smaller. Use the result wherever the number of operations matters. */
int64_t simrun_budget(int64_t n);
/* 64 bits, from the seed; outside of a simulation from getrandom(2). */
uint64_t simrun_random(void);

/* ---- history ---- */

/*
 * Operations of clients, to be checked when the run ends. `client` is who does one thing after another. An operation
 * that gets none of ok, unknown, failed has no completion: it may or may not have happened.
 */
typedef int64_t simrun_id;
simrun_id simrun_put(int64_t client, const char *key, const char *value);
simrun_id simrun_get(int64_t client, const char *key);
/* Any operation of the model in use; `value` is JSON, NULL for null. */
simrun_id simrun_invoke(int64_t client, const char *f, const char *key, const char *value);
void simrun_ok(simrun_id id, const char *output);    /* a string; NULL: nothing to tell (a write) */
void simrun_ok_int(simrun_id id, int64_t output);
void simrun_ok_bool(simrun_id id, bool output);
void simrun_ok_json(simrun_id id, const char *json); /* any JSON, e.g. an array of strings; NULL for null */
void simrun_unknown(simrun_id id);                   /* it may have taken effect: a timeout */
void simrun_failed(simrun_id id);                    /* it surely did not: a redirect */

/* Transactions over lists: reads and appends. After the commit each read's list is filled in and they are handed back. */
struct simrun_mop {
	const char *key;
	const char *append;      /* the value appended; NULL: a read */
	const char *const *list; /* what the read returned */
	size_t n;
};
simrun_id simrun_txn(int64_t client, const struct simrun_mop *mops, size_t n);
void simrun_ok_txn(simrun_id id, const struct simrun_mop *mops, size_t n);

/* s as a JSON string, with its quotes; valid until the fourth next call of this function by the thread. */
const char *simrun_json(const char *s);

/* Sends a message of docs/sdk.md as it is; the answer, or -1 outside of a simulation. For what has no function here. */
int64_t simrun_send(const char *json);

/* ---- below: how the macros work ---- */

enum simrun_kind_ {
	SIMRUN_K_ALWAYS,
	SIMRUN_K_ALWAYS_OR_UNREACHABLE,
	SIMRUN_K_UNREACHABLE,
	SIMRUN_K_SOMETIMES,
	SIMRUN_K_REACHABLE
};

/* One place in the source: what it has told already. */
struct simrun_site_ {
	unsigned char kind, told; /* told: bit 1 reached with false, 2 with true, 4 has a margin */
	const char *msg, *where, *func;
	double margin;
};

struct simrun_num_ {
	int kind; /* 0: i, 1: u, 2: d */
	int64_t i;
	uint64_t u;
	double d;
};

struct simrun_named {
	const char *name;
	bool value;
};
struct simrun_names_ {
	const struct simrun_named *v;
	size_t n;
};

/* -1: not known yet, 0: no simulation, 1: in one */
extern int simrun_state_;

void simrun_fail_(const char *where, const char *func, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));
void simrun_tell_(struct simrun_site_ *site, bool cond, const char *details);
void simrun_tell_numbers_(struct simrun_site_ *site, struct simrun_num_ left, const char *op, struct simrun_num_ right,
			  const char *details);
void simrun_tell_group_(struct simrun_site_ *site, const char *op, bool cond, struct simrun_names_ names, const char *details);
bool simrun_compare_mixed_(struct simrun_num_ left, const char *op, struct simrun_num_ right);
bool simrun_news_(struct simrun_site_ *site, struct simrun_num_ left, const char *op, struct simrun_num_ right);
bool simrun_names_true_(struct simrun_names_ names, bool all);
bool simrun_eventually_(const char *where, const char *func, const char *msg, bool (*cond)(void *arg), void *arg,
			int64_t within);
const char *simrun_details_(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Something to do: in a simulation and not told before, or violated outside of one. */
static inline bool simrun_want_(const struct simrun_site_ *site, bool cond)
{
	if (!simrun_state_)
		return !cond && site->kind <= SIMRUN_K_UNREACHABLE;
	return !(site->told & (cond ? 2 : 1));
}

static inline struct simrun_num_ simrun_num_of_(bool integer, bool is_signed, int64_t i, uint64_t u, double d)
{
	struct simrun_num_ n = {integer ? is_signed ? 0 : 1 : 2, i, u, d};

	return n;
}

static inline bool simrun_compare_(struct simrun_num_ l, const char *op, struct simrun_num_ r)
{
	if (l.kind || r.kind)
		return simrun_compare_mixed_(l, op, r);
	return op[0] == '>' ? op[1] ? l.i >= r.i : l.i > r.i : op[1] ? l.i <= r.i : l.i < r.i;
}

#define SIMRUN_STRING_(x) #x
#define SIMRUN_TEXT_(x) SIMRUN_STRING_(x)
#define SIMRUN_HERE_ __FILE__ ":" SIMRUN_TEXT_(__LINE__)

/*
 * An entry of the catalogue: four strings, which are kind, message, file and line. Message and file are kept as they
 * stand in the source, as C literals, because an assembler does not know all of C's escapes. The section is not loaded.
 * An asm statement, since a variable in a section of its own cannot stand in an inline function of C++.
 */
#define SIMRUN_CATALOG_TEXT_(kind, msg, file, line)                                                                \
	".pushsection simrun_catalog,\"\",@progbits\n\t.asciz \"" kind "\"\n\t.asciz " SIMRUN_TEXT_(msg)           \
	"\n\t.asciz " SIMRUN_TEXT_(file) "\n\t.asciz \"" line "\"\n\t.popsection"
#define SIMRUN_CATALOG_(kind, msg)                                                                                 \
	__asm__(SIMRUN_CATALOG_TEXT_(kind, SIMRUN_TEXT_(msg), SIMRUN_TEXT_(__FILE__), SIMRUN_TEXT_(__LINE__)))
#define SIMRUN_CATALOG_EXPR_(kind, msg) __extension__({ SIMRUN_CATALOG_(kind, msg); }),

/* What comes after the message, printed; only evaluated when it is shown. */
#define SIMRUN_DETAILS_(...) SIMRUN_PICK_(__VA_ARGS__, D, D, D, D, D, D, D, D, D, D, D, D, D, D, D, D, N, 0)(__VA_ARGS__)
#define SIMRUN_PICK_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, ...) SIMRUN_DETAILS_##r##_
#define SIMRUN_DETAILS_N_(msg) ((const char *)0)
#define SIMRUN_DETAILS_D_(msg, ...) simrun_details_(__VA_ARGS__)
#define SIMRUN_MSG_(...) SIMRUN_FIRST_(__VA_ARGS__, 0)
#define SIMRUN_FIRST_(a, ...) a

#define SIMRUN_SITE_(name, kind, ...)                                                                              \
	SIMRUN_CATALOG_(name, SIMRUN_MSG_(__VA_ARGS__));                                                           \
	static struct simrun_site_ simrun_s_ = {kind, 0, SIMRUN_MSG_(__VA_ARGS__), SIMRUN_HERE_, 0, 0}

#define SIMRUN_CONDITION_(name, kind, cond, ...)                                                                   \
	do {                                                                                                       \
		SIMRUN_SITE_(name, kind, __VA_ARGS__);                                                             \
		bool simrun_c_ = !!(cond);                                                                         \
		if (simrun_want_(&simrun_s_, simrun_c_)) {                                                         \
			simrun_s_.func = __func__;                                                                 \
			simrun_tell_(&simrun_s_, simrun_c_, SIMRUN_DETAILS_(__VA_ARGS__));                         \
		}                                                                                                  \
	} while (0)

#define SIMRUN_NUM_(T, v)                                                                                          \
	simrun_num_of_((T)1 / 2 == 0, (T)-1 < (T)1, (T)1 / 2 == 0 ? (int64_t)(v) : 0, (T)1 / 2 == 0 ? (uint64_t)(v) : 0, (double)(v))

#define SIMRUN_NUMBERS_(name, kind, left, op, right, ...)                                                          \
	do {                                                                                                       \
		SIMRUN_SITE_(name, kind, __VA_ARGS__);                                                             \
		__typeof__((left) + 0) simrun_l_ = (left);                                                         \
		__typeof__((right) + 0) simrun_r_ = (right);                                                       \
		struct simrun_num_ simrun_ln_ = SIMRUN_NUM_(__typeof__((left) + 0), simrun_l_);                    \
		struct simrun_num_ simrun_rn_ = SIMRUN_NUM_(__typeof__((right) + 0), simrun_r_);                   \
		if (simrun_state_ ? simrun_news_(&simrun_s_, simrun_ln_, op, simrun_rn_) :                         \
				    (kind) == SIMRUN_K_ALWAYS && !simrun_compare_(simrun_ln_, op, simrun_rn_)) {   \
			simrun_s_.func = __func__;                                                                 \
			simrun_tell_numbers_(&simrun_s_, simrun_ln_, op, simrun_rn_, SIMRUN_DETAILS_(__VA_ARGS__)); \
		}                                                                                                  \
	} while (0)

#define SIMRUN_NAMED(...) (__VA_ARGS__)
#define SIMRUN_UNPAREN_(...) __VA_ARGS__
#define SIMRUN_GROUP_(name, kind, op, named, ...)                                                                  \
	do {                                                                                                       \
		SIMRUN_SITE_(name, kind, __VA_ARGS__);                                                             \
		const struct simrun_named simrun_n_[] = {SIMRUN_UNPAREN_ named};                                   \
		struct simrun_names_ simrun_ns_ = {simrun_n_, sizeof simrun_n_ / sizeof *simrun_n_};               \
		bool simrun_c_ = simrun_names_true_(simrun_ns_, (kind) == SIMRUN_K_SOMETIMES);                     \
		if (simrun_want_(&simrun_s_, simrun_c_)) {                                                         \
			simrun_s_.func = __func__;                                                                 \
			simrun_tell_group_(&simrun_s_, op, simrun_c_, simrun_ns_, SIMRUN_DETAILS_(__VA_ARGS__));   \
		}                                                                                                  \
	} while (0)

#ifdef __cplusplus
}
#endif
#endif
