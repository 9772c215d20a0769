#include "kernel/signalfd.h"

#include "kernel/task.h"

#include <string.h>

struct signalfd {
	uint64_t mask;
	struct file *file;
	struct list watches;
};

/* Passes a process's "a signal is pending" on to those who wait for the file. One per process that uses the file. */
struct sig_watch {
	struct waiter waiter; /* on proc->sig_wq */
	struct list of_file;
	struct signalfd *sfd;
	struct proc *proc;
};

/* struct signalfd_siginfo of include/uapi/linux/signalfd.h */
struct siginfo_out {
	uint32_t signo;
	int32_t err, code;
	uint32_t pid, uid;
	int32_t fd;
	uint32_t tid, band, overrun, trapno;
	int32_t status, value_int;
	uint64_t value_ptr, utime, stime, addr;
	uint16_t addr_lsb, pad2;
	int32_t syscall;
	uint64_t call_addr;
	uint32_t arch;
	uint8_t pad[28];
};
_Static_assert(sizeof(struct siginfo_out) == 128, "the ABI's size");

static void on_signal(struct waiter *w, uint32_t events)
{
	struct sig_watch *watch = container_of(w, struct sig_watch, waiter);

	file_notify(watch->sfd->file, K_EPOLLIN);
}

static void watch_current(struct kern *k, struct signalfd *s)
{
	struct proc *p = k->current ? k->current->proc : NULL;
	struct sig_watch *w;

	if (!p)
		return;
	list_each(it, &s->watches, struct sig_watch, of_file)
		if (it->proc == p)
			return;
	w = arena_new_of(k->arena, struct sig_watch);
	w->sfd = s;
	w->proc = p;
	list_add_tail(&s->watches, &w->of_file);
	waitq_add(&p->sig_wq, &w->waiter, on_signal);
}

static void unwatch(struct kern *k, struct sig_watch *w)
{
	list_del(&w->waiter.link);
	list_del(&w->of_file);
	arena_release_of(k->arena, w);
}

void signalfd_forget(struct kern *k, struct proc *p)
{
	list_each_safe(w, tmp, &p->sig_wq.waiters, struct waiter, link)
		if (w->fn == on_signal)
			unwatch(k, container_of(w, struct sig_watch, waiter));
}

/* signalfd_copyinfo() */
static void fill(struct siginfo_out *out, const struct sigitem *it)
{
	*out = (struct siginfo_out){.signo = (uint32_t)it->sig, .code = it->code, .pid = (uint32_t)it->pid, .uid = it->uid};
	if (it->code == SI_TIMER) {
		out->pid = 0; /* lies where timers keep their id */
		out->tid = (uint32_t)it->pid;
	}
	if (it->sig == SIGCHLD && it->code > 0)
		out->status = it->status;
	if (it->code < 0) {
		out->value_int = (int32_t)it->value;
		out->value_ptr = (uint64_t)it->value;
	}
}

static int64_t signalfd_read(struct kern *k, struct file *f, void *buf, size_t len)
{
	struct signalfd *s = f->obj;
	struct siginfo_out out;
	struct sigitem it;
	size_t done = 0;

	watch_current(k, s);
	if (len < sizeof out)
		return -EINVAL;
	while (done + sizeof out <= len && k->current && sig_take_from_set(k, k->current, s->mask, &it)) {
		fill(&out, &it);
		memcpy((char *)buf + done, &out, sizeof out);
		done += sizeof out;
	}
	return done ? (int64_t)done : -EAGAIN;
}

static uint32_t signalfd_poll(struct kern *k, struct file *f)
{
	struct signalfd *s = f->obj;

	watch_current(k, s);
	return k->current && (sig_pending_set(k->current) & s->mask) ? K_EPOLLIN : 0;
}

static void signalfd_release(struct kern *k, struct file *f)
{
	struct signalfd *s = f->obj;

	list_each_safe(w, tmp, &s->watches, struct sig_watch, of_file)
		unwatch(k, w);
	arena_release_of(k->arena, s);
}

static const struct file_ops signalfd_ops = {
	.kind = "signalfd",
	.read = signalfd_read,
	.poll = signalfd_poll,
	.release = signalfd_release,
};

bool file_is_signalfd(const struct file *f)
{
	return f->ops == &signalfd_ops;
}

void signalfd_set_mask(struct file *f, uint64_t mask)
{
	struct signalfd *s = f->obj;

	s->mask = mask & ~(K_SIGBIT(SIGKILL) | K_SIGBIT(SIGSTOP));
	file_notify(f, 0);
}

struct file *signalfd_new(struct kern *k, uint64_t mask, uint32_t flags)
{
	struct signalfd *s = arena_new_of(k->arena, struct signalfd);

	list_init(&s->watches);
	s->file = file_new(k, &signalfd_ops, s, O_RDWR | flags);
	signalfd_set_mask(s->file, mask);
	watch_current(k, s);
	return s->file;
}
