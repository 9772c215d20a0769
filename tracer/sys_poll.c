/* poll, ppoll, select, pselect6. */
#include "tracer/sys_poll.h"
#include "tracer/syscalls.h"
#include "tracer/timespec.h"

#include "base/mem.h"

#include <string.h>

enum { RLIM_NOFILE = 7 };

/* ---- what all of them share: the mask and the deadline ---- */

int poll_set_mask(struct call *c, uint64_t addr, uint64_t size)
{
	uint64_t mask;

	if (!addr)
		return 0;
	if (size != sizeof mask)
		return -EINVAL;
	if (copy_in(c, &mask, addr, sizeof mask))
		return -EFAULT;
	thread_set_temp_mask(c->k, c->thread, mask & ~(K_SIGBIT(SIGKILL) | K_SIGBIT(SIGSTOP)));
	return 0;
}

struct verdict poll_wait(struct call *c, int64_t rel_ns)
{
	if (rel_ns >= 0)
		call_wait_rel(c, rel_ns);
	return BLOCK(-EINTR);
}

/* Where a call with a time limit writes what is left of it: poll_select_finish(). */
enum { S_LEFT_ADDR = 6, S_DEADLINE = 7 }; /* c->s[]; 7 is call_wait_rel()'s */
enum time_kind { TIME_VAL, TIME_SPEC };

static void put_time_left(struct call *c, enum time_kind kind)
{
	int64_t left = (int64_t)c->s[S_DEADLINE] - c->k->clock.now_ns;
	struct abi_timespec ts = timespec_of(MAX(left, (int64_t)0));

	if (!c->s[S_LEFT_ADDR] || !c->s[S_DEADLINE])
		return;
	if (kind == TIME_VAL)
		ts.nsec /= NS_PER_US;
	copy_out(c, c->s[S_LEFT_ADDR], &ts, sizeof ts); /* memory that cannot be written is no error here */
}

/* Reads a time limit once: *ns is -1 when there is none. A limit of nothing is not updated. */
static int get_limit(struct call *c, uint64_t addr, enum time_kind kind, int64_t *ns)
{
	struct abi_timespec ts;

	*ns = -1;
	if (!addr)
		return 0;
	if (c->tries) {
		*ns = 0; /* the deadline is kept in c->s[7] */
		return 0;
	}
	if (copy_in(c, &ts, addr, sizeof ts))
		return -EFAULT;
	if (kind == TIME_VAL) { /* microseconds may exceed a second: select() in fs/select.c */
		ts.sec += ts.nsec / 1000000;
		ts.nsec = ts.nsec % 1000000 * NS_PER_US;
	}
	if (!timespec_valid(&ts))
		return -EINVAL;
	*ns = timespec_ns(&ts);
	if (*ns) {
		c->s[S_LEFT_ADDR] = addr;
		c->s[S_DEADLINE] = (uint64_t)vclock_add(c->k->clock.now_ns, *ns);
	}
	return 0;
}

/* A call that found nothing waits, unless its time is over or was nothing. */
static bool may_wait(const struct call *c, int64_t rel_ns)
{
	return rel_ns < 0 || (!c->thread->timed_out && (rel_ns > 0 || c->s[S_DEADLINE]));
}

/* The limit is updated when the call ends: also by a signal that is there already, which makes a BLOCK its end. */
static struct verdict end_limited(struct call *c, enum time_kind kind, struct verdict v)
{
	if (v.kind != V_BLOCK || call_interrupted(c))
		put_time_left(c, kind);
	return v;
}

/* ---- poll ---- */

struct abi_pollfd {
	int32_t fd;
	uint16_t events, revents;
};

/* How many have something to report. */
static int poll_all(struct call *c, struct abi_pollfd *p, size_t n)
{
	int count = 0;

	for (size_t i = 0; i < n; i++) {
		struct file *f = call_file(c, (uint64_t)(int64_t)p[i].fd);
		p[i].revents = 0;
		if (p[i].fd < 0)
			continue;
		if (!f || (f->flags & O_PATH))
			p[i].revents = POLLNVAL;
		else
			p[i].revents = (uint16_t)(file_poll(c->k, f) & (p[i].events | K_EPOLLERR | K_EPOLLHUP));
		count += p[i].revents != 0;
	}
	return count;
}

static struct verdict do_poll(struct call *c, int64_t rel_ns)
{
	size_t n = (uint32_t)c->arg[1];
	struct abi_pollfd *p;
	int count;

	if (n > c->proc->rlim[RLIM_NOFILE][0])
		return FAIL(EINVAL);
	p = call_scratch(c, n * sizeof *p + 1);
	if (copy_in(c, p, c->arg[0], n * sizeof *p))
		return FAIL(EFAULT);
	count = poll_all(c, p, n);
	if (count || !may_wait(c, rel_ns))
		return copy_out(c, c->arg[0], p, n * sizeof *p) ? FAIL(EFAULT) : REPLY(count);
	c->thread->wait_what = "poll of no descriptor";
	for (size_t i = 0; i < n; i++) {
		struct file *f = call_file(c, (uint64_t)(int64_t)p[i].fd);
		if (f)
			call_wait_file(c, f, "poll");
	}
	return poll_wait(c, rel_ns);
}

struct verdict sys_poll(struct call *c)
{
	int ms = (int)c->arg[2];

	return do_poll(c, ms < 0 ? -1 : ms * NS_PER_MS);
}

struct verdict sys_ppoll(struct call *c)
{
	int64_t rel_ns;
	int rc = get_limit(c, c->arg[2], TIME_SPEC, &rel_ns);

	if (!rc)
		rc = poll_set_mask(c, c->arg[3], c->arg[4]);
	return end_limited(c, TIME_SPEC, rc ? REPLY(rc) : do_poll(c, rel_ns));
}

/* ---- select ---- */

enum { SETS = 3 };
/* POLLIN_SET, POLLOUT_SET, POLLEX_SET of fs/select.c */
static const uint32_t set_events[SETS] = {
	K_EPOLLRDNORM | K_EPOLLRDBAND | K_EPOLLIN | K_EPOLLHUP | K_EPOLLERR | K_EPOLLNVAL,
	K_EPOLLWRBAND | K_EPOLLWRNORM | K_EPOLLOUT | K_EPOLLERR | K_EPOLLNVAL,
	K_EPOLLPRI | K_EPOLLNVAL,
};

struct selecting {
	unsigned n, words;
	uint64_t *in[SETS], *out[SETS];
};

static bool bit_of(const uint64_t *set, unsigned i)
{
	return set[i / 64] >> (i % 64) & 1;
}

static bool wanted(const struct selecting *s, unsigned i)
{
	return bit_of(s->in[0], i) || bit_of(s->in[1], i) || bit_of(s->in[2], i);
}

static int read_sets(struct call *c, struct selecting *s)
{
	uint64_t *w;

	s->n = MIN((unsigned)c->arg[0], MAX(c->proc->fds->cap, 64u));
	s->words = (s->n + 63) / 64;
	w = call_scratch(c, (2 * SETS * (size_t)s->words + 1) * sizeof *w);
	memset(w, 0, 2 * SETS * (size_t)s->words * sizeof *w);
	for (int i = 0; i < SETS; i++) {
		s->in[i] = w + (size_t)i * s->words;
		s->out[i] = w + (size_t)(SETS + i) * s->words;
		if (c->arg[1 + i] && copy_in(c, s->in[i], c->arg[1 + i], s->words * sizeof *w))
			return -EFAULT;
	}
	for (unsigned i = 0; i < s->n; i++)
		if (wanted(s, i) && !call_file(c, i))
			return -EBADF;
	return 0;
}

/* How many bits were set. */
static int select_all(struct call *c, struct selecting *s)
{
	int count = 0;

	for (unsigned i = 0; i < s->n; i++) {
		uint32_t events;
		if (!wanted(s, i))
			continue;
		events = file_poll(c->k, call_file(c, i));
		for (int set = 0; set < SETS; set++)
			if (bit_of(s->in[set], i) && (events & set_events[set])) {
				s->out[set][i / 64] |= 1ull << (i % 64);
				count++;
			}
	}
	return count;
}

static int write_sets(struct call *c, const struct selecting *s)
{
	for (int i = 0; i < SETS; i++)
		if (c->arg[1 + i] && copy_out(c, c->arg[1 + i], s->out[i], s->words * sizeof *s->out[i]))
			return -EFAULT;
	return 0;
}

static struct verdict do_select(struct call *c, int64_t rel_ns)
{
	struct selecting s;
	int rc, count;

	if ((int)c->arg[0] < 0)
		return FAIL(EINVAL);
	rc = read_sets(c, &s);
	if (rc)
		return REPLY(rc);
	count = select_all(c, &s);
	if (count || !may_wait(c, rel_ns))
		return write_sets(c, &s) ? FAIL(EFAULT) : REPLY(count);
	c->thread->wait_what = "select of no descriptor";
	for (unsigned i = 0; i < s.n; i++)
		if (wanted(&s, i))
			call_wait_file(c, call_file(c, i), "select");
	return poll_wait(c, rel_ns);
}

struct verdict sys_select(struct call *c)
{
	int64_t rel_ns;
	int rc = get_limit(c, c->arg[4], TIME_VAL, &rel_ns);

	return end_limited(c, TIME_VAL, rc ? REPLY(rc) : do_select(c, rel_ns));
}

struct verdict sys_pselect6(struct call *c)
{
	uint64_t mask[2] = {0}; /* address and size */
	int64_t rel_ns;
	int rc = 0;

	if (c->arg[5] && copy_in_raw(c, mask, c->arg[5], sizeof mask))
		rc = -EFAULT;
	if (!rc)
		rc = get_limit(c, c->arg[4], TIME_SPEC, &rel_ns);
	if (!rc)
		rc = poll_set_mask(c, mask[0], mask[1]);
	return end_limited(c, TIME_SPEC, rc ? REPLY(rc) : do_select(c, rel_ns));
}
