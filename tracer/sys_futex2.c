/* futex_waitv(2), and futex_wake, futex_wait, futex_requeue of Linux 6.7: the same waiters with other arguments. */
#include "tracer/sys_futex.h"

#include "base/mem.h"
#include "kernel/wall.h"
#include "tracer/gmem.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"
#include "tracer/timespec.h"

#include <errno.h>

/* include/uapi/linux/futex.h */
enum { SIZE_MASK = 3, SIZE_U32 = 2, FLAG_PRIVATE = 128, WAITV_MAX = 128 };

struct abi_waitv {
	uint64_t val, addr;
	uint32_t flags, reserved;
};

/* futex_flags_valid(): words of 32 bits, and no memory policies. */
static bool valid_flags(uint32_t flags)
{
	return !(flags & ~(uint32_t)(SIZE_MASK | FLAG_PRIVATE)) && (flags & SIZE_MASK) == SIZE_U32;
}

static int get_key(struct call *c, uint64_t addr, uint32_t flags, struct futex_key *key)
{
	return futex_get_key(c, addr, !(flags & FLAG_PRIVATE), key);
}

/* s[6] becomes the deadline, s[5] says that there is one. 0 or an errno. */
static int read_timeout(struct call *c, uint64_t addr, int clock)
{
	struct abi_timespec ts;

	if (!addr || c->tries)
		return 0;
	if (clock != CLOCK_MONOTONIC && clock != CLOCK_REALTIME)
		return EINVAL;
	if (copy_in(c, &ts, addr, sizeof ts))
		return EFAULT;
	if (!timespec_valid(&ts))
		return EINVAL;
	c->s[5] = 1;
	c->s[6] = (uint64_t)timespec_ns(&ts);
	c->follows_wall = clock == CLOCK_REALTIME;
	return 0;
}

static struct verdict wait_here(struct call *c, uint64_t addr)
{
	if (c->s[5])
		thread_wait_until(c->k, c->thread, c->follows_wall ? wall_deadline(c->k, c->proc->node, (int64_t)c->s[6]) :
								     (int64_t)c->s[6]);
	c->thread->wait_what = "a futex";
	c->thread->wait_detail = addr;
	return BLOCK(c->s[5] ? -EINTR : -K_ERESTARTSYS);
}

/* ---- futex_waitv ---- */

/* Checks all, and queues the thread for all; nothing runs in between. 0 or an errno. */
static int queue_all(struct call *c, const struct abi_waitv *v, unsigned n)
{
	struct futex_key key[WAITV_MAX];
	uint32_t word;
	int e = 0;

	for (unsigned i = 0; i < n && !e; i++)
		e = get_key(c, v[i].addr, v[i].flags, &key[i]);
	for (unsigned i = 0; i < n && !e; i++) {
		if (gm_read(c->task->tid, &word, v[i].addr, sizeof word))
			e = EFAULT;
		else if (word != (uint32_t)v[i].val)
			e = EAGAIN;
	}
	for (unsigned i = 0; i < n && !e; i++)
		futex_enqueue_more(c->k, c->thread, key[i]);
	return e;
}

struct verdict sys_futex_waitv(struct call *c)
{
	struct abi_waitv v[WAITV_MAX];
	uint32_t n = (uint32_t)c->arg[1];
	int e, index;

	if ((uint32_t)c->arg[2] || !n || n > WAITV_MAX || !c->arg[0])
		return FAIL(EINVAL);
	e = read_timeout(c, c->arg[3], (int)c->arg[4]);
	if (e)
		return FAIL(e);
	index = futex_woken_index(c->thread);
	futex_finish(c->k, c->thread);
	if (index >= 0)
		return REPLY(index);
	if (c->thread->timed_out)
		return FAIL(ETIMEDOUT);
	if (copy_in_raw(c, v, c->arg[0], n * sizeof *v))
		return FAIL(EFAULT);
	for (unsigned i = 0; i < n; i++)
		if (!valid_flags(v[i].flags) || v[i].reserved || v[i].val > UINT32_MAX)
			return FAIL(EINVAL);
	if (call_interrupted(c))
		return BLOCK(c->s[5] ? -EINTR : -K_ERESTARTSYS);
	e = queue_all(c, v, n);
	return e ? FAIL(e) : wait_here(c, v[0].addr);
}

/* ---- the others ---- */

struct verdict sys_futex_wake(struct call *c)
{
	uint32_t flags = (uint32_t)c->arg[3];
	int n = (int)c->arg[2];
	struct futex_key key;
	int e;

	if (!valid_flags(flags) || c->arg[1] > UINT32_MAX || !c->arg[1])
		return FAIL(EINVAL);
	e = get_key(c, c->arg[0], flags, &key);
	if (e)
		return FAIL(e);
	return REPLY(n <= 0 ? 0 : futex_wake(c->k, key, (unsigned)n, (uint32_t)c->arg[1]));
}

struct verdict sys_futex_wait(struct call *c)
{
	uint32_t flags = (uint32_t)c->arg[3], word;
	struct futex_key key;
	int e;

	if (!valid_flags(flags) || c->arg[1] > UINT32_MAX || c->arg[2] > UINT32_MAX || !c->arg[2])
		return FAIL(EINVAL);
	e = read_timeout(c, c->arg[4], (int)c->arg[5]);
	if (e)
		return FAIL(e);
	if (futex_finish(c->k, c->thread))
		return REPLY(0);
	if (c->thread->timed_out)
		return FAIL(ETIMEDOUT);
	e = get_key(c, c->arg[0], flags, &key);
	if (e)
		return FAIL(e);
	if (gm_read(c->task->tid, &word, c->arg[0], sizeof word))
		return FAIL(EFAULT);
	if (word != (uint32_t)c->arg[1])
		return FAIL(EAGAIN);
	if (call_interrupted(c))
		return BLOCK(c->s[5] ? -EINTR : -K_ERESTARTSYS);
	futex_enqueue(c->k, c->thread, key, (uint32_t)c->arg[2]);
	return wait_here(c, c->arg[0]);
}

struct verdict sys_futex_requeue(struct call *c)
{
	int nwake = (int)c->arg[2], nmove = (int)c->arg[3], e;
	struct futex_key from, to;
	struct abi_waitv v[2];
	unsigned woken, moved;
	uint32_t word;

	if ((uint32_t)c->arg[1] || !c->arg[0])
		return FAIL(EINVAL);
	if (copy_in_raw(c, v, c->arg[0], sizeof v))
		return FAIL(EFAULT);
	for (int i = 0; i < 2; i++)
		if (!valid_flags(v[i].flags) || v[i].reserved || v[i].val > UINT32_MAX)
			return FAIL(EINVAL);
	if (nwake < 0 || nmove < 0)
		return FAIL(EINVAL);
	e = get_key(c, v[0].addr, v[0].flags, &from);
	if (!e)
		e = get_key(c, v[1].addr, v[1].flags, &to);
	if (e)
		return FAIL(e);
	if (gm_read(c->task->tid, &word, v[0].addr, sizeof word))
		return FAIL(EFAULT);
	if (word != (uint32_t)v[0].val)
		return FAIL(EAGAIN);
	woken = futex_requeue(c->k, from, to, (unsigned)nwake, (unsigned)nmove, &moved);
	return REPLY(woken + moved);
}
