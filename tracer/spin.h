/*
 * Threads that wait without making a call: a loop that reads memory until another thread changes it.
 *
 * Nothing in such a loop enters the supervisor, so a watchdog of real time stops a thread that has run for long and steps
 * it. It is called a pure spin only if its full state recurs: every register, and every byte that it stored to. Then
 * nothing but another thread can end the loop, and the thread is left at the state of the loop that is least in the order
 * of (address, registers): the same one, however late the watchdog came. So real time decides when a spin is noticed, but
 * nothing that a guest can see.
 */
#ifndef TRACER_SPIN_H
#define TRACER_SPIN_H

struct sim;
struct task;

enum spin {
	SPIN_NO,   /* it computes; the thread is in a stop */
	SPIN_YES,  /* at the loop's least state */
	SPIN_TURN, /* on the way it has passed a counting site for the last time of its turn */
	SPIN_STOP, /* another stop came up on the way: *status */
};

enum spin spin_examine(struct sim *s, struct task *t, unsigned steps, int *status);

#endif
