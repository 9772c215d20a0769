#include "kernel/futex.h"

#include "base/err.h"

/* All waiters of one key, in order of arrival. Exists while there are any. */
struct futex_queue {
	struct futex_key key;
	struct futex_queue *next; /* same slot of kern.futexes */
	struct list waiters;
	unsigned n;
	struct thread *owner;     /* of a pi lock */
	struct list of_owner;     /* thread.pi_owned */
};

/* ---- queues by key ---- */

static uint64_t slot_of(struct futex_key key)
{
	return (key.a ^ (key.b << 1)) * 0x9e3779b97f4a7c15u ^ key.b;
}

static struct futex_queue *find(struct kern *k, struct futex_key key)
{
	struct futex_queue *q = map_get(&k->futexes, slot_of(key));

	while (q && (q->key.a != key.a || q->key.b != key.b))
		q = q->next;
	return q;
}

static struct futex_queue *find_or_new(struct kern *k, struct futex_key key)
{
	struct futex_queue *q = find(k, key);

	if (q)
		return q;
	q = arena_new_of(k->arena, struct futex_queue);
	q->key = key;
	q->next = map_get(&k->futexes, slot_of(key));
	list_init(&q->waiters);
	list_init(&q->of_owner);
	map_put(&k->futexes, slot_of(key), q);
	return q;
}

static void free_if_empty(struct kern *k, struct futex_queue *q)
{
	struct futex_queue *head;

	if (!list_empty(&q->waiters))
		return;
	head = map_get(&k->futexes, slot_of(q->key));
	if (head != q) {
		while (head->next != q)
			head = head->next;
		head->next = q->next;
	} else if (q->next) {
		map_put(&k->futexes, slot_of(q->key), q->next);
	} else {
		map_del(&k->futexes, slot_of(q->key));
	}
	list_del(&q->of_owner);
	arena_release_of(k->arena, q);
}

static void append(struct futex_queue *q, struct futex_waiter *w)
{
	list_add_tail(&q->waiters, &w->link);
	w->q = q;
	q->n++;
}

static void unqueue(struct futex_waiter *w)
{
	list_del(&w->link);
	w->q->n--;
	w->q = NULL;
}

/* ---- waiting ---- */

void futex_enqueue(struct kern *k, struct thread *t, struct futex_key key, uint32_t bitset)
{
	struct futex_waiter *w = arena_new_of(k->arena, struct futex_waiter);

	ENSURE(!t->futex);
	w->thread = t;
	w->bitset = bitset;
	t->futex = w;
	append(find_or_new(k, key), w);
}

void futex_enqueue_more(struct kern *k, struct thread *t, struct futex_key key)
{
	struct futex_waiter *first = t->futex, *w;

	t->futex = NULL;
	futex_enqueue(k, t, key, FUTEX_ANY);
	if (!first)
		return;
	for (w = first; w->next; w = w->next)
		;
	w->next = t->futex;
	t->futex = first;
}

int futex_woken_index(const struct thread *t)
{
	int i = 0;

	for (const struct futex_waiter *w = t->futex; w; w = w->next, i++)
		if (w->woken)
			return i;
	return -1;
}

bool futex_finish(struct kern *k, struct thread *t)
{
	bool woken = false;

	while (t->futex) {
		struct futex_waiter *w = t->futex;
		struct futex_queue *q = w->q;
		if (q) {
			unqueue(w);
			free_if_empty(k, q);
		}
		woken |= w->woken;
		t->futex = w->next;
		arena_release_of(k->arena, w);
	}
	return woken;
}

void futex_forget_thread(struct kern *k, struct thread *t)
{
	futex_finish(k, t);
	list_each_safe(q, tmp, &t->pi_owned, struct futex_queue, of_owner) {
		list_del(&q->of_owner);
		q->owner = NULL;
	}
}

/* ---- waking ---- */

void futex_wake_one(struct kern *k, struct futex_waiter *w)
{
	struct futex_queue *q = w->q;

	unqueue(w);
	w->woken = true;
	thread_wake(k, w->thread);
	free_if_empty(k, q);
}

unsigned futex_wake(struct kern *k, struct futex_key key, unsigned n, uint32_t bitset)
{
	struct futex_queue *q = find(k, key);
	unsigned left = q ? q->n : 0, woken = 0;

	/* `left`: the queue goes with its last waiter, so it is not looked at after that. */
	for (struct list *l = q ? q->waiters.next : NULL; left && woken < n; left--) {
		struct futex_waiter *w = list_entry(l, struct futex_waiter, link);
		l = l->next;
		if (w->bitset & bitset) {
			futex_wake_one(k, w);
			woken++;
		}
	}
	return woken;
}

unsigned futex_requeue(struct kern *k, struct futex_key key, struct futex_key to, unsigned nwake, unsigned nmove, unsigned *moved)
{
	unsigned woken = futex_wake(k, key, nwake, FUTEX_ANY), n = 0;
	struct futex_queue *q = find(k, key), *dst;

	if (moved)
		*moved = 0;
	if (!q || !nmove)
		return woken;
	if (nmove > q->n)
		nmove = q->n;
	dst = find_or_new(k, to);
	/* Onto itself nothing moves, but it counts (requeue_futex()). */
	for (n = dst == q ? nmove : 0; n < nmove; n++) {
		struct futex_waiter *w = list_first(&q->waiters, struct futex_waiter, link);
		unqueue(w);
		append(dst, w);
	}
	free_if_empty(k, q);
	if (moved)
		*moved = n;
	return woken;
}

/* ---- priority inheritance locks ---- */

struct futex_waiter *futex_pi_first(struct kern *k, struct futex_key key, unsigned *n)
{
	struct futex_queue *q = find(k, key);
	struct futex_waiter *first = NULL;

	*n = 0;
	if (!q)
		return NULL;
	list_each(w, &q->waiters, struct futex_waiter, link)
		if (w->pi && (*n)++ == 0)
			first = w;
	return first;
}

bool futex_has_plain(struct kern *k, struct futex_key key)
{
	struct futex_queue *q = find(k, key);

	if (q)
		list_each(w, &q->waiters, struct futex_waiter, link)
			if (!w->pi)
				return true;
	return false;
}

struct thread *futex_pi_owner(struct kern *k, struct futex_key key)
{
	struct futex_queue *q = find(k, key);

	return q ? q->owner : NULL;
}

void futex_pi_set_owner(struct kern *k, struct futex_key key, struct thread *owner)
{
	struct futex_queue *q = find(k, key);

	if (!q)
		return;
	list_del(&q->of_owner);
	q->owner = owner;
	if (owner)
		list_add_tail(&owner->pi_owned, &q->of_owner);
}

bool futex_pi_owned(struct kern *k, const struct thread *t, struct futex_key *key)
{
	(void)k;
	if (list_empty(&t->pi_owned))
		return false;
	*key = list_first(&t->pi_owned, struct futex_queue, of_owner)->key;
	return true;
}

/* ---- FUTEX_WAKE_OP ---- */

static int32_t sign_extend12(uint32_t v)
{
	return (int32_t)(v << 20) >> 20;
}

int futex_op_value(uint32_t encoded, uint32_t old, uint32_t *value)
{
	uint32_t arg = (uint32_t)sign_extend12(encoded >> 12 & 0xfff);

	if (encoded & 1u << 31) /* FUTEX_OP_OPARG_SHIFT */
		arg = 1u << (arg & 31);
	switch (encoded >> 28 & 7) {
	case 0:
		*value = arg;
		break;
	case 1:
		*value = old + arg;
		break;
	case 2:
		*value = old | arg;
		break;
	case 3:
		*value = old & ~arg;
		break;
	case 4:
		*value = old ^ arg;
		break;
	default:
		return -ENOSYS;
	}
	return 0;
}

int futex_op_compare(uint32_t encoded, uint32_t old)
{
	int32_t v = (int32_t)old, arg = sign_extend12(encoded & 0xfff);

	switch (encoded >> 24 & 15) {
	case 0:
		return v == arg;
	case 1:
		return v != arg;
	case 2:
		return v < arg;
	case 3:
		return v <= arg;
	case 4:
		return v > arg;
	case 5:
		return v >= arg;
	}
	return -ENOSYS;
}
