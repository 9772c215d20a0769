/* What the end of a thread means for futexes. */
#ifndef TRACER_SYS_FUTEX_H
#define TRACER_SYS_FUTEX_H

struct sim;
struct task;

/* Before the thread's memory goes: gives up its robust and priority-inheritance locks, clears and wakes its tid word. */
void futex_thread_exit(struct sim *s, struct task *t);

#endif
