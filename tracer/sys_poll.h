/* What the calls share that wait for several descriptors. */
#ifndef TRACER_SYS_POLL_H
#define TRACER_SYS_POLL_H

#include "tracer/call.h"

/* The temporary signal mask of ppoll, pselect6, epoll_pwait; addr 0: none. 0 or -errno. */
int poll_set_mask(struct call *c, uint64_t addr, uint64_t size);
/* BLOCK as these calls do: until something registered happens, or rel_ns after the first try (negative: no limit). */
struct verdict poll_wait(struct call *c, int64_t rel_ns);

#endif
