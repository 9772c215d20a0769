/*
 * Waiting. An object that can become ready has a waitq; whoever waits hangs a waiter on it. waitq_wake() calls each
 * waiter's function: a blocked thread's makes the thread runnable (its call is then tried again from the top), an epoll
 * item's notes the edge.
 */
#ifndef KERNEL_WAIT_H
#define KERNEL_WAIT_H

#include "base/list.h"

#include <stdint.h>

struct waiter;
typedef void (*waiter_fn)(struct waiter *w, uint32_t events);

struct waiter {
	struct list link; /* in waitq.waiters */
	waiter_fn fn;     /* may unlink and free its own waiter, no other */
};

struct waitq {
	struct list waiters;
};

static inline void waitq_init(struct waitq *q)
{
	list_init(&q->waiters);
}

static inline void waitq_add(struct waitq *q, struct waiter *w, waiter_fn fn)
{
	w->fn = fn;
	list_add_tail(&q->waiters, &w->link);
}

/* `events` are poll(2) bits that may have become true; 0 means "look again". */
void waitq_wake(struct waitq *q, uint32_t events);

#endif
