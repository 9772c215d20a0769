/* The plan as it was applied, and what came of each fault. */
#include "tracer/fault_engine.h"
#include "tracer/syscalls.h"

#include "base/mem.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

static bool had_effect(const struct fault *f)
{
	for (int i = 0; i < EFFECTS; i++)
		if (f->effect[i])
			return true;
	return false;
}

static json_t *fault_json(const struct faults *fs, const struct fault *f)
{
	json_t *j = fault_spec_json(&f->spec), *effect = json_object();

	json_object_set_new(j, "applied", json_integer(f->applied));
	if (f->spec.matches && f->spec.at_ns == VCLOCK_NEVER)
		json_object_set_new(j, "seen", json_integer((json_int_t)f->seen));
	if (f->suppressed)
		json_object_set_new(j, "suppressed", json_string(f->suppressed));
	if (f->first_ns >= 0)
		json_object_set_new(j, "first_ns", json_integer(f->first_ns - fs->origin_ns));
	for (int i = 0; i < EFFECTS; i++)
		if (f->effect[i])
			json_object_set_new(effect, fault_effect_name((enum fault_effect)i), json_integer((json_int_t)f->effect[i]));
	json_object_set_new(j, "effect", effect);
	if (!had_effect(f))
		json_object_set_new(j, "without_effect", json_true());
	return j;
}

static json_t *notify_json(const struct faults *fs)
{
	json_t *list = json_array();

	for (long nr = 0; nr < SYSROW_MAX; nr++) {
		const struct sysrow *r = sysrow_get(nr);
		if (r && callset_has(&fs->notify, nr) && (r->cls == CLS_NATIVE || r->argf))
			json_array_append_new(list, json_string(r->name));
	}
	return list;
}

void fault_plan_json(const struct sim *s, struct buf *out)
{
	const struct faults *fs = s->faults;
	json_t *j = json_object(), *list = json_array();
	char *text;

	json_object_set_new(j, "version", json_integer(1));
	json_object_set_new(j, "seed", s->cfg->seed <= INT64_MAX ? json_integer((json_int_t)s->cfg->seed) :
								   json_sprintf("%" PRIu64, s->cfg->seed));
	if (fs) {
		fault_config_scope_json(fs->cfg, j);
		json_object_set_new(j, "notify", notify_json(fs));
		list_each(f, &fs->all, struct fault, link)
			json_array_append_new(list, fault_json(fs, f));
	}
	json_object_set_new(j, "faults", list);
	text = json_dumps(j, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	buf_adds(out, text ? text : "{}");
	buf_addc(out, '\n');
	free(text);
	json_decref(j);
}

void fault_summary(const struct sim *s, struct buf *kinds, struct buf *idle)
{
	const struct faults *fs = s->faults;

	if (!fs)
		return;
	for (unsigned i = 0; i < fault_nkinds(); i++) {
		unsigned applied = 0, effective = 0;
		list_each(f, &fs->all, struct fault, link)
			if (f->spec.kind == &fault_kinds[i] && f->applied) {
				applied++;
				effective += had_effect(f);
			}
		if (applied)
			buf_addf(kinds, "%s %u %u\n", fault_kinds[i].name, applied, effective);
	}
	list_each(f, &fs->all, struct fault, link)
		if (!had_effect(f))
			buf_addf(idle, "%s%s\n", f->spec.id, f->suppressed ? " (suppressed)" : f->applied ? "" : " (never came to it)");
}
