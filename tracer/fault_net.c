/* Faults of the network: which links, and what is done there. The doing is netsim/link.c's. */
#include "tracer/fault_effects.h"
#include "tracer/fault_engine.h"

#include "base/mem.h"
#include "netsim/link.h"

#include <stdlib.h>
#include <string.h>

enum { SPEC_HALVES, SPEC_ISOLATE, SPEC_RING, SPEC_BRIDGE };

/* One fault's hold on the network: f->priv. */
struct hold {
	struct link_fault link;
	struct fault *f;
	enum { BY_GROUP, BY_ORDER, BY_END } how;
	const char *groups, *order;       /* of the fault's settings */
	const char *from, *to, *nodes;    /* NULL: not given */
	unsigned named;                   /* names in `order` or `nodes` */
	int *place;                       /* by node, see place_by_name(); made as nodes turn up */
	unsigned nplaces;
};

/* ---- choosing ---- */

static bool shuffled(struct faults *fs, struct rng *r, struct node ***v, unsigned *n)
{
	*v = xnewn(struct node *, fs->s->nnodes);
	*n = fault_nodes_up(fs, *v, fs->s->nnodes, fs->cfg->driver);
	fault_shuffle(r, *v, *n);
	return *n >= 2;
}

static void set_groups(struct fault *f, struct node *const *v, unsigned n, unsigned first)
{
	struct fault_value *val = fault_spec_value(&f->spec, "groups");
	struct buf b = {0};

	for (unsigned i = 0; i < n; i++)
		buf_addf(&b, "%s%s", i == 0 ? "" : i == first ? "|" : "+", v[i]->name);
	fault_value_clear(val);
	val->set = true;
	val->text = b.data;
}

bool fault_choose_groups(struct faults *fs, struct fault *f, struct rng *r)
{
	struct node **v;
	unsigned n;
	bool ok;

	if (fault_spec_text(&f->spec, "groups"))
		return true;
	if (fault_spec_text(&f->spec, "nodes")) {
		v = xnewn(struct node *, fs->s->nnodes);
		n = fault_parse_nodes(fs, fault_spec_text(&f->spec, "nodes"), v, fs->s->nnodes);
		ok = n >= 2;
	} else {
		ok = shuffled(fs, r, &v, &n);
	}
	if (!ok) {
		free(v);
		return false;
	}
	switch (fault_spec_number(&f->spec, "spec")) {
	case SPEC_ISOLATE:
		set_groups(f, v, n, 1);
		break;
	case SPEC_RING:
	case SPEC_BRIDGE:
		if (n >= 3) {
			fault_set_nodes(f, "nodes", v, n);
			break;
		}
		/* fall through */
	default:
		set_groups(f, v, n, n / 2);
	}
	free(v);
	return true;
}

/* Drawn: all links of a node, or one direction between two. */
bool fault_choose_ends(struct faults *fs, struct fault *f, struct rng *r)
{
	struct node **v;
	unsigned n;

	if (fault_spec_text(&f->spec, "from") || fault_spec_text(&f->spec, "to") || fault_spec_text(&f->spec, "nodes"))
		return true;
	if (!shuffled(fs, r, &v, &n)) {
		free(v);
		return false;
	}
	if (strcmp(f->spec.kind->name, "cut") && rng_below(r, 2)) {
		fault_set_nodes(f, "nodes", v, 1);
	} else {
		fault_set_nodes(f, "from", v, 1);
		fault_set_nodes(f, "to", v + 1, 1);
	}
	free(v);
	return true;
}

bool fault_choose_some(struct faults *fs, struct fault *f, struct rng *r)
{
	struct node **v;
	unsigned n;
	bool ok;

	if (fault_spec_text(&f->spec, "nodes"))
		return true;
	ok = shuffled(fs, r, &v, &n);
	if (ok)
		fault_set_nodes(f, "nodes", v, 1 + (unsigned)rng_below(r, n));
	free(v);
	return ok;
}

/* ---- which links ---- */

/* Where the name stands among those of the text, and in which group; false: nowhere. */
static bool find_name(const char *text, const char *name, int *nth, int *group)
{
	size_t len = strlen(name);

	*nth = *group = 0;
	while (text && *text) {
		size_t n = strcspn(text, "+|");
		if (n == len && !strncmp(text, name, n))
			return true;
		++*nth;
		*group += text[n] == '|';
		text += n + (text[n] != 0);
	}
	return false;
}

static unsigned count_names(const char *text)
{
	unsigned n = text && *text;

	for (; text && *text; text++)
		n += *text == '+' || *text == '|';
	return n;
}

enum { IN_FROM = 1, IN_TO = 2, IN_NODES = 4, TAKES_PART = 8 };

/* BY_GROUP: its group, BY_ORDER: its place; -1: it is not concerned. BY_END: the bits above. */
static int place_by_name(const struct hold *h, const struct node *n)
{
	int nth, group, bits;

	if (h->how == BY_GROUP)
		return find_name(h->groups, n->name, &nth, &group) ? group : -1;
	if (h->how == BY_ORDER)
		return find_name(h->order, n->name, &nth, &group) ? nth : -1;
	bits = fault_takes_part(h->f->fs, n) ? TAKES_PART : 0;
	if (find_name(h->from, n->name, &nth, &group))
		bits |= IN_FROM;
	if (find_name(h->to, n->name, &nth, &group))
		bits |= IN_TO;
	if (find_name(h->nodes, n->name, &nth, &group))
		bits |= IN_NODES;
	return bits;
}

static int place_of(const struct link_fault *lf, const struct node *n)
{
	struct hold *h = lf->ctx;
	unsigned i = n ? n->index : 0;

	while (i >= h->nplaces) {
		h->place = xrealloc(h->place, (h->nplaces + 1) * sizeof *h->place);
		h->place[h->nplaces] = place_by_name(h, h->f->fs->s->nodes[h->nplaces]);
		h->nplaces++;
	}
	return h->place[i];
}

static bool between_groups(const struct link_fault *lf, const struct node *from, const struct node *to)
{
	int a = place_of(lf, from), b = place_of(lf, to);

	return a >= 0 && b >= 0 && a != b;
}

/* Every node reaches a majority, and no two the same one (Jepsen's majorities-ring). */
static bool across_ring(const struct link_fault *lf, const struct node *from, const struct node *to)
{
	const struct hold *h = lf->ctx;
	int a = place_of(lf, from), b = place_of(lf, to), n = (int)h->named, majority = n / 2 + 1, d;

	if (a < 0 || b < 0)
		return false;
	d = abs(a - b);
	d = MIN(d, n - d);
	/* Of three, each pair are neighbours: the ring is cut at one place. */
	return n == 3 ? abs(a - b) == 2 : d > majority / 2;
}

/* The first one reaches all; the others are halves that reach only it. */
static bool beside_bridge(const struct link_fault *lf, const struct node *from, const struct node *to)
{
	const struct hold *h = lf->ctx;
	int a = place_of(lf, from), b = place_of(lf, to), half = ((int)h->named - 1) / 2;

	return a > 0 && b > 0 && (a <= half) != (b <= half);
}

/* From the senders to the receivers; or, of one node, all its links, or, of several, those between them. */
static bool on_links(const struct link_fault *lf, const struct node *from, const struct node *to)
{
	const struct hold *h = lf->ctx;
	int a = place_of(lf, from), b = place_of(lf, to);

	if (h->nodes && h->named == 1)
		return ((a & IN_NODES) && (b & (TAKES_PART | IN_NODES))) || ((b & IN_NODES) && (a & (TAKES_PART | IN_NODES)));
	if (h->nodes)
		return (a & IN_NODES) && (b & IN_NODES);
	return (h->from ? a & IN_FROM : a & TAKES_PART) && (h->to ? b & IN_TO : b & TAKES_PART);
}

static struct hold *hold_new(struct fault *f)
{
	struct hold *h = xnew(struct hold);

	h->f = f;
	h->link.ctx = h;
	h->link.rng = &f->rng;
	return h;
}

static void hold_ends(struct hold *h, const char *from, const char *to, const char *nodes)
{
	h->how = BY_END;
	h->from = from;
	h->to = to;
	h->nodes = nodes;
	h->named = count_names(nodes);
	h->link.covers = on_links;
}

/* ---- beginning and end ---- */

static void put(struct faults *fs, struct hold *h, enum link_does does, enum fault_effect effect)
{
	h->link.does = does;
	h->link.count = &h->f->effect[effect];
	link_fault_add(fs->s->net, &h->link);
}

static void drop(struct faults *fs, struct hold *h)
{
	link_fault_remove(fs->s->net, &h->link);
	free(h->place);
	free(h);
}

bool fault_partition_start(struct faults *fs, struct fault *f)
{
	struct hold *h = hold_new(f);

	h->groups = fault_spec_text(&f->spec, "groups");
	h->order = fault_spec_text(&f->spec, "nodes");
	h->how = h->groups ? BY_GROUP : BY_ORDER;
	h->named = count_names(h->order);
	if (h->groups)
		h->link.covers = between_groups;
	else
		h->link.covers = fault_spec_number(&f->spec, "spec") == SPEC_RING ? across_ring : beside_bridge;
	f->priv = h;
	put(fs, h, LINK_CUTS, EFFECT_PACKETS_DROPPED);
	return true;
}

static const struct {
	const char *kind;
	enum link_does does;
	enum fault_effect effect;
} links[] = {
	{"cut", LINK_CUTS, EFFECT_PACKETS_DROPPED},
	{"clog", LINK_CLOGS, EFFECT_PACKETS_HELD},
	{"slow-link", LINK_DELAYS, EFFECT_PACKETS_DELAYED},
	{"loss", LINK_LOSES, EFFECT_PACKETS_DROPPED},
	{"duplicate", LINK_DUPLICATES, EFFECT_PACKETS_DUPLICATED},
	{"reorder", LINK_REORDERS, EFFECT_PACKETS_REORDERED},
	{"corrupt", LINK_CORRUPTS, EFFECT_PACKETS_CORRUPTED},
	{"syn-drop", LINK_LOSES_SYN, EFFECT_PACKETS_DROPPED},
	{"reset", LINK_RESETS, EFFECT_CONNECTIONS_RESET},
};

static bool has(const struct fault *f, const char *param)
{
	return fault_param_index(f->spec.kind, param, strlen(param)) >= 0;
}

static int64_t number(const struct fault *f, const char *param, int64_t otherwise)
{
	return has(f, param) ? fault_spec_number(&f->spec, param) : otherwise;
}

static struct hold *on_chosen_links(struct fault *f)
{
	struct hold *h = hold_new(f);

	hold_ends(h, fault_spec_text(&f->spec, "from"), fault_spec_text(&f->spec, "to"), fault_spec_text(&f->spec, "nodes"));
	h->link.chance = (uint32_t)number(f, "p", 1000000);
	h->link.delay_ns = number(f, "delay", 0);
	h->link.jitter_ns = number(f, "jitter", 0);
	h->link.bytes_per_s = (uint64_t)number(f, "rate", 0);
	h->link.bytes = (uint64_t)number(f, "bytes", 0);
	h->link.left = (uint64_t)number(f, "count", 0);
	return h;
}

bool fault_link_start(struct faults *fs, struct fault *f)
{
	struct hold *h = on_chosen_links(f);

	f->priv = h;
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		if (!strcmp(links[i].kind, f->spec.kind->name))
			put(fs, h, links[i].does, links[i].effect);
	/* At once: those that stand. Else each when it has carried so many bytes. */
	if (h->link.does == LINK_RESETS && !h->link.bytes) {
		link_reset_connections(fs->s->net, &h->link, (unsigned)h->link.left);
		h->link.left = 0;
	}
	return true;
}

void fault_link_stop(struct faults *fs, struct fault *f)
{
	drop(fs, f->priv);
	f->priv = NULL;
}

/* ---- swizzle: nodes are clogged one after the other, and set free in another order ---- */

struct swizzle {
	struct timer timer;
	struct fault *f;
	unsigned n, step; /* 0 … n-1: the next is clogged; n … 2n-1: one is set free */
	struct node **node;
	struct hold **hold;
	unsigned *order;  /* of being set free */
};

static void swizzle_step(struct timer *t);

static void swizzle_next(struct swizzle *z)
{
	struct faults *fs = z->f->fs;
	int64_t each = fault_spec_number(&z->f->spec, "for") / (2 * z->n + 1);

	if (++z->step < 2 * z->n)
		timer_arm(&fs->s->kern.clock, &z->timer, vclock_add(fault_now(fs), MAX(each, (int64_t)1)), swizzle_step);
}

static void swizzle_step(struct timer *t)
{
	struct swizzle *z = container_of(t, struct swizzle, timer);
	struct faults *fs = z->f->fs;

	if (z->step < z->n) {
		struct hold *h = z->hold[z->step] = hold_new(z->f);
		hold_ends(h, NULL, NULL, z->node[z->step]->name);
		put(fs, h, LINK_CLOGS, EFFECT_PACKETS_HELD);
	} else {
		unsigned i = z->order[z->step - z->n];
		drop(fs, z->hold[i]);
		z->hold[i] = NULL;
	}
	swizzle_next(z);
}

bool fault_swizzle_start(struct faults *fs, struct fault *f)
{
	struct swizzle *z = xnew(struct swizzle);

	z->f = f;
	z->node = xnewn(struct node *, fs->s->nnodes);
	z->n = fault_parse_nodes(fs, fault_spec_text(&f->spec, "nodes"), z->node, fs->s->nnodes);
	z->hold = xnewn(struct hold *, z->n + 1);
	z->order = xnewn(unsigned, z->n + 1);
	for (unsigned i = 0; i < z->n; i++)
		z->order[i] = i;
	for (unsigned i = z->n; i > 1; i--) {
		unsigned j = (unsigned)rng_below(&f->rng, i), tmp = z->order[i - 1];
		z->order[i - 1] = z->order[j];
		z->order[j] = tmp;
	}
	f->priv = z;
	if (!z->n || fault_spec_number(&f->spec, "for") == VCLOCK_NEVER) {
		fault_swizzle_stop(fs, f);
		return false;
	}
	swizzle_step(&z->timer);
	return true;
}

void fault_swizzle_stop(struct faults *fs, struct fault *f)
{
	struct swizzle *z = f->priv;

	timer_cancel(&fs->s->kern.clock, &z->timer);
	for (unsigned i = 0; i < z->n; i++)
		if (z->hold[i])
			drop(fs, z->hold[i]);
	free(z->node);
	free(z->hold);
	free(z->order);
	free(z);
	f->priv = NULL;
}
