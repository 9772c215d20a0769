/*
 * futex(2). Waiters are in kernel/futex.c; here are the words, which lie in guests' memory, and the rules of
 * kernel/futex/ in Linux. Nothing runs while a call is served, so reading, comparing and writing a word is atomic.
 */
#include "tracer/sys_futex.h"

#include "base/mem.h"
#include "kernel/futex.h"
#include "kernel/wall.h"
#include "tracer/gmem.h"
#include "tracer/sim.h"
#include "tracer/sys_time.h"
#include "tracer/syscalls.h"
#include "tracer/timespec.h"

#include <errno.h>
#include <linux/futex.h>

#define ADDRESS_END 0x7ffffffff000ull
/* Shared futexes in private memory have keys of their own: a private waiter is not woken by a shared wake. */
#define KEY_SHARED_FLAG (1ull << 62)

/* A futex operation of one call. */
struct op {
	int cmd;
	bool shared, realtime;
	uint64_t addr, addr2;
	uint32_t val, val3;
};

/* ---- keys and words ---- */

static struct futex_key key_of(struct task *t, uint64_t addr, bool shared)
{
	struct futex_key key = {FUTEX_KEY_PRIVATE | t->thread->proc->mm->id, addr};
	uint64_t k[2];

	if (!shared)
		return key;
	if (gm_shared_key(t, addr, k))
		return (struct futex_key){k[0] & ~(FUTEX_KEY_PRIVATE | KEY_SHARED_FLAG), k[1]};
	key.a |= KEY_SHARED_FLAG;
	return key;
}

/* get_futex_key(). 0 or an errno. */
int futex_get_key(struct call *c, uint64_t addr, bool shared, struct futex_key *key)
{
	uint32_t word;

	if (addr & 3)
		return EINVAL;
	if (addr >= ADDRESS_END)
		return EFAULT;
	/* A shared one must be mapped, a private one need not be. */
	if (shared && gm_read(c->task->tid, &word, addr, sizeof word))
		return EFAULT;
	*key = key_of(c->task, addr, shared);
	return 0;
}

/* ---- deadlines ---- */

/* s[6] becomes the deadline, on the wall clock if the call follows that, s[5] says that there is one. 0 or an errno. */
static int read_timeout(struct call *c, const struct op *o)
{
	struct abi_timespec ts;
	int64_t ns;

	if (!c->arg[3])
		return 0;
	if (copy_in(c, &ts, c->arg[3], sizeof ts))
		return EFAULT;
	if (!timespec_valid(&ts))
		return EINVAL;
	ns = timespec_ns(&ts);
	if (o->cmd == FUTEX_WAIT)
		ns = vclock_add(c->k->clock.now_ns, ns);
	else if (o->realtime && ns != VCLOCK_NEVER)
		c->follows_wall = true;
	c->s[5] = 1;
	c->s[6] = (uint64_t)ns;
	return 0;
}

static void wait_here(struct call *c, uint64_t addr, const char *what)
{
	if (c->s[5])
		thread_wait_until(c->k, c->thread, c->follows_wall ? wall_deadline(c->k, c->proc->node, (int64_t)c->s[6]) :
								     (int64_t)c->s[6]);
	c->thread->wait_what = what;
	c->thread->wait_detail = addr;
}

/* ---- FUTEX_WAIT ---- */

static struct verdict futex_wait_op(struct call *c, const struct op *o, uint32_t bitset)
{
	struct futex_key key;
	uint32_t word;
	int e;

	if (!bitset)
		return FAIL(EINVAL);
	e = c->tries ? 0 : read_timeout(c, o);
	if (e)
		return FAIL(e);
	if (futex_finish(c->k, c->thread))
		return REPLY(0);
	if (c->thread->timed_out)
		return FAIL(ETIMEDOUT);
	e = futex_get_key(c, o->addr, o->shared, &key);
	if (e)
		return FAIL(e);
	if (gm_read(c->task->tid, &word, o->addr, sizeof word))
		return FAIL(EFAULT);
	if (word != o->val)
		return FAIL(EAGAIN);
	if (!call_interrupted(c)) {
		futex_enqueue(c->k, c->thread, key, bitset);
		wait_here(c, o->addr, "a futex");
	}
	return BLOCK(c->s[5] ? -EINTR : -K_ERESTARTSYS);
}

/* ---- waking ---- */

/* What the kernel makes of a number of waiters to wake: at least one is woken. */
static unsigned at_least_one(uint32_t n)
{
	return (int32_t)n < 1 ? 1 : n;
}

static bool has_pi_waiter(struct call *c, struct futex_key key)
{
	unsigned n;

	return futex_pi_first(c->k, key, &n) != NULL;
}

static struct verdict futex_wake_call(struct call *c, const struct op *o, uint32_t bitset)
{
	struct futex_key key;
	int e;

	if (!bitset)
		return FAIL(EINVAL);
	e = futex_get_key(c, o->addr, o->shared, &key);
	if (e)
		return FAIL(e);
	if (has_pi_waiter(c, key))
		return FAIL(EINVAL);
	return REPLY(futex_wake(c->k, key, at_least_one(o->val), bitset));
}

static struct verdict futex_requeue_call(struct call *c, const struct op *o)
{
	struct futex_key from, to;
	uint32_t val2 = (uint32_t)c->arg[3], word;
	unsigned woken, moved;
	int e;

	if ((int32_t)o->val < 0 || (int32_t)val2 < 0)
		return FAIL(EINVAL);
	e = futex_get_key(c, o->addr, o->shared, &from);
	if (!e)
		e = futex_get_key(c, o->addr2, o->shared, &to);
	if (e)
		return FAIL(e);
	if (o->cmd == FUTEX_CMP_REQUEUE) {
		if (gm_read(c->task->tid, &word, o->addr, sizeof word))
			return FAIL(EFAULT);
		if (word != o->val3)
			return FAIL(EAGAIN);
	}
	if (has_pi_waiter(c, from))
		return FAIL(EINVAL);
	woken = futex_requeue(c->k, from, to, o->val, val2, &moved);
	return REPLY(woken + moved);
}

static struct verdict futex_wake_op_call(struct call *c, const struct op *o)
{
	struct futex_key key, key2;
	uint32_t old, value;
	unsigned woken;
	int e, cmp;

	e = futex_get_key(c, o->addr, o->shared, &key);
	if (!e)
		e = futex_get_key(c, o->addr2, o->shared, &key2);
	if (e)
		return FAIL(e);
	if (gm_read(c->task->tid, &old, o->addr2, sizeof old))
		return FAIL(EFAULT);
	e = futex_op_value(o->val3, old, &value);
	if (e)
		return REPLY(e);
	if (gm_write(c->task->tid, o->addr2, &value, sizeof value))
		return FAIL(EFAULT);
	cmp = futex_op_compare(o->val3, old);
	if (cmp < 0)
		return REPLY(cmp);
	if (has_pi_waiter(c, key) || (cmp && has_pi_waiter(c, key2)))
		return FAIL(EINVAL);
	woken = futex_wake(c->k, key, at_least_one(o->val), FUTEX_ANY);
	if (cmp)
		woken += futex_wake(c->k, key2, at_least_one((uint32_t)c->arg[3]), FUTEX_ANY);
	return REPLY(woken);
}

/* ---- locks with priority inheritance: threads have no priorities here, so it is a lock with a queue ---- */

/* The word is free or its owner died: it becomes the caller's. */
static struct verdict pi_acquire(struct call *c, const struct op *o, uint32_t word)
{
	word = (word & FUTEX_OWNER_DIED) | (uint32_t)c->thread->tid;
	return gm_write(c->task->tid, o->addr, &word, sizeof word) ? FAIL(EFAULT) : REPLY(0);
}

static struct verdict pi_wait(struct call *c, const struct op *o, struct futex_key key, uint32_t word)
{
	struct thread *owner = thread_find(c->k, (int)(word & FUTEX_TID_MASK));

	if (futex_has_plain(c->k, key))
		return FAIL(EINVAL);
	word |= FUTEX_WAITERS;
	if (gm_write(c->task->tid, o->addr, &word, sizeof word))
		return FAIL(EFAULT);
	if (!owner)
		return FAIL(ESRCH);
	if (o->cmd == FUTEX_TRYLOCK_PI)
		return FAIL(EAGAIN);
	if (!call_interrupted(c)) {
		futex_enqueue(c->k, c->thread, key, FUTEX_ANY);
		c->thread->futex->pi = true;
		c->thread->futex->addr = o->addr;
		futex_pi_set_owner(c->k, key, owner);
		wait_here(c, o->addr, "a priority-inheritance futex");
	}
	return BLOCK(-K_ERESTARTNOINTR);
}

static struct verdict futex_lock_pi(struct call *c, const struct op *o)
{
	struct futex_key key;
	uint32_t word;
	int e = 0;

	if (!c->tries && o->cmd != FUTEX_TRYLOCK_PI)
		e = read_timeout(c, o);
	if (e)
		return FAIL(e);
	/* Who unlocks makes the first waiter the owner: it has the lock when it is woken. */
	if (futex_finish(c->k, c->thread))
		return REPLY(0);
	if (c->thread->timed_out)
		return FAIL(ETIMEDOUT);
	e = futex_get_key(c, o->addr, o->shared, &key);
	if (e)
		return FAIL(e);
	if (gm_read(c->task->tid, &word, o->addr, sizeof word))
		return FAIL(EFAULT);
	if ((word & FUTEX_TID_MASK) == (uint32_t)c->thread->tid)
		return FAIL(EDEADLK);
	if (!(word & FUTEX_TID_MASK) && !has_pi_waiter(c, key))
		return pi_acquire(c, o, word);
	return pi_wait(c, o, key, word);
}

/* Hands the lock to its first waiter. 0 or -EFAULT. */
static int pi_hand_over(struct kern *k, struct futex_key key, struct futex_waiter *w, uint32_t flags)
{
	struct thread *next = w->thread;
	/* FUTEX_WAITERS stays: the new owner must come to the kernel to unlock (wake_futex_pi()). */
	uint32_t word = FUTEX_WAITERS | flags | (uint32_t)next->tid;

	if (gm_write(thread_task(next)->tid, w->addr, &word, sizeof word))
		return -EFAULT;
	futex_wake_one(k, w);
	futex_pi_set_owner(k, key, next);
	return 0;
}

static struct verdict futex_unlock_pi(struct call *c, const struct op *o)
{
	struct futex_key key;
	struct futex_waiter *w;
	uint32_t word;
	unsigned n;
	int e;

	if (gm_read(c->task->tid, &word, o->addr, sizeof word))
		return FAIL(EFAULT);
	if ((word & FUTEX_TID_MASK) != (uint32_t)c->thread->tid)
		return FAIL(EPERM);
	e = futex_get_key(c, o->addr, o->shared, &key);
	if (e)
		return FAIL(e);
	w = futex_pi_first(c->k, key, &n);
	if (w)
		return REPLY(pi_hand_over(c->k, key, w, 0));
	if (futex_has_plain(c->k, key))
		return FAIL(EINVAL);
	word = 0;
	return gm_write(c->task->tid, o->addr, &word, sizeof word) ? FAIL(EFAULT) : REPLY(0);
}

/* ---- the call ---- */

static struct verdict perform(struct call *c, const struct op *o)
{
	switch (o->cmd) {
	case FUTEX_WAIT:
		return futex_wait_op(c, o, FUTEX_ANY);
	case FUTEX_WAIT_BITSET:
		return futex_wait_op(c, o, o->val3);
	case FUTEX_WAKE:
		return futex_wake_call(c, o, FUTEX_ANY);
	case FUTEX_WAKE_BITSET:
		return futex_wake_call(c, o, o->val3);
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		return futex_requeue_call(c, o);
	case FUTEX_WAKE_OP:
		return futex_wake_op_call(c, o);
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_TRYLOCK_PI:
		return futex_lock_pi(c, o);
	case FUTEX_UNLOCK_PI:
		return futex_unlock_pi(c, o);
	}
	return call_refuse(c, ENOSYS, "futex operation %d", o->cmd);
}

struct verdict sys_futex(struct call *c)
{
	uint32_t raw = (uint32_t)c->arg[1];
	struct op o = {.cmd = (int)(raw & (uint32_t)FUTEX_CMD_MASK),
		       .shared = !(raw & FUTEX_PRIVATE_FLAG),
		       .realtime = raw & FUTEX_CLOCK_REALTIME,
		       .addr = c->arg[0],
		       .addr2 = c->arg[4],
		       .val = (uint32_t)c->arg[2],
		       .val3 = (uint32_t)c->arg[5]};

	if (o.realtime && o.cmd != FUTEX_WAIT_BITSET && o.cmd != FUTEX_WAIT_REQUEUE_PI && o.cmd != FUTEX_LOCK_PI2)
		return FAIL(ENOSYS);
	if (o.cmd == FUTEX_LOCK_PI)
		o.realtime = true;
	return perform(c, &o);
}

/* ---- what a thread registers for its end ---- */

struct verdict sys_set_tid_address(struct call *c)
{
	c->thread->clear_tid_addr = c->arg[0];
	return CONTINUE(c->thread->tid);
}

struct verdict sys_set_robust_list(struct call *c)
{
	if (c->arg[1] != sizeof(struct robust_list_head))
		return FAIL(EINVAL);
	c->thread->robust_head = c->arg[0];
	c->thread->robust_len = c->arg[1];
	return CONTINUE(0);
}

struct verdict sys_get_robust_list(struct call *c)
{
	int tid = (int)c->arg[0];
	const struct thread *t = tid ? thread_find(c->k, tid) : c->thread;
	uint64_t len = sizeof(struct robust_list_head);

	if (!t)
		return FAIL(ESRCH);
	/* As ptrace access: not of a process of another user. */
	if (t->proc != c->proc && c->proc->euid && c->proc->euid != t->proc->uid)
		return FAIL(EPERM);
	if (copy_out_raw(c, c->arg[2], &len, sizeof len) || copy_out_raw(c, c->arg[1], &t->robust_head, sizeof t->robust_head))
		return FAIL(EFAULT);
	return REPLY(0);
}

/* ---- the end of a thread ---- */

/* handle_futex_death(). False: the memory cannot be read, or the entry makes no sense. */
static bool abandon_lock(struct sim *s, struct task *t, uint64_t addr, bool pi, bool pending)
{
	uint32_t word;

	if ((addr & 3) || gm_read(t->tid, &word, addr, sizeof word))
		return false;
	/* It had unlocked and died before waking the next one. */
	if (pending && !pi && !(word & FUTEX_TID_MASK)) {
		futex_wake(&s->kern, key_of(t, addr, true), 1, FUTEX_ANY);
		return true;
	}
	if ((word & FUTEX_TID_MASK) != (uint32_t)t->thread->tid)
		return true;
	word = (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
	if (gm_write(t->tid, addr, &word, sizeof word))
		return false;
	if (!pi && (word & FUTEX_WAITERS))
		futex_wake(&s->kern, key_of(t, addr, true), 1, FUTEX_ANY);
	return true;
}

/* exit_robust_list(). The low bit of a pointer says that the lock has priority inheritance. */
static void walk_robust_list(struct sim *s, struct task *t)
{
	struct {
		uint64_t next;
		int64_t offset;
		uint64_t pending;
	} head;
	uint64_t at = t->thread->robust_head, entry;

	if (!at || gm_read(t->tid, &head, at, sizeof head))
		return;
	entry = head.next;
	for (unsigned n = 0; n < ROBUST_LIST_LIMIT && (entry & ~1ull) != at; n++) {
		uint64_t lock = entry & ~1ull, next = 0;
		bool readable = !gm_read(t->tid, &next, lock, sizeof next);
		if (lock != (head.pending & ~1ull) && !abandon_lock(s, t, lock + (uint64_t)head.offset, entry & 1, false))
			return;
		if (!readable)
			break;
		entry = next;
	}
	if (head.pending & ~1ull)
		abandon_lock(s, t, (head.pending & ~1ull) + (uint64_t)head.offset, head.pending & 1, true);
}

/* exit_pi_state_list(): locks with waiters go to these, marked. */
static void hand_over_pi_locks(struct sim *s, struct thread *th)
{
	struct futex_key key;

	while (futex_pi_owned(&s->kern, th, &key)) {
		unsigned n;
		struct futex_waiter *w = futex_pi_first(&s->kern, key, &n);
		futex_pi_set_owner(&s->kern, key, NULL);
		if (w)
			pi_hand_over(&s->kern, key, w, FUTEX_OWNER_DIED);
	}
}

/* mm_release(): nobody is told when the address space goes with the thread. */
static void clear_tid(struct sim *s, struct task *t)
{
	struct thread *th = t->thread;
	uint64_t addr = th->clear_tid_addr;
	const uint32_t zero = 0;

	th->clear_tid_addr = 0;
	if (!addr || (th->proc->nthreads == 1 && th->proc->mm->refs == 1))
		return;
	gm_write(t->tid, addr, &zero, sizeof zero);
	futex_wake(&s->kern, key_of(t, addr, true), 1, FUTEX_ANY);
}

void futex_thread_exit(struct sim *s, struct task *t)
{
	futex_finish(&s->kern, t->thread);
	walk_robust_list(s, t);
	t->thread->robust_head = 0;
	hand_over_pi_locks(s, t->thread);
	clear_tid(s, t);
}
