#include "fsfaults/crash.h"

#include "base/err.h"
#include "base/mem.h"

#include <string.h>

/*
 * A page that writes of the node went to, n of them. Up to v1 it is there as a whole; where the write of a later version, v2,
 * was under way, the sectors in the mask have that.
 */
struct page {
	uint64_t index;
	unsigned n, seen, v1, v2;
	uint8_t mask;
	struct page *next;
};

struct pages {
	struct map by_index;
	struct page *all;
};

static struct disk_loss *loss_of(struct disk_crash *c, const struct disk_op *op)
{
	return op->fate ? &c->loss[op->fate - 1] : NULL;
}

/* ---- versions of pages ---- */

static void each_page(struct disk *d, struct pages *ps, const struct disk_op *op)
{
	if (!op->len)
		return;
	for (uint64_t i = op->off / DISK_PAGE; i <= (op->off + op->len - 1) / DISK_PAGE; i++) {
		struct page *p = map_get(&ps->by_index, i);
		if (!p) {
			p = arena_new_of(d->arena, struct page);
			p->index = i;
			p->next = ps->all;
			ps->all = p;
			map_put(&ps->by_index, i, p);
		}
		p->n++;
	}
}

/* In the order of the first write to each, so that the draws repeat. */
static void draw_versions(struct disk_crash *c, struct pages *ps)
{
	for (struct page *p = ps->all; p; p = p->next) {
		p->v1 = (unsigned)rng_below(c->rng, p->n + 1);
		p->v2 = p->v1;
		if (p->v1 < p->n && !rng_below(c->rng, 3)) {
			p->v2 = p->v1 + 1 + (unsigned)rng_below(c->rng, p->n - p->v1);
			p->mask = (uint8_t)(1 + rng_below(c->rng, 254));
		}
	}
}

static void find_pages(struct disk *d, struct disk_crash *c, struct disk_file *f, struct pages *ps)
{
	*ps = (struct pages){0};
	list_each(op, &f->ops, struct disk_op, in_kind) {
		struct disk_loss *l = loss_of(c, op);
		if (l && l->by_page)
			each_page(d, ps, op);
	}
	draw_versions(c, ps);
}

static void free_pages(struct disk *d, struct pages *ps)
{
	for (struct page *p = ps->all, *next; p; p = next) {
		next = p->next;
		arena_release_of(d->arena, p);
	}
	map_clear(&ps->by_index);
}

/* ---- one file ---- */

struct replay {
	struct disk *d;
	struct disk_crash *c;
	struct disk_file *f;
	struct pages pages;
	uint64_t size;
};

static void host_write(struct replay *r, uint64_t off, const void *p, uint64_t n)
{
	if (n)
		r->d->host.write(r->d->host.ctx, r->f, off, p, n);
}

static void host_resize(struct replay *r, uint64_t size)
{
	r->d->host.resize(r->d->host.ctx, r->f, size);
	r->size = size;
}

/* Takes one operation back and keeps what it had written, in its own place. */
static unsigned char *take_back(struct replay *r, struct disk_op *op)
{
	struct disk *d = r->d;
	unsigned char *new = NULL, *old;
	uint64_t n;

	if (op->kind == DISK_WRITE && op->len) {
		new = arena_alloc(d->arena, op->len);
		d->host.read(d->host.ctx, r->f, op->off, new, op->len);
	}
	if (op->resizes)
		d->host.resize(d->host.ctx, r->f, op->old_size);
	n = op->off < op->old_size ? MIN(op->len, op->old_size - op->off) : 0;
	if (op->kind == DISK_RESIZE || op->kind == DISK_PUNCH)
		n = MIN(n, op->old_len); /* the rest is zeros already */
	if (n) {
		old = arena_alloc(d->arena, n);
		if (op->old_len)
			memcpy(old, op->old, MIN(n, op->old_len));
		host_write(r, op->off, old, n);
		arena_release(d->arena, old, n);
	}
	return new;
}

/* The file grew; what lies between was never written, and reads as zeros, or as what the disk had there. */
static void grow(struct replay *r, uint64_t size)
{
	uint64_t from = r->size;
	unsigned char junk[DISK_SECTOR];

	host_resize(r, size);
	if (!r->c->garbage || size - from > (1 << 20))
		return;
	while (from < size) {
		uint64_t n = MIN(size - from, (uint64_t)sizeof junk);
		rng_bytes(r->c->rng, junk, n);
		host_write(r, from, junk, n);
		from += n;
	}
}

/* An operation of another node stays pending, on top of what is there now. */
static void rebase(struct replay *r, struct disk_op *op)
{
	struct disk *d = r->d;
	uint64_t end, n;

	if (op->kind == DISK_RESIZE) {
		op->off = MIN(r->size, op->new_size);
		op->len = MAX(r->size, op->new_size) - op->off;
	}
	end = MIN(op->off + op->len, r->size);
	n = op->off < end ? end - op->off : 0;
	arena_release(d->arena, op->old, op->old_len);
	op->file->bytes -= op->old_len;
	op->old = NULL;
	op->old_len = op->kind == DISK_RESIZE && op->new_size >= r->size ? 0 : n;
	if (op->old_len) {
		op->old = arena_alloc(d->arena, op->old_len);
		d->host.read(d->host.ctx, r->f, op->off, op->old, op->old_len);
	}
	op->file->bytes += op->old_len;
	op->old_size = r->size;
	if (op->kind == DISK_WRITE)
		op->new_size = MAX(r->size, op->off + op->len);
	op->resizes = op->kind != DISK_PUNCH && op->new_size != op->old_size;
}

/* Bytes [from, to) of the operation, as far as the file reaches. */
static uint64_t put_bytes(struct replay *r, const struct disk_op *op, const unsigned char *new, uint64_t from, uint64_t to)
{
	uint64_t most = r->size > op->off ? r->size - op->off : 0;

	to = MIN(to, most);
	if (from >= to)
		return 0;
	host_write(r, op->off + from, new + from, to - from);
	return to - from;
}

/* The part that lies in one page, by its version. */
static uint64_t put_page(struct replay *r, const struct disk_op *op, const unsigned char *new, struct page *p)
{
	uint64_t lo = MAX(op->off, p->index * DISK_PAGE) - op->off, hi = MIN(op->off + op->len, (p->index + 1) * DISK_PAGE) - op->off;
	uint64_t n = 0;

	p->seen++;
	if (p->seen <= p->v1)
		return put_bytes(r, op, new, lo, hi);
	if (p->seen > p->v2)
		return 0;
	while (lo < hi) {
		uint64_t at = op->off + lo, end = MIN(hi, (at / DISK_SECTOR + 1) * DISK_SECTOR - op->off);
		if (p->mask >> (at % DISK_PAGE / DISK_SECTOR) & 1)
			n += put_bytes(r, op, new, lo, end);
		lo = end;
	}
	return n;
}

static void redo_write(struct replay *r, struct disk_op *op, const unsigned char *new, struct disk_loss *l)
{
	uint64_t end = op->off + op->len;

	if (l && l->size_with_data)
		end = op->off + l->to;
	if ((l ? l->meta && op->resizes : true) && end > r->size)
		grow(r, end);
	if (!l) {
		put_bytes(r, op, new, 0, op->len);
	} else if (!l->by_page) {
		l->kept = put_bytes(r, op, new, l->from, l->to);
	} else if (op->len) {
		for (uint64_t i = op->off / DISK_PAGE; i <= (op->off + op->len - 1) / DISK_PAGE; i++)
			l->kept += put_page(r, op, new, map_get(&r->pages.by_index, i));
	}
}

static void redo(struct replay *r, struct disk_op *op, const unsigned char *new)
{
	struct disk_loss *l = loss_of(r->c, op);
	unsigned char *zeros;

	if (!l)
		rebase(r, op);
	if (op->kind == DISK_WRITE) {
		redo_write(r, op, new, l);
		return;
	}
	if (l && !l->meta)
		return;
	if (l)
		l->kept = op->len;
	if (op->kind == DISK_RESIZE) {
		host_resize(r, op->new_size);
	} else if (op->off < r->size) {
		uint64_t n = MIN(op->len, r->size - op->off);
		zeros = arena_alloc(r->d->arena, n);
		host_write(r, op->off, zeros, n);
		arena_release(r->d->arena, zeros, n);
	}
}

static void crash_file(struct disk *d, struct disk_crash *c, struct disk_file *f)
{
	struct replay r = {.d = d, .c = c, .f = f};
	unsigned n = f->nops, i = n;
	unsigned char **new = arena_alloc(d->arena, n * sizeof *new);

	for (struct list *at = f->ops.prev; at != &f->ops; at = at->prev)
		new[--i] = take_back(&r, list_entry(at, struct disk_op, in_kind));
	ENSURE(!i);
	r.size = d->host.size(d->host.ctx, f);
	find_pages(d, c, f, &r.pages);
	list_each(op, &f->ops, struct disk_op, in_kind) {
		redo(&r, op, new[i]);
		if (op->kind == DISK_WRITE)
			arena_release(d->arena, new[i], op->len);
		i++;
	}
	free_pages(d, &r.pages);
	arena_release(d->arena, new, n * sizeof *new);
}

/* ---- names ---- */

/* FNV-1a */
static uint64_t hash_name(uint64_t dir, const char *name)
{
	uint64_t h = (0xcbf29ce484222325u ^ dir) * 0x100000001b3u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3u;
	return h;
}

static struct disk_entry *entry_of(struct disk_crash *c, const struct disk_change *ch)
{
	uint64_t hash = hash_name(ch->dir, ch->name);
	struct disk_entry *first = map_get(&c->by_name, hash), *e;

	for (e = first; e; e = e->next)
		if (e->dir == ch->dir && !strcmp(e->name, ch->name))
			return e;
	e = &c->entry[c->nentries++];
	*e = (struct disk_entry){.dir = ch->dir, .name = ch->name, .now = ch->after, .then = ch->after, .next = first};
	map_put(&c->by_name, hash, e);
	return e;
}

static size_t entries_most(const struct disk *d)
{
	return 2 * (size_t)d->nnames + 1;
}

static void redo_names(struct disk_crash *c, struct disk_op *op)
{
	struct disk_loss *l = loss_of(c, op);

	for (unsigned i = 0; i < op->nchanges; i++) {
		struct disk_change *ch = &op->change[i];
		struct disk_entry *e;
		if (ch->durable)
			continue;
		e = entry_of(c, ch);
		if (l && !l->meta)
			continue;
		if (!l)
			ch->before = e->then;
		e->then = ch->after;
	}
	if (l)
		l->kept = l->meta;
}

static void crash_names(struct disk *d, struct disk_crash *c)
{
	c->entry = arena_alloc(d->arena, entries_most(d) * sizeof *c->entry);
	for (struct list *at = d->names.prev; at != &d->names; at = at->prev) {
		struct disk_op *op = list_entry(at, struct disk_op, in_kind);
		for (unsigned i = op->nchanges; i-- > 0;)
			if (!op->change[i].durable)
				entry_of(c, &op->change[i])->then = op->change[i].before;
	}
	list_each(op, &d->names, struct disk_op, in_kind)
		redo_names(c, op);
}

/* ---- all of it ---- */

static void collect(struct disk *d, struct disk_crash *c)
{
	size_t n = 0;

	list_each(op, &d->ops, struct disk_op, in_all)
		n += op->owner == c->owner;
	c->loss = arena_alloc(d->arena, (n + 1) * sizeof *c->loss);
	c->nloss = n;
	n = 0;
	list_each(op, &d->ops, struct disk_op, in_all) {
		op->fate = 0;
		if (op->owner != c->owner)
			continue;
		c->loss[n] = (struct disk_loss){.op = op};
		op->fate = (unsigned)++n;
	}
}

/* What people are told, from what was done. */
static void judge(struct disk_crash *c)
{
	bool lost = false;

	for (size_t i = 0; i < c->nloss; i++) {
		struct disk_loss *l = &c->loss[i];
		uint64_t whole = l->op->kind == DISK_NAMES ? 1 : l->op->len;
		l->size_lost = l->op->resizes && !l->meta;
		if (l->op->kind != DISK_WRITE)
			l->fate = l->meta ? DISK_KEPT : DISK_LOST;
		else
			l->fate = l->kept == whole && !l->size_lost ? DISK_KEPT : l->kept ? DISK_TORN : DISK_LOST;
		l->out_of_order = lost && l->fate != DISK_LOST;
		lost |= l->fate != DISK_KEPT;
	}
}

static bool is_at_stake(const struct disk_file *f)
{
	list_each(op, &f->ops, struct disk_op, in_kind)
		if (op->fate)
			return true;
	return false;
}

void disk_crash(struct disk *d, struct disk_crash *c)
{
	collect(d, c);
	disk_decide(d, c);
	list_each(f, &d->files, struct disk_file, link)
		if (is_at_stake(f))
			crash_file(d, c, f);
	crash_names(d, c);
	judge(c);
}

void disk_crash_end(struct disk *d, struct disk_crash *c)
{
	map_clear(&c->by_name);
	arena_release(d->arena, c->entry, entries_most(d) * sizeof *c->entry);
	for (size_t i = 0; i < c->nloss; i++)
		disk_drop(d, c->loss[i].op);
	arena_release(d->arena, c->loss, (c->nloss + 1) * sizeof *c->loss);
	c->entry = NULL;
	c->loss = NULL;
}
