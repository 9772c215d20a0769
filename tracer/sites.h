/*
 * Counting sites: places in loops that wait for another thread and change something on the way, so that they cannot be told
 * from computing by their state (spin.h). A thread that passes such a place often enough without a call gives way, by an
 * exact count (count.h).
 *
 * Which places those are is found once, by a watchdog of real time (wait_site.h), noted in .simrun/sites.json, and is from
 * then on part of what a run is told: it is in the header of every run, and a replay takes it from there.
 */
#ifndef TRACER_SITES_H
#define TRACER_SITES_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct site {
	uint64_t digest; /* XXH3 of the file; of generated code: of the program that made it */
	uint64_t size;   /* of that file */
	uint64_t offset; /* in the file; of generated code: the address */
	bool generated;
	char file[64];   /* its name, for people */
};

enum { SITES_MAX = 64 };

struct sites {
	struct site v[SITES_MAX];
	size_t n;
};

bool sites_have(const struct sites *l, const struct site *site);
/* False: it is there already, or there is no room. */
bool sites_add(struct sites *l, const struct site *site);
json_t *sites_json(const struct sites *l);
int sites_from_json(struct sites *l, const json_t *j, struct err *e);

/* The file of the launch directory. One that is not there is empty. */
int sites_load(struct sites *l, struct err *e);
/* Adds a site to the file, which others may have written meanwhile. */
int sites_note(const struct site *site, struct err *e);

/* The digest and size of the regular file behind fd. */
bool site_file(int fd, uint64_t *digest, uint64_t *size);

#endif
