/* Which nodes a fault is about. */
#include "tracer/fault_effects.h"
#include "tracer/fault_engine.h"

#include "base/mem.h"

#include <string.h>

struct node *fault_find_node(const struct faults *fs, const char *name)
{
	struct sim *s = fs->s;

	for (unsigned i = 0; i < s->nnodes; i++)
		if (!strcmp(s->nodes[i]->name, name))
			return s->nodes[i];
	return NULL;
}

bool fault_takes_part(const struct faults *fs, const struct node *n)
{
	if (node_host(n)->exempt)
		return false;
	if (!n->index)
		return fs->cfg->driver;
	for (char **x = fs->cfg->exempt; x && *x; x++)
		if (!strcmp(*x, n->name))
			return false;
	return true;
}

unsigned fault_nodes_up(const struct faults *fs, struct node **out, unsigned max, bool driver)
{
	struct sim *s = fs->s;
	unsigned n = 0;

	for (unsigned i = driver ? 0 : 1; i < s->nnodes && n < max; i++)
		if (s->nodes[i]->up && fault_takes_part(fs, s->nodes[i]))
			out[n++] = s->nodes[i];
	return n;
}

bool fault_choose_node(struct faults *fs, struct fault *f, struct rng *r)
{
	struct node **v;
	unsigned n;

	if (fault_spec_text(&f->spec, "node"))
		return true;
	v = xnewn(struct node *, fs->s->nnodes);
	n = fault_nodes_up(fs, v, fs->s->nnodes, !(f->spec.kind->flags & KIND_NODES_ONLY));
	if (n)
		fault_set_nodes(f, "node", &v[rng_below(r, n)], 1);
	free(v);
	return n;
}

void fault_shuffle(struct rng *r, struct node **v, unsigned n)
{
	for (unsigned i = n; i > 1; i--) {
		unsigned j = (unsigned)rng_below(r, i);
		struct node *t = v[i - 1];
		v[i - 1] = v[j];
		v[j] = t;
	}
}

void fault_set_nodes(struct fault *f, const char *param, struct node *const *v, unsigned n)
{
	struct fault_value *val = fault_spec_value(&f->spec, param);
	struct buf b = {0};

	for (unsigned i = 0; i < n; i++)
		buf_addf(&b, "%s%s", i ? "+" : "", v[i]->name);
	fault_value_clear(val);
	val->set = n > 0;
	val->text = b.data;
}

unsigned fault_parse_nodes(const struct faults *fs, const char *text, struct node **out, unsigned max)
{
	unsigned n = 0;

	while (*text && n < max) {
		size_t len = strcspn(text, "+|");
		for (unsigned i = 0; i < fs->s->nnodes; i++) {
			struct node *nd = fs->s->nodes[i];
			if (strlen(nd->name) == len && !strncmp(nd->name, text, len))
				out[n++] = nd;
		}
		if (text[len] != '+')
			break;
		text += len + 1;
	}
	return n;
}

bool fault_is_active(const struct faults *fs, const char *kind, const struct node *n)
{
	list_each(f, &fs->all, struct fault, link)
		if (f->state == FAULT_ACTIVE && f->node == n && !strcmp(f->spec.kind->name, kind))
			return true;
	return false;
}

/* Marks who is down, or on a side of a partition that is not the largest. */
static void mark_down(const struct faults *fs, const struct fault *f, bool *down)
{
	const char *groups;
	size_t largest = 0, i = 0;

	if (!(f->spec.kind->flags & KIND_DOWN))
		return;
	if (fault_param_index(f->spec.kind, "groups", 6) < 0) {
		const char *name = fault_spec_text(&f->spec, "node");
		struct node *n = f->node ? f->node : name ? fault_find_node(fs, name) : NULL;
		if (n)
			down[n->index] = true;
		return;
	}
	groups = fault_spec_text(&f->spec, "groups");
	for (int pass = 0; pass < 2 && groups; pass++) {
		size_t g = 0, best = 0;
		for (const char *s = groups; *s; g++) {
			struct node *v[64];
			unsigned n = fault_parse_nodes(fs, s, v, ARRAY_LEN(v));
			if (!pass && n > best) {
				best = n;
				largest = g;
			}
			for (i = 0; pass && g != largest && i < n; i++)
				down[v[i]->index] = true;
			s += strcspn(s, "|");
			s += *s == '|';
		}
	}
}

unsigned fault_count_down(const struct faults *fs, const struct fault *f)
{
	bool *down = xnewn(bool, fs->s->nnodes);
	unsigned n = 0;

	list_each(o, &fs->all, struct fault, link)
		if (o->state == FAULT_ACTIVE)
			mark_down(fs, o, down);
	mark_down(fs, f, down);
	for (unsigned i = 0; i < fs->s->nnodes; i++)
		n += down[i];
	free(down);
	return n;
}
