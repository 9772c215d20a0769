/* What the end of a thread means for futexes. */
#ifndef TRACER_SYS_FUTEX_H
#define TRACER_SYS_FUTEX_H

#include "kernel/futex.h"
#include "tracer/call.h"

struct sim;
struct task;

/* get_futex_key() of a word of the caller. 0 or an errno. */
int futex_get_key(struct call *c, uint64_t addr, bool shared, struct futex_key *key);

/* Before the thread's memory goes: gives up its robust and priority-inheritance locks, clears and wakes its tid word. */
void futex_thread_exit(struct sim *s, struct task *t);

#endif
