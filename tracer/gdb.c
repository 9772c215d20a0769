/*
 * `simrun replay -gdb NODE`: the frozen process for gdb. A thread has one tracer only, and one that waits for the answer to
 * a notification stops for nobody, so the process is handed over: every thread is brought to a stop, then let go with a
 * SIGSTOP pending, which it takes before its next instruction. gdb runs in the guests' namespaces, with their numbers and
 * files. The simulation is over: a call that the process makes under gdb is answered with EINTR.
 */
#include "base/mem.h"
#include "tracer/notify.h"
#include "tracer/ptrace.h"
#include "tracer/sim.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_of(struct sim *s, const struct proc *p, const char *node, size_t n)
{
	const char *name = sim_node_of(s, p)->name;

	return strlen(name) == n && !memcmp(name, node, n) && !p->zombie && p->nthreads;
}

/* The one that failed, if it is of this node; else the node's first. */
static struct proc *choose(struct sim *s, const char *node, size_t n, int pid)
{
	struct proc *first = NULL;

	if (!pid && s->current && is_of(s, s->current->thread->proc, node, n))
		return s->current->thread->proc;
	map_each(&s->kern.procs, i)
	{
		struct proc *p = s->kern.procs.vals[i];
		if (is_of(s, p, node, n) && (pid ? p->pid == pid : !first || p->pid < first->pid))
			first = p;
	}
	return first;
}

static int by_pid(const void *a, const void *b)
{
	const struct proc *x = *(struct proc *const *)a, *y = *(struct proc *const *)b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* "driver:4 (bash), n1:7 (probe)" */
static void list_processes(struct sim *s, struct buf *out)
{
	struct proc **all = xnewn(struct proc *, s->kern.procs.len + 1);
	size_t n = 0;

	map_each(&s->kern.procs, i)
		if (!((struct proc *)s->kern.procs.vals[i])->zombie && ((struct proc *)s->kern.procs.vals[i])->nthreads)
			all[n++] = s->kern.procs.vals[i];
	qsort(all, n, sizeof(struct proc *), by_pid);
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s%s:%d (%s)", i ? ", " : "", sim_node_of(s, all[i])->name, all[i]->pid,
			 list_first(&all[i]->threads, struct thread, in_proc)->comm);
	free(all);
}

/* In the stop before a call that the kernel would perform itself: it shall not. */
static void skip_call(pid_t tid)
{
	struct user_regs_struct r;
	siginfo_t si;

	if (ptrace(PTRACE_GETSIGINFO, tid, 0, &si) < 0 || si.si_code != (PTRACE_EVENT_SECCOMP << 8 | SIGTRAP))
		return;
	pt_getregs(tid, &r);
	r.orig_rax = (unsigned long long)-1;
	pt_setregs(tid, &r);
}

static bool is_stopped(struct sim *s, pid_t tid)
{
	char path[64], text[512], *paren;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "%d/stat", tid);
	fd = openat(s->host_proc, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return true; /* gone */
	text[n] = 0;
	paren = strrchr(text, ')');
	return paren && paren[1] && paren[2] == 'T';
}

static void let_go(struct sim *s, struct proc *p)
{
	list_each(t, &p->threads, struct thread, in_proc)
		if (report_stop_thread(s, thread_task(t)))
			skip_call(thread_task(t)->tid);
	kill(proc_host(p)->tgid, SIGSTOP);
	list_each(t, &p->threads, struct thread, in_proc)
		if (!thread_task(t)->exited)
			ptrace(PTRACE_DETACH, thread_task(t)->tid, 0, 0);
	list_each(t, &p->threads, struct thread, in_proc)
		for (int tries = 0; tries < 1000 && !is_stopped(s, thread_task(t)->tid); tries++)
			poll(NULL, 0, 1);
}

/* An ordinary user's exec keeps no capability but the ambient ones, and gdb must be let near a process that is no child of its. */
static void keep_ptrace_capability(void)
{
	cap_value_t v = CAP_SYS_PTRACE;
	cap_t c = cap_get_proc();

	if (c && !cap_set_flag(c, CAP_INHERITABLE, 1, &v, CAP_SET) && !cap_set_proc(c))
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_PTRACE, 0, 0);
	if (c)
		cap_free(c);
}

_Noreturn static void exec_gdb(int pid)
{
	char number[16];
	sigset_t none;

	snprintf(number, sizeof number, "%d", pid);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_TSC, PR_TSC_ENABLE); /* it would survive exec */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);
	if (isatty(STDIN_FILENO)) {
		signal(SIGTTOU, SIG_IGN); /* not yet in the foreground */
		tcsetpgrp(STDIN_FILENO, getpid());
		signal(SIGTTOU, SIG_DFL);
	}
	keep_ptrace_capability();
	/* The SIGSTOP is ours. */
	execlp("gdb", "gdb", "-q", "-iex", "set debuginfod enabled off", "-iex", "handle SIGSTOP nostop noprint nopass", "-p", number,
	       (char *)NULL);
	dprintf(STDERR_FILENO, "simrun: cannot run gdb: %s\n", strerror(errno));
	_exit(127);
}

/* Whatever the process calls under gdb must not hang. */
static int wait_for(struct sim *s, pid_t gdb)
{
	struct pollfd pfd = {.fd = s->listener, .events = POLLIN};
	static const volatile int no_flag;
	int status;

	while (waitpid(gdb, &status, WNOHANG) == 0)
		if (poll(&pfd, 1, 50) == 1 && (pfd.revents & POLLIN) && !notify_recv(s->listener, s->notif, &no_flag))
			notify_reply(s->listener, s->notif->id, -EINTR);
	return status;
}

static int run_gdb(struct sim *s, int pid, struct err *e)
{
	struct itimerval off = {0};
	bool tty = isatty(STDIN_FILENO);
	pid_t gdb, group = tty ? tcgetpgrp(STDIN_FILENO) : -1;
	int status;

	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	gdb = fork();
	if (gdb < 0)
		return err_set(e, errno, "cannot start gdb");
	if (gdb == 0)
		exec_gdb(pid);
	status = wait_for(s, gdb);
	if (tty) {
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(STDIN_FILENO, group);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(e, 0, "gdb could not be run; install it");
	return 0;
}

int gdb_hand_over(struct sim *s, struct err *e)
{
	const char *colon = strchr(s->cfg->gdb, ':');
	struct proc *p = choose(s, s->cfg->gdb, colon ? (size_t)(colon - s->cfg->gdb) : strlen(s->cfg->gdb), colon ? atoi(colon + 1) : 0);
	struct buf all = {0};
	int rc;

	list_processes(s, &all);
	if (!p) {
		rc = err_set(e, 0, "no process %s at %.6fs; there are %s", s->cfg->gdb, (double)sim_elapsed_ns(s) / 1e9,
			     all.len ? all.data : "none");
		buf_clear(&all);
		return rc;
	}
	dprintf(STDERR_FILENO, "simrun: stopped at %.6fs; gdb gets %s:%d of %s\n", (double)sim_elapsed_ns(s) / 1e9,
		sim_node_of(s, p)->name, p->pid, all.data);
	let_go(s, p);
	rc = run_gdb(s, p->pid, e);
	buf_clear(&all);
	return rc;
}
