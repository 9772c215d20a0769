#include "tracer/count.h"

#include "base/mem.h"
#include "tracer/ptrace.h"
#include "tracer/sim.h"
#include "tracer/sites.h"
#include "tracer/trap.h"
#include "tracer/vdso.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <unistd.h>

enum {
	TURN_FIRST = 1 << 14, /* passes without a call before a thread gives way; twice as many each time */
	TURN_DOUBLINGS = 4,
	HIT_WEIGHT = 1 << 10,
	HIT_CODE = 4,         /* TRAP_HWBKPT of siginfo */
};

/* ---- which sites ---- */

/* The digest of a file, once per file and run; 0: it has none. */
static uint64_t digest_of(struct sim *s, int fd, const struct stat *st)
{
	uint64_t key = (uint64_t)st->st_ino ^ (uint64_t)st->st_dev << 40 ^ (uint64_t)st->st_size << 20 ^
		       (uint64_t)st->st_mtim.tv_nsec ^ (uint64_t)st->st_mtim.tv_sec << 13;
	uint64_t *known = map_get(&s->file_digests, key), size;

	if (!known) {
		known = xnew(uint64_t);
		if (!site_file(fd, known, &size))
			*known = 0;
		map_put(&s->file_digests, key, known);
	}
	return *known;
}

static bool size_known(const struct sites *l, uint64_t size)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].size == size)
			return true;
	return false;
}

static void break_at(struct counting *c, uint64_t at)
{
	for (unsigned i = 0; i < DEBUG_REGS; i++)
		if (c->breakpoint[i] == at)
			return;
	for (unsigned i = 0; i < DEBUG_REGS; i++)
		if (!c->breakpoint[i]) {
			c->breakpoint[i] = at;
			c->gen++;
			return;
		}
}

static void count_at(struct sim *s, struct task *t, uint64_t at)
{
	struct counting *c = &proc_host(t->thread->proc)->count;

	for (unsigned i = 0; i < c->detours.n; i++)
		if (c->detours.v[i].at == at)
			c->detours.v[i].at = 1; /* what stood there was unmapped: its detour went with it */
	if (!detour_put(s, t, at))
		break_at(c, at);
}

void count_mapped(struct sim *s, struct task *t, int host_fd, uint64_t off, uint64_t len, uint64_t addr)
{
	const struct sites *l = s->cfg->sites;
	uint64_t digest;
	struct stat st;

	if (!l || !l->n || fstat(host_fd, &st) < 0 || !S_ISREG(st.st_mode) || !size_known(l, (uint64_t)st.st_size))
		return;
	digest = digest_of(s, host_fd, &st);
	for (size_t i = 0; i < l->n; i++) {
		const struct site *x = &l->v[i];
		if (!x->generated && x->digest == digest && x->offset >= off && x->offset < off + len)
			count_at(s, t, addr + (x->offset - off));
	}
}

void count_exec(struct sim *s, struct task *t)
{
	struct hostproc *h = proc_host(t->thread->proc);
	const struct sites *l = s->cfg->sites;
	struct stat st;
	int fd;

	h->count = (struct counting){.gen = h->count.gen + 1};
	count_reset(s, t);
	if (!l || !l->n || (fd = open(h->exe, O_RDONLY | O_CLOEXEC)) < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && size_known(l, (uint64_t)st.st_size))
		for (size_t i = 0; i < l->n; i++)
			if (l->v[i].generated && l->v[i].digest == digest_of(s, fd, &st))
				break_at(&h->count, l->v[i].offset);
	close(fd);
}

/* ---- debug registers ---- */

static long poke_dr(pid_t tid, unsigned n, uint64_t v)
{
	return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg) + n * sizeof v, v);
}

bool count_arm(struct sim *s, struct task *t)
{
	const struct counting *c = &proc_host(t->thread->proc)->count;
	uint64_t dr7 = 0;

	if (t->counted.armed == c->gen)
		return true;
	for (unsigned i = 0; i < DEBUG_REGS; i++)
		if (c->breakpoint[i])
			dr7 |= 1ull << 2 * i; /* local, on execution, one byte */
	if (!dr7 && !t->counted.any) {
		t->counted.armed = c->gen;
		return true;
	}
	if (t->park == PARK_NOTIFY)
		return false;
	poke_dr(t->tid, 7, 0);
	for (unsigned i = 0; i < DEBUG_REGS; i++)
		if (c->breakpoint[i] && poke_dr(t->tid, i, c->breakpoint[i]) < 0)
			sim_warn(s, "no breakpoint of the processor is to be had: %s", strerror(errno));
	if (poke_dr(t->tid, 7, dr7) < 0)
		sim_warn(s, "no breakpoint of the processor is to be had: %s", strerror(errno));
	t->counted.any = dr7 != 0;
	t->counted.armed = c->gen;
	return true;
}

/* ---- counting ---- */

static int64_t turn_length(const struct task *t)
{
	return (int64_t)TURN_FIRST << MIN(t->counted.turns, (unsigned)TURN_DOUBLINGS);
}

void count_reset(struct sim *s, struct task *t)
{
	t->counted.turns = 0;
	t->counted.left = turn_length(t);
}

void count_load(struct sim *s, const struct task *t)
{
	s->page->site_left = t->counted.left;
	s->page->site_scratch = t->counted.scratch;
}

void count_save(struct sim *s, struct task *t)
{
	t->counted.left = s->page->site_left;
	t->counted.scratch = s->page->site_scratch;
}

bool count_others(const struct sim *s)
{
	return s->kern.sched.len || vclock_next(&s->kern.clock) != VCLOCK_NEVER;
}

void count_turn(struct sim *s, struct task *t)
{
	t->counted.turns++;
	s->page->site_left = turn_length(t);
	if (!count_others(s)) {
		t->park = PARK_RUNNING;
		pt_cont(t->tid, 0);
		return;
	}
	t->park = PARK_STOP;
	t->steppable = true;
	dispatch_turn(s, t);
}

static bool hit(struct sim *s, struct task *t)
{
	uint64_t dr6 = (uint64_t)ptrace(PTRACE_PEEKUSER, t->tid, offsetof(struct user, u_debugreg) + 6 * sizeof dr6, 0);

	for (unsigned i = 0; i < DEBUG_REGS; i++)
		if (dr6 & 1ull << i)
			s->page->site_left -= HIT_WEIGHT;
	return s->page->site_left <= 0;
}

static const struct detour *at_trap(const struct task *t, uint64_t rip)
{
	const struct detour *d = detour_of(t, rip);

	return d && rip == d->trap ? d : NULL;
}

bool count_trap(struct sim *s, struct task *t)
{
	struct user_regs_struct r;
	const struct detour *d;
	siginfo_t si = {0};

	if (ptrace(PTRACE_GETSIGINFO, t->tid, 0, &si) < 0 || si.si_code <= 0)
		return false;
	if (si.si_code == HIT_CODE && t->counted.any) {
		restore_forced(s, t, SIGTRAP);
		if (hit(s, t)) {
			count_turn(s, t);
		} else {
			t->park = PARK_RUNNING;
			pt_cont(t->tid, 0);
		}
		return true;
	}
	pt_getregs(t->tid, &r);
	if (!(d = at_trap(t, r.rip)))
		return false;
	r.rip = d->at;
	pt_setregs(t->tid, &r);
	restore_forced(s, t, SIGTRAP);
	count_turn(s, t);
	return true;
}

bool count_step(struct sim *s, struct task *t)
{
	return t->counted.any && hit(s, t);
}

void count_unmask(struct sim *s, struct task *t)
{
	struct user_regs_struct r;
	const struct detour *d;

	if (!proc_host(t->thread->proc)->count.detours.n)
		return;
	pt_getregs(t->tid, &r);
	if (!(d = detour_of(t, r.rip)))
		return;
	r.rip = d->at;
	pt_setregs(t->tid, &r);
}
