/* The end of threads and processes. */
#include "tracer/notify.h"
#include "tracer/ptrace.h"
#include "tracer/node.h"
#include "tracer/sim.h"
#include "tracer/stage.h"
#include "tracer/sys_futex.h"
#include "tracer/vfs.h"

#include "base/mem.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void vfork_release(struct sim *s, struct proc *child)
{
	struct hostproc *h = proc_host(child);
	struct task *parent = h ? h->vfork_parent : NULL;

	if (!parent)
		return;
	h->vfork_parent = NULL;
	parent->vfork_child = NULL;
	if (parent->thread->proc->doomed)
		return;
	/* The parent stands in the stop of its vfork, and the real kernel has released it by now or will at once. */
	parent->park = PARK_STOP;
	if (pt_to_exit(parent->tid) < 0)
		parent->exited = true;
	thread_wake(&s->kern, parent->thread);
}

static void forget_task(struct sim *s, struct task *t)
{
	if (t->vfork_child && proc_host(t->vfork_child))
		proc_host(t->vfork_child)->vfork_parent = NULL;
	if (t->spinning)
		s->nspinning--;
	call_end(&t->call);
	map_del(&s->tasks, (uint64_t)t->tid);
	if (s->current == t)
		s->current = NULL;
	if (s->kern.current == t->thread)
		s->kern.current = NULL;
	thread_dead(&s->kern, t->thread);
	free(t);
}

static void await_zombie(struct sim *s, pid_t tgid)
{
	char path[64], line[512];

	snprintf(path, sizeof path, "%d/task/%d/stat", tgid, tgid);
	for (;;) {
		int fd = openat(s->host_proc, path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
		const char *state;
		if (fd >= 0)
			close(fd);
		if (n <= 0)
			return;
		line[n] = 0;
		state = strrchr(line, ')');
		if (!state || state[2] == 'Z' || state[2] == 'X')
			return;
		sched_yield();
	}
}

void task_ended(struct sim *s, struct task *t)
{
	struct proc *p = t->thread->proc;
	bool leader = t->tid == t->tgid;

	futex_thread_exit(s, t);
	notify_continue(s->listener, t->notify_id);
	/* A leader that exits first stays a zombie of the real kernel until the others are gone: reaped then. */
	if (leader)
		await_zombie(s, t->tgid);
	else
		pt_wait(t->tid);
	sim_event(s, p, "thread %d exited", t->thread->tid);
	forget_task(s, t);
}

struct ending ending_of(int status)
{
	const char *sig = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;
	struct ending e;

	if (sig)
		snprintf(e.text, sizeof e.text, "was killed by SIG%s", sig);
	else if (WIFSIGNALED(status))
		snprintf(e.text, sizeof e.text, "was killed by signal %d", WTERMSIG(status));
	else
		snprintf(e.text, sizeof e.text, "exited with status %d", WEXITSTATUS(status));
	return e;
}

static void driver_ended(struct sim *s, int status)
{
	s->res->exit_status = status;
	if (status)
		sim_verdict(s, CLASS_EXIT, "the driver %s", ending_of(status).text);
	else
		stage_driver_done(s);
}

void proc_finish(struct sim *s, struct proc *p)
{
	struct hostproc *h = proc_host(p);

	vfork_release(s, p);
	sim_event(s, p, "process %d %s", p->pid, ending_of(p->exit_status).text);
	if (p == s->driver)
		driver_ended(s, p->exit_status);
	p->host = NULL;
	node_proc_ended(s, p);
	proc_ended(&s->kern, p); /* may free it */
	hostproc_free(s, h);
}

/* A stop may have been queued before the kill. */
static void reap(pid_t tid)
{
	int status;

	do
		status = pt_wait(tid);
	while (status != -1 && WIFSTOPPED(status));
}

/* In the order of the threads' creation, each one awaited, so that what the kernel does at their end (clear_child_tid,
 * robust futexes in shared memory) happens in one order. */
void proc_kill_now(struct sim *s, struct proc *p)
{
	struct hostproc *h = proc_host(p);
	bool lived = true;

	list_each(th, &p->threads, struct thread, in_proc)
		if (thread_task(th) && !thread_task(th)->exited)
			futex_thread_exit(s, thread_task(th));
	kill(h->tgid, SIGKILL);
	list_each_safe(th, tmp, &p->threads, struct thread, in_proc) {
		struct task *t = thread_task(th);
		if (t->tid == t->tgid)
			lived = !t->exited;
		else if (!t->exited)
			reap(t->tid);
		forget_task(s, t);
	}
	if (lived)
		reap(h->tgid);
	proc_finish(s, p);
}
