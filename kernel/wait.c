#include "kernel/wait.h"

/*
 * All waiters are moved to a list of their own, and each goes back before its function is called: so any waiter may be
 * unlinked meanwhile (a thread drops all its registrations at once), new ones are not called by this walk, and the order
 * stays that of waiting.
 */
void waitq_wake(struct waitq *q, uint32_t events)
{
	struct list todo;

	if (list_empty(&q->waiters))
		return;
	todo = q->waiters;
	todo.next->prev = &todo;
	todo.prev->next = &todo;
	list_init(&q->waiters);
	while (!list_empty(&todo)) {
		struct waiter *w = list_first(&todo, struct waiter, link);
		list_del(&w->link);
		list_add_tail(&q->waiters, &w->link);
		w->fn(w, events);
	}
}
