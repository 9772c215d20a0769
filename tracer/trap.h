/* Signals that the kernel forces on a thread because of what the processor met. */
#ifndef TRACER_TRAP_H
#define TRACER_TRAP_H

struct sim;
struct task;

/* Undoes what the forcing of `sig` did to the thread's mask and the process's action, before anything else runs. */
void restore_forced(struct sim *s, struct task *t, int sig);

#endif
