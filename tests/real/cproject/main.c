#include "base/arena.h"
#include "base/buf.h"
#include "base/rng.h"

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	struct rng r;

	rng_init(&r, 42, "project");
	printf("%" PRIu64 " at %s\n", rng_below(&r, 1000000), "no time");
	return 0;
}
