/* What a failed run says about its threads: who waits for what, and where (libunwind-ptrace). */
#include "tracer/gmem.h"
#include "tracer/notify.h"
#include "tracer/ptrace.h"
#include "tracer/sim.h"
#include "tracer/view.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <libunwind-ptrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEPTH = 24 };

/* A thread that runs may make a call before the interrupt reaches it: that one is answered too. */
static bool await_interrupt(struct sim *s, struct task *t)
{
	struct pollfd pfd = {.fd = s->listener, .events = POLLIN};
	static const volatile int no_flag;
	int status;

	for (;;) {
		pid_t got = waitpid(t->tid, &status, __WALL | WNOHANG);
		if (got == t->tid)
			return WIFSTOPPED(status);
		if (got < 0 && errno != EINTR)
			return false;
		if (poll(&pfd, 1, 1) == 1 && (pfd.revents & POLLIN) && !notify_recv(s->listener, s->notif, &no_flag))
			notify_reply(s->listener, s->notif->id, -K_ERESTARTSYS);
	}
}

/* A parked thread cannot be looked at before its call is answered; the run is over, so any answer will do. */
bool report_stop_thread(struct sim *s, struct task *t)
{
	if (t->exited)
		return false;
	if (t->park == PARK_STOP || t->park == PARK_VFORK)
		return true;
	if (ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) < 0)
		return false;
	if (t->park == PARK_NOTIFY && notify_reply(s->listener, t->notify_id, -K_ERESTARTSYS) < 0)
		return false;
	if (!await_interrupt(s, t)) {
		t->exited = true;
		return false;
	}
	t->park = PARK_STOP;
	return true;
}

/* The mapping that an address lies in: "libc.so.6+0x1234"; libunwind gives names of functions only. */
static void describe_place(struct sim *s, pid_t tid, uint64_t addr, struct buf *out)
{
	struct gm_mapping m;
	const char *base;

	if (!gm_mapping_at(s, tid, addr, &m) || !*m.file)
		return;
	base = strrchr(m.file, '/');
	buf_addf(out, " (%s+0x%" PRIx64 ")", base ? base + 1 : m.file, addr - m.lo + m.off);
}

void report_backtrace(struct sim *s, struct task *t, struct buf *out)
{
	unw_addr_space_t as;
	unw_cursor_t cur;
	void *ui;

	if (!report_stop_thread(s, t))
		return;
	view_show_host_proc(true);
	as = unw_create_addr_space(&_UPT_accessors, 0);
	ui = _UPT_create(t->tid);
	if (as && ui && unw_init_remote(&cur, as, ui) == 0) {
		int depth = 0;
		do {
			unw_word_t ip = 0, off = 0;
			char name[256];
			unw_get_reg(&cur, UNW_REG_IP, &ip);
			buf_addf(out, "    #%-2d 0x%012lx", depth, (unsigned long)ip);
			if (unw_get_proc_name(&cur, name, sizeof name, &off) == 0)
				buf_addf(out, " %s+0x%lx", name, (unsigned long)off);
			describe_place(s, t->tid, ip, out);
			buf_addc(out, '\n');
		} while (++depth < DEPTH && unw_step(&cur) > 0);
	}
	if (ui)
		_UPT_destroy(ui);
	if (as)
		unw_destroy_addr_space(as);
	view_show_host_proc(false);
}

static int by_tid(const void *a, const void *b)
{
	const struct thread *x = *(struct thread *const *)a, *y = *(struct thread *const *)b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void report_thread(struct sim *s, struct thread *th, struct buf *out)
{
	struct task *t = thread_task(th);

	buf_addf(out, "%s: process %d, thread %d (%s): waits for %s", sim_node_of(s, th->proc)->name, th->proc->pid, th->tid,
		 th->comm, th->stopped ? "SIGCONT (stopped)" : th->wait_what ? th->wait_what : "nothing known");
	if (t && t->in_call && t->call.note[0])
		buf_addf(out, " (%s)", t->call.note);
	buf_addc(out, '\n');
	if (t)
		report_backtrace(s, t, out);
}

void report_deadlock(struct sim *s)
{
	struct thread **all = NULL;
	struct buf out = {0};
	size_t n = 0;

	all = calloc(s->kern.threads.len + 1, sizeof(struct thread *));
	if (!all)
		return;
	map_each(&s->kern.threads, i)
		all[n++] = s->kern.threads.vals[i];
	qsort(all, n, sizeof(struct thread *), by_tid);
	for (size_t i = 0; i < n; i++)
		report_thread(s, all[i], &out);
	free(all);
	sim_verdict(s, CLASS_DEADLOCK, "no thread can run and no timer is armed, %zu thread%s left", n, n == 1 ? "" : "s");
	buf_add(&s->res->details, out.data, out.len);
	buf_clear(&out);
}
