/* Sites of guests' own code that ask whether to misbehave. */
#include "tracer/fault_effects.h"
#include "tracer/fault_engine.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

bool fault_buggify_start(struct faults *fs, struct fault *f)
{
	return true; /* looked at when a site asks */
}

void fault_buggify_stop(struct faults *fs, struct fault *f)
{
}

/* Whether a site is among those that misbehave at all: by its name, however often and in what order sites ask. */
static bool is_live(const struct fault *f, const char *site)
{
	char stream[320];
	struct rng r;

	snprintf(stream, sizeof stream, "%s site %.200s", f->spec.id, site);
	rng_init(&r, f->fs->s->cfg->seed, stream);
	return (int64_t)rng_below(&r, 1000000) < fault_spec_number(&f->spec, "sites");
}

bool fault_buggify(struct sim *s, struct node *n, const char *site)
{
	struct faults *fs = s->faults;

	if (!fs || fault_forbidden(fs))
		return false;
	list_each(f, &fs->all, struct fault, link)
		if (f->state == FAULT_ACTIVE && !strcmp(f->spec.kind->name, "buggify") && is_live(f, site) &&
		    (int64_t)rng_below(&f->rng, 1000000) < fault_spec_number(&f->spec, "p")) {
			fault_did(f, EFFECT_SITES_FIRED, 1);
			return true;
		}
	return false;
}
