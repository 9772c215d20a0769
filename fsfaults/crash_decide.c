/* What is lost, by policy: one decision for each operation that is at stake. crash.c carries them out. */
#include "fsfaults/crash.h"

#include "base/err.h"
#include "base/mem.h"

const char *disk_policy_name(enum disk_policy p)
{
	static const char *const names[] = {
		[DISK_NONE_LOST] = "none-lost",	      [DISK_ALL_LOST] = "all-lost",	    [DISK_PREFIX] = "prefix",
		[DISK_EXT4_ORDERED] = "ext4-ordered", [DISK_POSIX_RANDOM] = "posix-random", [DISK_ADVERSARY] = "adversary",
	};

	return names[p];
}

enum disk_policy disk_policy_draw(enum disk_profile p, struct rng *r)
{
	/* Often what finds most; all-lost is what happens when nothing was written back in the last seconds. */
	static const enum disk_policy journaled[] = {DISK_ALL_LOST,	DISK_ALL_LOST,	   DISK_PREFIX,	   DISK_EXT4_ORDERED,
						     DISK_EXT4_ORDERED, DISK_EXT4_ORDERED, DISK_NONE_LOST, DISK_PREFIX};
	static const enum disk_policy any[] = {DISK_ALL_LOST,	  DISK_ALL_LOST, DISK_PREFIX,	 DISK_POSIX_RANDOM, DISK_POSIX_RANDOM,
					       DISK_POSIX_RANDOM, DISK_PREFIX,	 DISK_ADVERSARY, DISK_ADVERSARY,    DISK_NONE_LOST};

	return p == DISK_POSIX ? any[rng_below(r, ARRAY_LEN(any))] : journaled[rng_below(r, ARRAY_LEN(journaled))];
}

static void keep(struct disk_loss *l)
{
	l->meta = true;
	l->by_page = false;
	l->from = 0;
	l->to = l->op->len;
}

static void lose(struct disk_loss *l)
{
	l->meta = false;
	l->by_page = false;
	l->from = l->to = 0;
}

/* The first or the last bytes of a write, cut at a sector of the disk. */
static void tear(struct disk_loss *l, struct rng *r, bool tail, unsigned grain)
{
	uint64_t first = l->op->off / grain, last = (l->op->off + l->op->len - 1) / grain, cut;

	lose(l);
	if (first == last)
		return; /* sectors are written as a whole */
	cut = (first + 1 + rng_below(r, last - first)) * grain - l->op->off;
	l->from = tail ? cut : 0;
	l->to = tail ? l->op->len : cut;
	l->meta = true;
	l->size_with_data = !tail && rng_below(r, 2);
}

/* ---- prefix ---- */

static void decide_prefix(struct disk_crash *c)
{
	uint64_t cut = c->pick >= 0 ? (uint64_t)c->pick : rng_below(c->rng, c->nloss + 1);

	for (uint64_t i = 0; i < c->nloss; i++)
		if (i < cut)
			keep(&c->loss[i]);
		else if (i == cut && c->loss[i].op->kind == DISK_WRITE && c->loss[i].op->len && c->pick < 0 && rng_below(c->rng, 2))
			tear(&c->loss[i], c->rng, false, DISK_SECTOR);
		else
			lose(&c->loss[i]);
}

/* ---- ext4-ordered ---- */

/* Writes that made this file longer and are committed no later than `cut`: as many as were written back, and a part of one. */
static void decide_appends(struct disk_crash *c, const struct disk_file *f, uint64_t cut)
{
	uint64_t n = 0, whole, seen = 0;

	for (size_t i = 0; i < MIN(cut, c->nloss); i++)
		n += c->loss[i].op->file == f && c->loss[i].op->kind == DISK_WRITE && c->loss[i].op->resizes;
	whole = rng_below(c->rng, n + 1);
	for (size_t i = 0; i < c->nloss; i++) {
		struct disk_loss *l = &c->loss[i];
		if (l->op->file != f || l->op->kind != DISK_WRITE || !l->op->resizes)
			continue;
		lose(l);
		if (seen < whole && i < cut) {
			keep(l);
		} else if (seen == whole && i < cut && rng_below(c->rng, 2)) {
			tear(l, c->rng, false, DISK_PAGE);
			l->size_with_data = true;
		}
		seen++;
	}
}

static void decide_ext4(struct disk *d, struct disk_crash *c)
{
	uint64_t cut = rng_below(c->rng, c->nloss + 1);

	for (size_t i = 0; i < c->nloss; i++) {
		struct disk_loss *l = &c->loss[i];
		lose(l);
		if (l->op->kind != DISK_WRITE) {
			if (i < cut)
				keep(l);
		} else {
			l->by_page = !l->op->resizes;
		}
	}
	list_each(f, &d->files, struct disk_file, link)
		if (!list_empty(&f->ops))
			decide_appends(c, f, cut);
	/* auto_da_alloc: what takes another file's place is written before the rename is committed. */
	for (size_t i = 0; i < MIN(cut, c->nloss) && d->profile == DISK_EXT4; i++) {
		const struct disk_op *op = c->loss[i].op;
		if (op->kind == DISK_NAMES && op->replaces)
			for (size_t k = 0; k < i; k++)
				if (c->loss[k].op->file && c->loss[k].op->file->id == op->change[op->nchanges - 1].after)
					keep(&c->loss[k]);
	}
}

/* ---- posix-random ---- */

/* Sizes of one file: up to some change, and none after it. */
static void decide_sizes(struct disk_crash *c, const struct disk_file *f)
{
	uint64_t n = 0, upto;

	for (size_t i = 0; i < c->nloss; i++)
		n += c->loss[i].op->file == f && (c->loss[i].op->resizes || c->loss[i].op->kind == DISK_PUNCH);
	upto = rng_below(c->rng, n + 1);
	n = 0;
	for (size_t i = 0; i < c->nloss; i++) {
		struct disk_loss *l = &c->loss[i];
		if (l->op->file != f)
			continue;
		if (l->op->resizes || l->op->kind == DISK_PUNCH)
			l->meta = n++ < upto;
		l->by_page = l->op->kind == DISK_WRITE;
		l->to = l->by_page || !l->meta ? 0 : l->op->len;
	}
}

static void decide_random(struct disk *d, struct disk_crash *c)
{
	uint64_t lost = 1 + rng_below(c->rng, 3); /* of four */

	for (size_t i = 0; i < c->nloss; i++) {
		lose(&c->loss[i]);
		if (c->loss[i].op->kind == DISK_NAMES && rng_below(c->rng, 4) >= lost)
			keep(&c->loss[i]);
	}
	list_each(f, &d->files, struct disk_file, link)
		if (!list_empty(&f->ops))
			decide_sizes(c, f);
	c->garbage = !rng_below(c->rng, 4);
}

/* ---- adversary ---- */

static bool touches_pages(const struct map *pages, const struct disk_op *op)
{
	for (uint64_t i = op->off / DISK_PAGE; i <= (op->off + op->len - 1) / DISK_PAGE; i++)
		if (map_get(pages, i))
			return true;
	return false;
}

static void add_pages(struct map *pages, const struct disk_op *op)
{
	for (uint64_t i = op->off / DISK_PAGE; i <= (op->off + op->len - 1) / DISK_PAGE; i++)
		map_put(pages, i, pages);
}

/* No page has a later write without an earlier one. */
static void lose_later(struct disk_crash *c, uint64_t target)
{
	const struct disk_op *t = c->loss[target].op;
	struct map pages = {0};

	if (t->kind != DISK_WRITE || !t->len)
		return;
	add_pages(&pages, t);
	for (size_t i = target + 1; i < c->nloss; i++) {
		struct disk_loss *l = &c->loss[i];
		if (l->op->file != t->file || l->op->kind != DISK_WRITE || !l->op->len || !touches_pages(&pages, l->op))
			continue;
		l->from = l->to = 0;
		add_pages(&pages, l->op);
	}
	map_clear(&pages);
}

static void keep_earlier(struct disk_crash *c, uint64_t target)
{
	const struct disk_op *t = c->loss[target].op;
	struct map pages = {0};

	if (t->kind != DISK_WRITE || !t->len)
		return;
	add_pages(&pages, t);
	for (size_t i = target; i-- > 0;) {
		struct disk_loss *l = &c->loss[i];
		if (l->op->file != t->file || l->op->kind != DISK_WRITE || !l->op->len || !touches_pages(&pages, l->op))
			continue;
		keep(l);
		add_pages(&pages, l->op);
	}
	map_clear(&pages);
}

/* The target is not there, nor is what later went to the same pages, or the sizes after its own. */
static void lose_one(struct disk_crash *c, uint64_t target)
{
	struct disk_loss *t = &c->loss[target];
	uint64_t how = c->pick >= 0 ? 0 : rng_below(c->rng, 4);

	for (size_t i = 0; i < c->nloss; i++)
		keep(&c->loss[i]);
	if (t->op->kind == DISK_WRITE && t->op->len && how == 1) {
		tear(t, c->rng, false, DISK_SECTOR);
	} else if (t->op->kind == DISK_WRITE && t->op->len && how == 2) {
		tear(t, c->rng, true, DISK_SECTOR);
	} else {
		lose(t);
		t->meta = how == 3 && t->op->kind == DISK_WRITE; /* its size is there, its data are not */
	}
	for (size_t i = target + 1; i < c->nloss; i++) {
		struct disk_loss *l = &c->loss[i];
		if (!t->meta && t->op->resizes && l->op->file == t->op->file && l->op->resizes)
			lose(l);
	}
	lose_later(c, target);
}

static void decide_adversary(struct disk_crash *c)
{
	uint64_t n = c->nloss, pick = c->pick >= 0 ? (uint64_t)c->pick % (2 * n) : rng_below(c->rng, 2 * n);

	if (pick < n) {
		lose_one(c, pick);
		return;
	}
	for (size_t i = 0; i < n; i++)
		lose(&c->loss[i]);
	keep(&c->loss[pick - n]);
	keep_earlier(c, pick - n);
}

void disk_decide(struct disk *d, struct disk_crash *c)
{
	switch (c->nloss ? c->policy : DISK_NONE_LOST) {
	case DISK_NONE_LOST:
	case DISK_ALL_LOST:
		for (size_t i = 0; i < c->nloss; i++)
			(c->policy == DISK_NONE_LOST ? keep : lose)(&c->loss[i]);
		break;
	case DISK_PREFIX:
		decide_prefix(c);
		break;
	case DISK_EXT4_ORDERED:
		decide_ext4(d, c);
		break;
	case DISK_POSIX_RANDOM:
		decide_random(d, c);
		break;
	case DISK_ADVERSARY:
		decide_adversary(c);
		break;
	case DISK_POLICIES:
		BUG("no policy");
	}
	for (size_t i = 0; i < c->nloss; i++)
		if (c->loss[i].op->failed)
			lose(&c->loss[i]);
}

uint64_t disk_crash_states(const struct disk *d, unsigned owner, enum disk_policy p)
{
	uint64_t n = 0;

	list_each(op, &d->ops, struct disk_op, in_all)
		n += op->owner == owner;
	if (p == DISK_PREFIX)
		return n + 1;
	return p == DISK_ADVERSARY ? 2 * n : 1;
}
