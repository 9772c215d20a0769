/* Socket addresses in the layouts of the ABI (struct sockaddr_in, _in6, _un, _nl), to and from those of the simulation. */
#ifndef TRACER_SOCKADDR_H
#define TRACER_SOCKADDR_H

#include "netsim/addr.h"
#include "tracer/call.h"

struct sock;

enum { SOCKADDR_MAX = 128 /* struct sockaddr_storage */, SUN_LEN_MAX = 110 };

/* As the guest gave it. */
struct rawaddr {
	uint8_t b[SOCKADDR_MAX];
	uint32_t len;
};

/* move_addr_to_kernel(): 0, -EINVAL or -EFAULT. */
int rawaddr_read(struct call *c, struct rawaddr *r, uint64_t addr, uint32_t len);
/* What r means to a socket of this family. 0 or -EINVAL: too short, or too long. An unknown family comes out as it is. */
int sockaddr_parse(int family, const struct rawaddr *r, struct netaddr *out);
uint32_t sockaddr_bytes(const struct netaddr *a, uint8_t out[SOCKADDR_MAX]); /* its length */
/* move_addr_to_user(): to addr, the length at lenp both ways. 0, -EFAULT or -EINVAL. */
int sockaddr_write(struct call *c, const struct netaddr *a, uint64_t addr, uint64_t lenp);
/* A unix path name as a C string; false: abstract or none. */
bool sockaddr_path(const struct netaddr *a, char out[UNIX_PATH_MAX + 1]);

#endif
