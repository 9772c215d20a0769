/*
 * What a seed injects. Swarm: of the kinds that a preset names a seed draws some, and how often each of them happens, over
 * four orders of magnitude, since nobody knows how long a script runs; and how many there will be at most, so that a script
 * comes to its end. What somebody gives a rate happens at that rate, to the end.
 */
#include "tracer/fault_engine.h"

#include "base/mem.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct {
	unsigned percent;   /* of the kinds are on */
	int64_t from, to;   /* mean interval */
	unsigned most;      /* faults of one kind */
} presets[] = {
	[LEVEL_LIGHT] = {40, 200 * NS_PER_MS, 200 * NS_PER_S, 2},
	[LEVEL_DEFAULT] = {30, 20 * NS_PER_MS, 100 * NS_PER_S, 4},
	[LEVEL_HEAVY] = {60, 5 * NS_PER_MS, 20 * NS_PER_S, 16},
};

static void decide_kind(struct faults *fs, unsigned index, const char *stream)
{
	const struct fault_kind *k = &fault_kinds[index];
	const struct fault_setting *set = &fs->cfg->kind[index];
	enum fault_level level = fs->cfg->preset == LEVEL_NONE ? LEVEL_DEFAULT : fs->cfg->preset;
	bool preset = fs->cfg->preset != LEVEL_NONE && k->level != LEVEL_NONE && k->level <= fs->cfg->preset && !set->off;
	struct generator *g = &fs->gen[fs->ngen];

	rng_init(&g->rng, fs->s->cfg->seed, stream);
	/* Drawn in any case: what a kind is asked for does not change when it happens. */
	bool lucky = rng_below(&g->rng, 100) < presets[level].percent;
	int64_t interval = draw_magnitude(&g->rng, presets[level].from, presets[level].to);
	unsigned left = 1 + (unsigned)rng_below(&g->rng, presets[level].most);

	if (!set->on && !(preset && (lucky || fs->cfg->steady)))
		return;
	g->kind = k;
	g->set = set;
	g->interval_ns = set->interval_ns ? set->interval_ns : interval;
	g->left = k->flags & KIND_FOR_RUN ? 1 : set->interval_ns ? UINT_MAX : left;
	g->next_ns = VCLOCK_NEVER;
	fs->ngen++;
}

void fault_decide(struct faults *fs)
{
	char stream[64];

	if (fs->cfg->is_plan)
		return;
	for (unsigned i = 0; i < fault_nkinds(); i++) {
		snprintf(stream, sizeof stream, "faults:%s", fault_kinds[i].name);
		decide_kind(fs, i, stream);
	}
}

static void plan_next(struct faults *fs, struct generator *g)
{
	g->next_ns = g->left ? vclock_add(fault_now(fs), 1 + rng_exp(&g->rng, g->interval_ns)) : VCLOCK_NEVER;
}

void fault_begin_drawing(struct faults *fs)
{
	fs->drawing = true;
	for (unsigned i = 0; i < fs->ngen; i++) {
		plan_next(fs, &fs->gen[i]);
		if (fs->gen[i].kind->flags & KIND_FOR_RUN)
			fs->gen[i].next_ns = fault_now(fs);
	}
	fault_reckon(fs);
}

/* ---- one fault ---- */

static int64_t draw_number(const struct fault_param *p, const struct fault_setting *set, int i, struct rng *r)
{
	int64_t from = set->param[i].set ? set->param[i].lo.n : p->from, to = set->param[i].set ? set->param[i].hi.n : p->to;

	if (p->type == FV_WORD && !set->param[i].set)
		return (int64_t)rng_below(r, (uint64_t)to + 1);
	if (from == to)
		return from;
	if (from <= 0)
		return rng_range(r, from, to);
	return draw_magnitude(r, from, to);
}

/* What can be of either sign is drawn as a magnitude; the table's ranges are positive. */
static bool has_sign(const struct fault_param *p, const struct fault_setting *set, int i)
{
	return !set->param[i].set && p->min < 0 && p->from > 0;
}

static void draw_params(struct generator *g, struct fault_spec *spec)
{
	for (int i = 0; g->kind->params[i].name; i++) {
		const struct fault_param *p = &g->kind->params[i];
		struct fault_value *v = &spec->val[i];
		if (fault_value_is_text(p->type)) {
			if (g->set->param[i].set)
				fault_value_copy(v, &g->set->param[i].lo);
			continue;
		}
		if (!g->set->param[i].set && !p->from && !p->to)
			continue;
		v->set = true;
		v->n = draw_number(p, g->set, i, &g->rng);
		if (has_sign(p, g->set, i) && rng_below(&g->rng, 2))
			v->n = -v->n;
	}
}

void fault_draw(struct faults *fs, struct generator *g)
{
	struct fault_spec spec = {.kind = g->kind, .at_ns = g->next_ns - fs->origin_ns,
				  .matches = g->kind->flags & KIND_CALL, .when = {1, UINT64_MAX, 1}};
	struct fault *f;
	struct err e = {0};

	snprintf(spec.id, sizeof spec.id, "%s-%u", g->kind->name, g->made + 1);
	if (g->kind->calls && callset_parse(g->kind->calls, &spec.set, &e) < 0)
		BUG("the calls of %s: %s", g->kind->name, e.msg);
	draw_params(g, &spec);
	f = fault_new(fs, &spec);
	fault_spec_clear(&spec);
	/* Nobody to do it to: it is as if it had not been drawn. */
	if ((g->kind->choose && !g->kind->choose(fs, f, &g->rng)) ||
	    (fs->cfg->max_down && fault_count_down(fs, f) > fs->cfg->max_down)) {
		fault_discard(f);
		plan_next(fs, g);
		return;
	}
	g->made++;
	if (g->left != UINT_MAX)
		g->left--;
	fault_start(fs, f);
	plan_next(fs, g);
}
