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

#endif
