/* The seccomp filter, made from the table. */
#ifndef TRACER_FILTER_H
#define TRACER_FILTER_H

#include "base/err.h"

#include <linux/filter.h>

struct callset;

/* Fills *prog (prog->filter on the heap). `seen`: calls that come to the supervisor even where the kernel could answer them
 * unseen; NULL: none. 0 or -1. */
int filter_build(struct sock_fprog *prog, const struct callset *seen, struct err *e);
/* In the child: loads it with a listener and returns the listener's descriptor, or -errno. */
int filter_load(const struct sock_fprog *prog);

#endif
