/* Signals that are pending: queues, masks, taking them. Sending is in signal_send.c. */
#include "kernel/task.h"

#include "base/err.h"
#include "kernel/posix_timer.h"

/* Raised by what the thread itself does: taken before all others (SYNCHRONOUS_MASK in kernel/signal.c). */
#define SYNCHRONOUS                                                                                                        \
	(K_SIGBIT(SIGSEGV) | K_SIGBIT(SIGBUS) | K_SIGBIT(SIGILL) | K_SIGBIT(SIGTRAP) | K_SIGBIT(SIGFPE) | K_SIGBIT(SIGSYS))
#define UNBLOCKABLE (K_SIGBIT(SIGKILL) | K_SIGBIT(SIGSTOP))

enum sig_default sig_default_action(int sig)
{
	switch (sig) {
	case SIGCHLD:
	case SIGURG:
	case SIGWINCH:
		return SIG_DEF_IGN;
	case SIGCONT:
		return SIG_DEF_CONT;
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return SIG_DEF_STOP;
	case SIGQUIT:
	case SIGILL:
	case SIGTRAP:
	case SIGABRT:
	case SIGFPE:
	case SIGSEGV:
	case SIGBUS:
	case SIGSYS:
	case SIGXCPU:
	case SIGXFSZ:
		return SIG_DEF_CORE;
	default:
		return SIG_DEF_TERM;
	}
}

/* ---- queues ---- */

void sig_pending_init(struct sigpending *q)
{
	q->set = 0;
	q->n = 0;
	list_init(&q->queue);
}

static void drop_item(struct kern *k, struct sigpending *q, struct sigitem *it)
{
	list_del(&it->link);
	q->n--;
	arena_release_of(k->arena, it);
}

void sig_flush(struct kern *k, struct sigpending *q)
{
	sig_drop(k, q, ~0ull);
}

void sig_drop(struct kern *k, struct sigpending *q, uint64_t set)
{
	if (!(q->set & set))
		return;
	q->set &= ~set;
	list_each_safe(it, tmp, &q->queue, struct sigitem, link)
		if (K_SIGBIT(it->sig) & set)
			drop_item(k, q, it);
}

/* The oldest instance of sig; the bit goes with the last one. */
bool sig_dequeue(struct kern *k, struct sigpending *q, int sig, struct sigitem *out)
{
	struct sigitem *first = NULL;
	unsigned n = 0;

	if (!(q->set & K_SIGBIT(sig)))
		return false;
	list_each(it, &q->queue, struct sigitem, link)
		if (it->sig == sig && n++ == 0)
			first = it;
	ENSURE(first);
	*out = *first;
	list_init(&out->link);
	drop_item(k, q, first);
	if (n == 1)
		q->set &= ~K_SIGBIT(sig);
	return true;
}

static int next_of(uint64_t set)
{
	uint64_t sync = set & SYNCHRONOUS;

	return __builtin_ctzll(sync ? sync : set) + 1;
}

/* ---- taking ---- */

uint64_t sig_pending_set(const struct thread *t)
{
	return t->pending.set | t->proc->pending.set;
}

static uint64_t with_handler(const struct thread *t, uint64_t set)
{
	for (uint64_t rest = set; rest; rest &= rest - 1) {
		int sig = __builtin_ctzll(rest) + 1;
		if (t->proc->sighand->act[sig].handler <= 1)
			set &= ~K_SIGBIT(sig);
	}
	return set;
}

bool sig_deliverable(const struct kern *k, const struct thread *t)
{
	uint64_t set = sig_pending_set(t) & ~t->sigmask;

	(void)k;
	return set && thread_may_run(t) && !t->proc->doomed && with_handler(t, set);
}

static bool take(struct kern *k, struct thread *t, uint64_t own, uint64_t shared, struct sigitem *out)
{
	if (own)
		sig_dequeue(k, &t->pending, next_of(own), out);
	else if (shared)
		sig_dequeue(k, &t->proc->pending, next_of(shared), out);
	else
		return false;
	ptimer_signal_taken(k, t, out);
	return true;
}

bool sig_take(struct kern *k, struct thread *t, struct sigitem *out)
{
	uint64_t open = ~t->sigmask;

	if (!thread_may_run(t) || t->proc->doomed)
		return false;
	return take(k, t, with_handler(t, t->pending.set & open), with_handler(t, t->proc->pending.set & open), out);
}

bool sig_take_from_set(struct kern *k, struct thread *t, uint64_t set, struct sigitem *out)
{
	return take(k, t, t->pending.set & set, t->proc->pending.set & set, out);
}

/* ---- masks ---- */

void sig_set_mask(struct kern *k, struct thread *t, uint64_t mask)
{
	uint64_t blocked = mask & ~t->sigmask & t->proc->pending.set;

	t->sigmask = mask & ~UNBLOCKABLE;
	if (blocked)
		sig_retarget(k, t->proc, t);
	sig_settle(k, t);
}

void thread_set_temp_mask(struct kern *k, struct thread *t, uint64_t mask)
{
	if (t->has_restore_mask)
		return;
	t->restore_mask = t->sigmask;
	t->has_restore_mask = true;
	sig_set_mask(k, t, mask);
}

void thread_end_temp_mask(struct kern *k, struct thread *t)
{
	if (!t->has_restore_mask)
		return;
	t->has_restore_mask = false;
	sig_set_mask(k, t, t->restore_mask);
}

/* ---- actions ---- */

struct sighand *sighand_copy(struct kern *k, const struct sighand *h)
{
	struct sighand *n = arena_new_of(k->arena, struct sighand);

	if (h)
		*n = *h;
	n->refs = 1;
	return n;
}

void sighand_unref(struct kern *k, struct sighand *h)
{
	if (h && !--h->refs)
		arena_release_of(k->arena, h);
}

static bool ignores(const struct k_sigaction *a, int sig)
{
	enum sig_default def = sig_default_action(sig);

	return a->handler == 1 || (a->handler == 0 && (def == SIG_DEF_IGN || def == SIG_DEF_CONT));
}

void sig_set_action(struct kern *k, struct proc *p, int sig, const struct k_sigaction *act)
{
	struct k_sigaction *a = &p->sighand->act[sig];

	ENSURE(sig > 0 && sig <= K_NSIG && sig != SIGKILL && sig != SIGSTOP);
	*a = *act;
	a->mask &= ~UNBLOCKABLE;
	if (ignores(a, sig)) {
		/* POSIX: pending or not, blocked or not (do_sigaction()). */
		sig_drop(k, &p->pending, K_SIGBIT(sig));
		list_each(t, &p->threads, struct thread, in_proc)
			sig_drop(k, &t->pending, K_SIGBIT(sig));
	} else if (a->handler == 0) {
		list_each(t, &p->threads, struct thread, in_proc)
			sig_settle(k, t);
	}
}

/* flush_signal_handlers(): ignored ones stay ignored; pending ones stay pending. */
void sig_exec(struct kern *k, struct proc *p)
{
	if (p->sighand->refs > 1) {
		struct sighand *own = sighand_copy(k, p->sighand);
		sighand_unref(k, p->sighand);
		p->sighand = own;
	}
	for (int sig = 1; sig <= K_NSIG; sig++)
		p->sighand->act[sig] = (struct k_sigaction){.handler = p->sighand->act[sig].handler == 1};
	list_each(t, &p->threads, struct thread, in_proc) {
		thread_end_temp_mask(k, t);
		sig_settle(k, t);
	}
}
