#include "kernel/kern.h"

/* Address space only; far more than a run of many hours needs. */
#define ARENA_BYTES ((size_t)64 << 30)
/* Uptime at the first process: not zero, since programs subtract intervals from it. */
#define BOOT_NS (100 * NS_PER_S)

void kern_init(struct kern *k, uint64_t seed, enum sched_policy policy)
{
	*k = (struct kern){.arena = arena_new(ARENA_BYTES), .next_file_id = 1, .next_mm_id = 1};
	vclock_init(&k->clock, BOOT_NS);
	sched_init(&k->sched, policy, seed);
	rng_init(&k->guest_rng, seed, "guest");
	list_init(&k->proc_list);
	list_init(&k->mqueues);
}

void kern_clear(struct kern *k)
{
	map_clear(&k->procs);
	map_clear(&k->threads);
	map_clear(&k->futexes);
	map_clear(&k->aliases);
	map_clear(&k->ttys);
	map_clear(&k->watched);
	vclock_clear(&k->clock);
	sched_clear(&k->sched);
	arena_free_all(k->arena);
	*k = (struct kern){0};
}
