/*
 * Futexes: who waits for which key, in order of arrival. The words themselves are in guests' memory, so the caller
 * (tracer/sys_futex.c) compares and writes them; since only one thread of the run does anything at a time, that needs no
 * lock. See futex(2) and kernel/futex/ of Linux.
 */
#ifndef KERNEL_FUTEX_H
#define KERNEL_FUTEX_H

#include "kernel/task.h"

/* Private: {id of the address space with the top bit set, address}. Shared: {file, offset}. */
struct futex_key {
	uint64_t a, b;
};

#define FUTEX_KEY_PRIVATE (1ull << 63)
#define FUTEX_ANY 0xffffffffu

struct futex_queue;

struct futex_waiter {
	struct list link; /* in its queue */
	struct futex_queue *q; /* NULL once woken */
	struct thread *thread;
	uint32_t bitset;
	bool woken;
	bool pi;       /* waits to own a priority-inheritance lock */
	uint64_t addr; /* of the word, in the waiter's address space (pi) */
	struct futex_waiter *next; /* of the same thread, which waits for several words */
};

/* Queues t; it has no waiter yet. */
void futex_enqueue(struct kern *k, struct thread *t, struct futex_key key, uint32_t bitset);
/* Queues t for one more word, behind those for which it waits already. */
void futex_enqueue_more(struct kern *k, struct thread *t, struct futex_key key);
/* Which of several was the first to be woken, counted in the order of queueing; -1: none. */
int futex_woken_index(const struct thread *t);
/* t stops waiting; true when it had been woken. Harmless when it did not wait. */
bool futex_finish(struct kern *k, struct thread *t);
static inline bool futex_was_woken(const struct thread *t)
{
	return t->futex && t->futex->woken;
}
/* Wakes up to n waiters with a bit in common, the longest waiting first; how many. */
unsigned futex_wake(struct kern *k, struct futex_key key, unsigned n, uint32_t bitset);
/* Wakes up to nwake, then moves up to nmove of the rest to the end of `to`; *moved (may be NULL) says how many. Returns
 * the number woken. */
unsigned futex_requeue(struct kern *k, struct futex_key key, struct futex_key to, unsigned nwake, unsigned nmove, unsigned *moved);
/* The first pi waiter without waking it, and how many wait; NULL when nobody does. */
struct futex_waiter *futex_pi_first(struct kern *k, struct futex_key key, unsigned *n);
/* Any waiter that is not for a pi lock: mixing the two is refused, as in the kernel. */
bool futex_has_plain(struct kern *k, struct futex_key key);
/* Who owns the pi lock of this key as long as somebody waits for it; NULL: nobody waits. */
struct thread *futex_pi_owner(struct kern *k, struct futex_key key);
void futex_pi_set_owner(struct kern *k, struct futex_key key, struct thread *owner);
/* A key of a pi lock that t owns and others wait for; false when there is none. */
bool futex_pi_owned(struct kern *k, const struct thread *t, struct futex_key *key);
/* Wakes one particular waiter. */
void futex_wake_one(struct kern *k, struct futex_waiter *w);
/* The thread is about to end. */
void futex_forget_thread(struct kern *k, struct thread *t);

/* FUTEX_WAKE_OP: the new value of the word; -ENOSYS for an unknown operation. */
int futex_op_value(uint32_t encoded, uint32_t old, uint32_t *value);
/* Its comparison: 1, 0, or -ENOSYS. */
int futex_op_compare(uint32_t encoded, uint32_t old);

#endif
