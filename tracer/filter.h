/* The seccomp filter, made from the table. */
#ifndef TRACER_FILTER_H
#define TRACER_FILTER_H

#include "base/err.h"

#include <linux/filter.h>

/* Fills *prog (prog->filter on the heap). 0 or -1. */
int filter_build(struct sock_fprog *prog, struct err *e);
/* In the child: loads it with a listener and returns the listener's descriptor, or -errno. */
int filter_load(const struct sock_fprog *prog);

#endif
