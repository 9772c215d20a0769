#include "tracer/locks.h"

#include "base/mem.h"

enum { CHAIN_MAX = 10 }; /* MAX_DEADLK_ITERATIONS, fs/locks.c */

void locks_init(struct locks *l, struct arena *a)
{
	*l = (struct locks){.arena = a};
	list_init(&l->inodes);
	list_init(&l->waits);
}

static struct lock_inode *find_inode(struct locks *l, const uint64_t key[2])
{
	list_each(li, &l->inodes, struct lock_inode, link)
		if (li->key[0] == key[0] && li->key[1] == key[1])
			return li;
	return NULL;
}

static struct lock_inode *get_inode(struct locks *l, const uint64_t key[2])
{
	struct lock_inode *li = find_inode(l, key);

	if (li)
		return li;
	li = arena_new_of(l->arena, struct lock_inode);
	li->key[0] = key[0];
	li->key[1] = key[1];
	list_init(&li->held);
	waitq_init(&li->wq);
	list_add_tail(&l->inodes, &li->link);
	return li;
}

/* Something was given up: whoever waits looks again. */
static void inode_changed(struct locks *l, struct lock_inode *li)
{
	waitq_wake(&li->wq, 0);
	if (list_empty(&li->held) && list_empty(&li->wq.waiters)) {
		list_del(&li->link);
		arena_release_of(l->arena, li);
	}
}

struct waitq *locks_waitq(struct locks *l, const uint64_t key[2])
{
	return &get_inode(l, key)->wq;
}

static bool same_owner(const struct lock *a, const struct lock *b)
{
	return a->kind == b->kind && a->owner == b->owner;
}

static bool overlap(const struct lock *a, const struct lock *b)
{
	return a->start <= b->end && b->start <= a->end;
}

static bool forbids(const struct lock *held, const struct lock *want)
{
	if ((held->kind == LOCK_KIND_FLOCK) != (want->kind == LOCK_KIND_FLOCK) || same_owner(held, want))
		return false;
	return overlap(held, want) && (held->write || want->write);
}

struct lock *locks_conflict(struct locks *l, const uint64_t key[2], const struct lock *want)
{
	struct lock_inode *li = find_inode(l, key);

	if (!li)
		return NULL;
	list_each(h, &li->held, struct lock, link)
		if (forbids(h, want))
			return h;
	return NULL;
}

/* --- setting and removing --- */

static void insert(struct locks *l, struct lock_inode *li, const struct lock *what)
{
	struct lock *n = arena_new_of(l->arena, struct lock);
	struct list *before = &li->held;

	*n = *what;
	list_each(h, &li->held, struct lock, link)
		if (h->start > n->start) {
			before = &h->link;
			break;
		}
	list_add_tail(before, &n->link);
}

static void drop(struct locks *l, struct lock *h)
{
	list_del(&h->link);
	arena_release_of(l->arena, h);
}

/* Takes [want->start, want->end] out of h, which overlaps it: nothing, one or two pieces remain. */
static void cut(struct locks *l, struct lock_inode *li, struct lock *h, const struct lock *want)
{
	struct lock left = *h, right = *h;

	drop(l, h);
	if (left.start < want->start) {
		left.end = want->start - 1;
		insert(l, li, &left);
	}
	if (right.end > want->end) {
		right.start = want->end + 1;
		insert(l, li, &right);
	}
}

/* Same kind of lock, and nothing between them. */
static bool joins(const struct lock *h, const struct lock *want)
{
	if (h->write != want->write)
		return false;
	return overlap(h, want) || (want->start > 0 && h->end == want->start - 1) || (h->start > 0 && want->end == h->start - 1);
}

void locks_apply(struct locks *l, const uint64_t key[2], const struct lock *want, bool unlock)
{
	struct lock_inode *li = unlock ? find_inode(l, key) : get_inode(l, key);
	struct lock now = *want;

	if (!li)
		return;
	list_each_safe(h, tmp, &li->held, struct lock, link) {
		if (!same_owner(h, want))
			continue;
		if (!unlock && joins(h, &now)) {
			now.start = MIN(now.start, h->start);
			now.end = MAX(now.end, h->end);
			drop(l, h);
		} else if (overlap(h, want)) {
			cut(l, li, h, want);
		}
	}
	if (!unlock)
		insert(l, li, &now);
	inode_changed(l, li);
}

void locks_release_owner(struct locks *l, const uint64_t key[2], enum lock_kind kind, const void *owner)
{
	const struct lock all = {.kind = kind, .owner = owner, .start = 0, .end = INT64_MAX};
	struct lock_inode *li = find_inode(l, key);

	if (!li)
		return;
	list_each(h, &li->held, struct lock, link)
		if (same_owner(h, &all)) {
			locks_apply(l, key, &all, true);
			return;
		}
}

/* --- deadlock --- */

void locks_wait_end(struct locks *l, int tid)
{
	list_each_safe(w, tmp, &l->waits, struct lock_wait, link)
		if (w->tid == tid) {
			list_del(&w->link);
			arena_release_of(l->arena, w);
		}
}

void locks_wait_begin(struct locks *l, int tid, const uint64_t key[2], const struct lock *want)
{
	struct lock_wait *w;

	locks_wait_end(l, tid);
	w = arena_new_of(l->arena, struct lock_wait);
	w->tid = tid;
	w->owner = want->owner;
	w->key[0] = key[0];
	w->key[1] = key[1];
	w->want = *want;
	list_add_tail(&l->waits, &w->link);
}

/* Does somebody who forbids `want` wait, maybe by way of others, for `target`? */
static bool leads_to(struct locks *l, const uint64_t key[2], const struct lock *want, const void *target, int depth)
{
	struct lock_inode *li = find_inode(l, key);

	if (!li || depth > CHAIN_MAX)
		return false;
	list_each(h, &li->held, struct lock, link) {
		if (h->kind != LOCK_KIND_POSIX || !forbids(h, want))
			continue;
		if (depth && h->owner == target)
			return true;
		list_each(w, &l->waits, struct lock_wait, link)
			if (w->owner == h->owner && (!l->still_waits || l->still_waits(l->ctx, w->tid)) &&
			    leads_to(l, w->key, &w->want, target, depth + 1))
				return true;
	}
	return false;
}

bool locks_deadlock(struct locks *l, const uint64_t key[2], const struct lock *want)
{
	return want->kind == LOCK_KIND_POSIX && leads_to(l, key, want, want->owner, 0);
}
