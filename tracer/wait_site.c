#include "tracer/wait_site.h"

#include "base/mem.h"
#include "tracer/gmem.h"
#include "tracer/insn.h"
#include "tracer/ptrace.h"
#include "tracer/sim.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	STEPS = 20000,
	SELDOM = 512, /* a site is passed at least once in so many instructions */
	PLACES_MAX = 4096,
};

struct place {
	uint64_t rip;
	unsigned times;
	bool fits; /* a detour can stand there */
};

struct walk {
	struct task *t;
	struct insns insns;
	struct map at; /* rip -> 1 + index into place[] */
	struct place place[PLACES_MAX];
	size_t n;
	int status;
};

int64_t task_cpu_ms(const struct task *t)
{
	/* Of a whole process only, others' threads have none: MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED) of
	 * linux/posix-timers.h. No other thread runs meanwhile. */
	clockid_t clock = (clockid_t)(~(unsigned)t->tgid << 3 | 2);
	struct timespec ts;

	if (syscall(SYS_clock_gettime, clock, &ts) < 0)
		return 0;
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Executes one instruction; false: the walk is over. */
static bool one_step(struct walk *w, const struct user_regs_struct *r)
{
	const struct insn *i = insns_get(&w->insns, w->t->tid, r->rip);

	return (!i->ends || insn_unseen_call(i, r)) && pt_step(w->t->tid, &w->status);
}

static bool note(struct walk *w, uint64_t rip)
{
	uintptr_t i = (uintptr_t)map_get(&w->at, rip);

	if (i) {
		w->place[i - 1].times++;
		return true;
	}
	if (w->n == PLACES_MAX)
		return false;
	w->place[w->n++] = (struct place){.rip = rip, .times = 1};
	map_put(&w->at, rip, (void *)w->n);
	return true;
}

static bool go_round(struct walk *w)
{
	struct user_regs_struct r;

	for (unsigned i = 0; i < STEPS; i++) {
		pt_getregs(w->t->tid, &r);
		if (!note(w, r.rip) || !one_step(w, &r))
			return false;
	}
	return true;
}

/* The file mapping that holds rip, private and executable; false: the code is no file's. */
static bool file_of(struct sim *s, pid_t tid, uint64_t rip, struct gm_mapping *m)
{
	return gm_mapping_at(s, tid, rip, m) && m->file[0] == '/' && m->perm[3] == 'p';
}

static void set_name(struct site *out, const char *path)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	snprintf(out->file, sizeof out->file, "%.*s", (int)sizeof out->file - 1, base);
}

static bool fill(struct sim *s, struct task *t, const struct place *p, struct site *out)
{
	struct gm_mapping m;
	bool ok, of_file = file_of(s, t->tid, p->rip, &m);
	const char *file = of_file ? m.file : proc_host(t->thread->proc)->exe;
	int fd;

	*out = (struct site){.offset = of_file ? p->rip - m.lo + m.off : p->rip, .generated = !of_file};
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	set_name(out, file);
	ok = site_file(fd, &out->digest, &out->size);
	close(fd);
	return ok && !(s->cfg->sites && sites_have(s->cfg->sites, out));
}

/*
 * Among those that a detour can serve, and are passed often enough, the one that is passed least: it costs least. What only
 * a breakpoint can serve comes last: each of its hits is felt.
 */
static int by_worth(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->fits != y->fits)
		return x->fits ? -1 : 1;
	if (x->times != y->times)
		return x->times < y->times ? -1 : 1;
	return x->rip < y->rip ? -1 : 1;
}

static bool choose(struct sim *s, struct walk *w, struct site *out)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		unsigned char code[15];
		long got;
		if (w->place[i].times < STEPS / SELDOM || detour_of(w->t, w->place[i].rip))
			continue;
		w->place[n] = w->place[i];
		got = gm_read_some(w->t->tid, code, w->place[n].rip, sizeof code);
		w->place[n].fits = got > 0 && detour_fits(code, (size_t)got);
		n++;
	}
	for (size_t i = 0; i < n; i++) {
		struct gm_mapping m;
		/* Generated code is not touched. */
		w->place[i].fits = w->place[i].fits && file_of(s, w->t->tid, w->place[i].rip, &m);
	}
	qsort(w->place, n, sizeof *w->place, by_worth);
	for (size_t i = 0; i < n; i++)
		if (fill(s, w->t, &w->place[i], out))
			return true;
	return false;
}

enum wait_site wait_site_find(struct sim *s, struct task *t, struct site *out, int *status)
{
	struct walk *w = xnew(struct walk);
	enum wait_site found = WAIT_SITE_NONE;

	w->t = t;
	insns_init(&w->insns);
	if (go_round(w))
		found = choose(s, w, out) ? WAIT_SITE_FOUND : WAIT_SITE_FULL;
	*status = w->status;
	if (w->status)
		found = WAIT_SITE_STOP;
	insns_clear(&w->insns);
	map_clear(&w->at);
	free(w);
	return found;
}
