/* The model of disks against a simple one that keeps every operation and replays what it is told. */
/* clang-format off: cmocka wants these first */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "base/mem.h"
#include "base/rng.h"
#include "fsfaults/crash.h"
#include "vclock/clock.h"

#include <stdlib.h>
#include <string.h>

enum { FILES = 2, SIZE = 3 * DISK_PAGE, OPS = 64, DIRS = 2, NAMES = 3, DIR_ID = 100 };

struct image {
	unsigned char b[SIZE];
	uint64_t size;
};

struct names {
	uint64_t at[DIRS][NAMES];
};

/* An operation as the simple model keeps it: with what it wrote. */
struct ref_op {
	int file; /* -1: names */
	unsigned owner;
	enum disk_kind kind;
	uint64_t off, len, size;
	bool resizes;
	unsigned char *data;
	int dir[2], name[2], n;
	uint64_t after[2];
};

struct world {
	struct arena *arena;
	size_t used;
	struct disk d;
	struct image now[FILES], durable[FILES];
	struct names names, durable_names;
	struct ref_op op[OPS];
	unsigned nops;
	struct rng rng;
	uint64_t next_inode;
};

static struct image *image_of(struct world *w, const struct disk_file *f)
{
	return &w->now[f->id - 1];
}

static void h_read(void *ctx, struct disk_file *f, uint64_t off, void *buf, size_t n)
{
	struct image *im = image_of(ctx, f);

	memset(buf, 0, n);
	if (off < im->size)
		memcpy(buf, im->b + off, MIN(n, im->size - off));
}

static void h_write(void *ctx, struct disk_file *f, uint64_t off, const void *buf, size_t n)
{
	struct image *im = image_of(ctx, f);

	assert_true(off + n <= im->size); /* never beyond the end: that would make it longer */
	memcpy(im->b + off, buf, n);
}

static void resize(struct image *im, uint64_t size)
{
	assert_true(size <= SIZE);
	if (size < im->size)
		memset(im->b + size, 0, im->size - size);
	im->size = size;
}

static void h_resize(void *ctx, struct disk_file *f, uint64_t size)
{
	resize(image_of(ctx, f), size);
}

static uint64_t h_size(void *ctx, struct disk_file *f)
{
	return image_of(ctx, f)->size;
}

static struct world *world_new(enum disk_profile p, uint64_t seed)
{
	struct world *w = test_calloc(1, sizeof *w);
	const struct disk_host host = {.ctx = w, .read = h_read, .write = h_write, .resize = h_resize, .size = h_size};

	w->arena = arena_new((size_t)1 << 30);
	w->used = arena_used(w->arena);
	disk_init(&w->d, w->arena, p, &host);
	rng_init(&w->rng, seed, "test");
	for (int f = 0; f < FILES; f++) {
		w->now[f].size = rng_below(&w->rng, 2) * DISK_PAGE;
		rng_bytes(&w->rng, w->now[f].b, w->now[f].size);
		w->durable[f] = w->now[f];
	}
	w->next_inode = 1000;
	return w;
}

static void world_free(struct world *w)
{
	disk_clear(&w->d);
	assert_int_equal(arena_used(w->arena), w->used); /* everything has been given back */
	arena_free_all(w->arena);
	for (unsigned i = 0; i < w->nops; i++)
		free(w->op[i].data);
	test_free(w);
}

static struct disk_who who(unsigned owner)
{
	return (struct disk_who){.owner = owner, .call = "test"};
}

/* ---- the simple model ---- */

static void ref_apply(struct image *im, struct names *n, const struct ref_op *o)
{
	if (o->file < 0) {
		for (int i = 0; i < o->n; i++)
			n->at[o->dir[i]][o->name[i]] = o->after[i];
	} else if (o->kind == DISK_RESIZE) {
		resize(&im[o->file], o->size);
	} else if (o->kind == DISK_PUNCH) {
		memset(im[o->file].b + o->off, 0, o->len);
	} else {
		im[o->file].size = MAX(im[o->file].size, o->off + o->len);
		memcpy(im[o->file].b + o->off, o->data, o->len);
	}
}

static void ref_remove(struct world *w, unsigned i)
{
	free(w->op[i].data);
	memmove(&w->op[i], &w->op[i + 1], (--w->nops - i) * sizeof *w->op);
}

static void ref_sync(struct world *w, int file, int dir)
{
	for (unsigned i = 0; i < w->nops;) {
		const struct ref_op *o = &w->op[i];
		if (file >= 0 ? o->file == file : o->file < 0 && o->dir[0] == dir) {
			ref_apply(w->durable, &w->durable_names, o);
			ref_remove(w, i);
		} else {
			i++;
		}
	}
}

/* ---- what happens ---- */

static void do_write(struct world *w, unsigned owner, int f, uint64_t off, uint64_t len)
{
	struct ref_op *o = &w->op[w->nops++];
	struct image *im = &w->now[f];
	struct disk_who by = who(owner);

	*o = (struct ref_op){.file = f, .owner = owner, .kind = DISK_WRITE, .off = off, .len = len, .data = xmalloc(len)};
	rng_bytes(&w->rng, o->data, len);
	o->resizes = off + len > im->size;
	disk_wrote(&w->d, &by, disk_file(&w->d, (uint64_t)f + 1), off, len, im->b + off, off < im->size ? MIN(len, im->size - off) : 0, im->size);
	ref_apply(w->now, &w->names, o);
}

static void do_resize(struct world *w, unsigned owner, int f, uint64_t size)
{
	struct ref_op *o = &w->op[w->nops++];
	struct image *im = &w->now[f];
	struct disk_who by = who(owner);

	*o = (struct ref_op){.file = f, .owner = owner, .kind = DISK_RESIZE, .size = size, .resizes = size != im->size};
	disk_resized(&w->d, &by, disk_file(&w->d, (uint64_t)f + 1), im->size, size, im->b + MIN(size, im->size), im->size - MIN(size, im->size));
	ref_apply(w->now, &w->names, o);
}

static void do_punch(struct world *w, unsigned owner, int f, uint64_t off, uint64_t len)
{
	struct ref_op *o = &w->op[w->nops++];
	struct image *im = &w->now[f];
	struct disk_who by = who(owner);

	*o = (struct ref_op){.file = f, .owner = owner, .kind = DISK_PUNCH, .off = off, .len = len};
	disk_punched(&w->d, &by, disk_file(&w->d, (uint64_t)f + 1), off, len, im->b + off, len, im->size);
	ref_apply(w->now, &w->names, o);
}

static const char *const name_text[NAMES] = {"a", "b", "c"};

/* Makes, removes or moves a name in one directory. */
static void do_name(struct world *w, unsigned owner)
{
	int dir = (int)rng_below(&w->rng, DIRS), a = (int)rng_below(&w->rng, NAMES), b = (int)rng_below(&w->rng, NAMES);
	uint64_t *at = w->names.at[dir];
	struct disk_change ch[2] = {{.dir = DIR_ID + (uint64_t)dir, .name = name_text[a], .before = at[a]}};
	struct ref_op *o = &w->op[w->nops++];
	struct disk_who by = who(owner);

	*o = (struct ref_op){.file = -1, .owner = owner, .dir = {dir, dir}, .name = {a, b}, .n = 1};
	if (!at[a]) {
		o->after[0] = ++w->next_inode;
	} else if (a != b && rng_below(&w->rng, 2)) {
		ch[1] = (struct disk_change){.dir = ch[0].dir, .name = name_text[b], .before = at[b], .after = at[a]};
		o->after[1] = at[a];
		o->n = 2;
	}
	ch[0].after = o->after[0];
	disk_named(&w->d, &by, ch, (unsigned)o->n, o->n == 2, "names");
	ref_apply(w->now, &w->names, o);
}

static void do_something(struct world *w, unsigned owners)
{
	unsigned owner = 1 + (unsigned)rng_below(&w->rng, owners);
	int f = (int)rng_below(&w->rng, FILES);
	uint64_t off = rng_below(&w->rng, SIZE - 600), len = 1 + rng_below(&w->rng, rng_below(&w->rng, 2) ? 600 : SIZE - off);

	switch (rng_below(&w->rng, 12)) {
	case 0:
		do_resize(w, owner, f, rng_below(&w->rng, 3) ? off : 0);
		break;
	case 1:
		if (w->now[f].size > 2)
			do_punch(w, owner, f, 1, 1 + rng_below(&w->rng, w->now[f].size - 1));
		break;
	case 2:
	case 3:
	case 4:
		do_name(w, owner);
		break;
	case 5:
		disk_sync_file(&w->d, (uint64_t)f + 1, false);
		ref_sync(w, f, -1);
		break;
	case 6:
		disk_sync_dir(&w->d, DIR_ID + (uint64_t)f);
		ref_sync(w, -1, f);
		break;
	default:
		do_write(w, owner, f, off, len);
	}
}

static void set_entries(struct world *w, const struct disk_crash *c)
{
	for (size_t i = 0; i < c->nentries; i++) {
		const struct disk_entry *e = &c->entry[i];
		uint64_t *at = &w->names.at[e->dir - DIR_ID][e->name[0] - 'a'];
		assert_int_equal(*at, e->now);
		*at = e->then;
	}
}

static void crash(struct world *w, struct disk_crash *c)
{
	c->rng = &w->rng;
	disk_crash(&w->d, c);
	set_entries(w, c);
}

/* ---- tests ---- */

/* All lost, none lost, and every prefix, of random histories with syncs in them. */
static void test_prefixes(void **state)
{
	for (uint64_t seed = 1; seed <= 1500; seed++) {
		struct world *w = world_new(DISK_POSIX, seed);
		struct disk_crash c = {.owner = 1, .pick = -1};
		unsigned n = (unsigned)rng_below(&w->rng, 30), kept;

		while (n--)
			do_something(w, 1);
		assert_int_equal(disk_crash_states(&w->d, 1, DISK_PREFIX), w->nops + 1);
		kept = (unsigned)rng_below(&w->rng, w->nops + 1);
		c.policy = seed % 3 == 0 ? DISK_PREFIX : seed % 3 == 1 ? DISK_ALL_LOST : DISK_NONE_LOST;
		c.pick = c.policy == DISK_PREFIX ? (int64_t)kept : -1;
		kept = c.policy == DISK_PREFIX ? kept : c.policy == DISK_ALL_LOST ? 0 : w->nops;
		crash(w, &c);
		for (unsigned i = 0; i < kept; i++)
			ref_apply(w->durable, &w->durable_names, &w->op[i]);
		assert_int_equal(c.nloss, w->nops);
		for (size_t i = 0; i < c.nloss; i++)
			assert_int_equal(c.loss[i].fate == DISK_LOST, i >= kept && !(w->op[i].file >= 0 && !w->op[i].len && c.loss[i].fate == DISK_KEPT));
		for (int f = 0; f < FILES; f++) {
			assert_int_equal(w->now[f].size, w->durable[f].size);
			assert_memory_equal(w->now[f].b, w->durable[f].b, SIZE);
		}
		assert_memory_equal(&w->names, &w->durable_names, sizeof w->names);
		disk_crash_end(&w->d, &c);
		assert_true(list_empty(&w->d.ops));
		world_free(w);
	}
}

/* Of two nodes, one loses all that it did; what the other one did is there, on top of what is left, and can be lost later. */
static void test_owners(void **state)
{
	for (uint64_t seed = 1; seed <= 1500; seed++) {
		struct world *w = world_new(DISK_POSIX, seed);
		struct disk_crash c = {.owner = 1, .policy = DISK_ALL_LOST, .pick = -1}, c2 = {.owner = 2, .policy = DISK_ALL_LOST, .pick = -1};
		struct image both[FILES];
		struct names names;

		for (unsigned n = (unsigned)rng_below(&w->rng, 30); n--;)
			do_something(w, 2);
		memcpy(both, w->durable, sizeof both);
		names = w->durable_names;
		for (unsigned i = 0; i < w->nops; i++)
			if (w->op[i].owner == 2)
				ref_apply(both, &names, &w->op[i]);
		crash(w, &c);
		disk_crash_end(&w->d, &c);
		for (int f = 0; f < FILES; f++) {
			assert_int_equal(w->now[f].size, both[f].size);
			assert_memory_equal(w->now[f].b, both[f].b, SIZE);
		}
		assert_memory_equal(&w->names, &names, sizeof names);
		crash(w, &c2);
		disk_crash_end(&w->d, &c2);
		for (int f = 0; f < FILES; f++) {
			assert_int_equal(w->now[f].size, w->durable[f].size);
			assert_memory_equal(w->now[f].b, w->durable[f].b, SIZE);
		}
		assert_memory_equal(&w->names, &w->durable_names, sizeof names);
		world_free(w);
	}
}

/* Is this sector what the page had after some number of the writes to it? (Holes and truncations are apart: zeros.) */
static bool sector_possible(const struct world *w, int f, uint64_t at, uint64_t n)
{
	unsigned char v[DISK_SECTOR], now[DISK_SECTOR];
	uint64_t page = at / DISK_PAGE;

	memcpy(now, w->now[f].b + at, n);
	memcpy(v, w->durable[f].b + at, n);
	for (unsigned i = 0;; i++) {
		if (!memcmp(now, v, n))
			return true;
		if (i == w->nops)
			return false;
		const struct ref_op *o = &w->op[i];
		if (o->file != f || o->kind != DISK_WRITE || o->off / DISK_PAGE > page || (o->off + o->len - 1) / DISK_PAGE < page)
			continue;
		for (uint64_t b = at; b < at + n; b++)
			if (b >= o->off && b < o->off + o->len)
				v[b - at] = o->data[b - o->off];
	}
}

static bool size_possible(const struct world *w, int f)
{
	uint64_t size = w->durable[f].size;

	if (size == w->now[f].size)
		return true;
	for (unsigned i = 0; i < w->nops; i++) {
		if (w->op[i].file != f)
			continue;
		size = w->op[i].kind == DISK_WRITE ? MAX(size, w->op[i].off + w->op[i].len) : w->op[i].kind == DISK_RESIZE ? w->op[i].size : size;
		if (size == w->now[f].size)
			return true;
	}
	return false;
}

/* Whatever is drawn, each sector has a version that it once had, and the file a size that it once had. */
static void test_random(void **state)
{
	unsigned torn = 0, reordered = 0;

	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct world *w = world_new(DISK_POSIX, seed);
		struct disk_crash c = {.owner = 1, .policy = seed % 2 ? DISK_POSIX_RANDOM : DISK_ADVERSARY, .pick = -1};

		for (unsigned n = 1 + (unsigned)rng_below(&w->rng, 12); n--;)
			do_write(w, 1, (int)rng_below(&w->rng, FILES), rng_below(&w->rng, SIZE - 2000), 1 + rng_below(&w->rng, 2000));
		crash(w, &c);
		bool cut = false;
		for (size_t i = 0; i < c.nloss; i++) {
			torn += c.loss[i].fate == DISK_TORN;
			cut |= c.loss[i].size_with_data; /* the size is where the write was cut */
			reordered += c.loss[i].out_of_order;
		}
		for (int f = 0; f < FILES && !c.garbage; f++) {
			assert_true(cut || size_possible(w, f));
			for (uint64_t at = 0; at < w->now[f].size; at += DISK_SECTOR)
				assert_true(sector_possible(w, f, at, MIN(w->now[f].size - at, (uint64_t)DISK_SECTOR)));
		}
		disk_crash_end(&w->d, &c);
		world_free(w);
	}
	assert_true(torn > 300);
	assert_true(reordered > 300);
}

/* All states of two writes to two pages and one name: four times two times the size; each is drawn, and no other. */
static void test_all_states(void **state)
{
	unsigned seen[2][2][2] = {0};

	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct world *w = world_new(DISK_POSIX, 1);
		struct disk_crash c = {.owner = 1, .policy = DISK_POSIX_RANDOM, .pick = -1};
		struct disk_who by = who(1);
		const struct disk_change ch = {.dir = DIR_ID, .name = "a", .after = 7};

		w->now[0].size = w->durable[0].size = SIZE;
		do_write(w, 1, 0, 0, 512);
		do_write(w, 1, 0, DISK_PAGE, 512);
		disk_named(&w->d, &by, &ch, 1, false, "create");
		w->names.at[0][0] = 7;
		rng_init(&w->rng, seed, "states");
		crash(w, &c);
		seen[!memcmp(w->now[0].b, w->op[0].data, 512)][!memcmp(w->now[0].b + DISK_PAGE, w->op[1].data, 512)][w->names.at[0][0] == 7]++;
		disk_crash_end(&w->d, &c);
		world_free(w);
	}
	for (int i = 0; i < 8; i++)
		assert_true(seen[i >> 2][i >> 1 & 1][i & 1] > 10);
}

/* ext4: an end of the file that was never written does not show, and what replaces a file by rename is whole. */
static void test_ext4(void **state)
{
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct world *w = world_new(DISK_EXT4, seed);
		struct disk_crash c = {.owner = 1, .policy = DISK_EXT4_ORDERED, .pick = -1};
		struct disk_who by = who(1);
		const struct disk_change mv[2] = {{.dir = DIR_ID, .name = "b", .before = 1}, {.dir = DIR_ID, .name = "a", .before = 9, .after = 1}};

		w->now[0].size = w->durable[0].size = 0;
		for (int i = 0; i < 4; i++)
			do_write(w, 1, 0, (uint64_t)i * 700, 700);
		w->names.at[0][0] = 1;
		disk_named(&w->d, &by, mv, 2, true, "rename");
		crash(w, &c);
		for (uint64_t i = 0; i < w->now[0].size; i++)
			assert_int_equal(w->now[0].b[i], w->op[i / 700].data[i % 700]);
		if (w->names.at[0][0] == 1)
			assert_int_equal(w->now[0].size, 2800);
		disk_crash_end(&w->d, &c);
		world_free(w);
	}
}

static void test_profiles(void **state)
{
	/* What is left pending of: create a; write a; create b; then fsync of a. */
	static const unsigned left[DISK_PROFILES] = {[DISK_EXT4] = 0, [DISK_XFS] = 1, [DISK_BTRFS] = 1, [DISK_POSIX] = 2};

	for (int p = 0; p < DISK_PROFILES; p++) {
		struct world *w = world_new((enum disk_profile)p, 1);
		struct disk_who by = who(1);
		struct disk_change a = {.dir = DIR_ID, .name = "a", .after = 1}, b = {.dir = DIR_ID, .name = "b", .after = 2};
		unsigned n = 0;

		disk_named(&w->d, &by, &a, 1, false, "create a");
		do_write(w, 1, 0, 0, 10);
		disk_named(&w->d, &by, &b, 1, false, "create b");
		disk_sync_file(&w->d, 1, false);
		list_each(op, &w->d.ops, struct disk_op, in_all)
			n++;
		assert_int_equal(n, left[p]);
		world_free(w);
	}
}

/* fsync fails: what was dirty is clean and never reaches the disk; written again, it does. btrfs takes it back. */
static void test_failed_sync(void **state)
{
	for (int p = 0; p < DISK_PROFILES; p++) {
		struct world *w = world_new((enum disk_profile)p, 2);
		struct disk_crash c = {.owner = 1, .policy = DISK_NONE_LOST, .pick = -1};

		w->now[0].size = w->durable[0].size = SIZE;
		do_write(w, 1, 0, 0, 100);
		do_write(w, 1, 0, DISK_PAGE, 100);
		disk_sync_failed(&w->d, 1);
		assert_int_equal(memcmp(w->now[0].b, w->op[0].data, 100) == 0, p != DISK_BTRFS);
		do_write(w, 1, 0, DISK_PAGE + 200, 100); /* its page is written as a whole */
		disk_sync_file(&w->d, 1, false);
		crash(w, &c);
		assert_memory_not_equal(w->now[0].b, w->op[0].data, 100);
		assert_memory_equal(w->now[0].b + DISK_PAGE + 200, w->op[2].data, 100);
		if (p != DISK_BTRFS)
			assert_memory_equal(w->now[0].b + DISK_PAGE, w->op[1].data, 100);
		disk_crash_end(&w->d, &c);
		world_free(w);
	}
}

/* O_DSYNC makes its own pages durable and no others. */
static void test_range(void **state)
{
	struct world *w = world_new(DISK_POSIX, 3);
	struct disk_crash c = {.owner = 1, .policy = DISK_ALL_LOST, .pick = -1};

	w->now[0].size = w->durable[0].size = SIZE;
	memset(w->now[0].b, 1, SIZE);
	do_write(w, 1, 0, 100, SIZE - 200);
	disk_sync_range(&w->d, 1, DISK_PAGE + 10, 10);
	crash(w, &c);
	for (uint64_t i = 0; i < SIZE; i++)
		assert_int_equal(w->now[0].b[i], i / DISK_PAGE == 1 ? w->op[0].data[i - 100] : 1);
	disk_crash_end(&w->d, &c);
	world_free(w);
}

/* A truncation that is durable cannot be undone by the loss of what came before. */
static void test_truncate_then_commit(void **state)
{
	struct world *w = world_new(DISK_EXT4, 4);
	struct disk_crash c = {.owner = 1, .policy = DISK_ALL_LOST, .pick = -1};
	struct disk_who by = who(1);

	w->now[0].size = w->durable[0].size = SIZE;
	do_write(w, 1, 0, 0, 5000);
	do_resize(w, 1, 0, 1000);
	disk_named(&w->d, &by, &(struct disk_change){.dir = DIR_ID, .name = "a", .after = 50}, 1, false, "create");
	w->names.at[0][0] = 50;
	disk_sync_dir(&w->d, DIR_ID);
	crash(w, &c);
	assert_int_equal(w->now[0].size, 1000);
	assert_memory_equal(w->now[0].b, w->durable[0].b, 1000);
	disk_crash_end(&w->d, &c);
	world_free(w);
}

static void test_move_between_directories(void **state)
{
	struct world *w = world_new(DISK_POSIX, 5);
	struct disk_crash c = {.owner = 1, .policy = DISK_ALL_LOST, .pick = -1};
	struct disk_who by = who(1);
	const struct disk_change mv[2] = {{.dir = DIR_ID, .name = "a", .before = 9}, {.dir = DIR_ID + 1, .name = "a", .after = 9}};

	disk_named(&w->d, &by, mv, 2, true, "rename");
	w->names.at[1][0] = 9;
	disk_sync_dir(&w->d, DIR_ID + 1);
	crash(w, &c);
	assert_int_equal(w->names.at[0][0], 9); /* the old name is there too */
	assert_int_equal(w->names.at[1][0], 9);
	disk_crash_end(&w->d, &c);
	world_free(w);
}

static void test_age(void **state)
{
	struct world *w = world_new(DISK_EXT4, 6);
	struct disk_who by = who(1);

	disk_named(&w->d, &by, &(struct disk_change){.dir = DIR_ID, .name = "a", .after = 50}, 1, false, "create");
	do_write(w, 1, 0, 0, 10);
	disk_expire(&w->d, 4 * NS_PER_S);
	assert_int_equal(w->d.nnames, 1);
	disk_expire(&w->d, 6 * NS_PER_S);
	assert_int_equal(w->d.nnames, 0);
	assert_false(list_empty(&w->d.ops));
	disk_expire(&w->d, 36 * NS_PER_S);
	assert_true(list_empty(&w->d.ops));
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_owners),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_all_states),
		cmocka_unit_test(test_ext4),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_failed_sync),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_truncate_then_commit),
		cmocka_unit_test(test_move_between_directories),
		cmocka_unit_test(test_age),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
