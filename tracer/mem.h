/* Mappings that the kernel makes in a guest on the simulator's account. */
#ifndef TRACER_MEM_H
#define TRACER_MEM_H

#include "tracer/call.h"

/*
 * In the entry stop of any OBSERVE call: performs mmap(2) with these arguments instead, of the supervisor's descriptor
 * host_fd (its number in arg[4] is put in; host_fd < 0: as it is, for anonymous memory). The address or -errno as TRACED.
 */
struct verdict mem_map_fd(struct call *c, int host_fd, const uint64_t arg[6]);
/* The same with munmap(2). */
struct verdict mem_unmap(struct call *c, uint64_t addr, uint64_t len);
/* In an entry stop: the kernel performs the call as it is. */
struct verdict mem_native(struct call *c);
/* The call does not happen and fails with this -errno. brk(2) has no errors: it gives the old end. */
struct verdict mem_fail(struct call *c, int64_t result);

#endif
