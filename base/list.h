/* Intrusive doubly linked list. A head and an unlinked node both point to themselves. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
	struct list *prev, *next;
};

static inline void list_init(struct list *l)
{
	l->prev = l->next = l;
}

static inline bool list_empty(const struct list *l)
{
	return l->next == l;
}

static inline void list_add_tail(struct list *head, struct list *n)
{
	n->prev = head->prev;
	n->next = head;
	head->prev->next = n;
	head->prev = n;
}

static inline void list_add_head(struct list *head, struct list *n)
{
	list_add_tail(head->next, n);
}

/* Unlinks n and leaves it pointing to itself, so that a second removal is harmless. */
static inline void list_del(struct list *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
	list_init(n);
}

#define container_of(p, T, member) ((T *)(void *)((char *)(p)-offsetof(T, member)))
#define list_entry(p, T, member) container_of(p, T, member)
#define list_first(head, T, member) (list_empty(head) ? NULL : list_entry((head)->next, T, member))
#define list_each(it, head, T, member)                                                                             \
	for (T *it = list_entry((head)->next, T, member); &it->member != (head);                                   \
	     it = list_entry(it->member.next, T, member))
/* Allows `it` to be removed in the body (but not the element after it). */
#define list_each_safe(it, tmp, head, T, member)                                                                   \
	for (T *it = list_entry((head)->next, T, member), *tmp = list_entry(it->member.next, T, member);           \
	     &it->member != (head); it = tmp, tmp = list_entry(it->member.next, T, member))

#endif
