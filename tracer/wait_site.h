/*
 * Where a thread that goes round in a loop, changing something on the way, can be counted: it is stepped for a while, and one
 * of the instructions that it comes by again and again is chosen. Nothing of the run goes on afterwards: it starts again,
 * with the site counted from the beginning.
 */
#ifndef TRACER_WAIT_SITE_H
#define TRACER_WAIT_SITE_H

#include "tracer/sites.h"

struct sim;
struct task;

enum wait_site {
	WAIT_SITE_FOUND,
	WAIT_SITE_NONE, /* it does not go round */
	WAIT_SITE_FULL, /* it does, and there is no place left to count at */
	WAIT_SITE_STOP, /* another stop came up: *status */
};

enum wait_site wait_site_find(struct sim *s, struct task *t, struct site *out, int *status);
/* The processor time that the thread's process has used. */
int64_t task_cpu_ms(const struct task *t);

#endif
