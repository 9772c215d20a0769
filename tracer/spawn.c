/*
 * Processes that no guest forks: the driver, and nodes that are started again. A template, forked once from the supervisor
 * and put under the filter, stands for ever in a stop; each new process is a copy of it that runs a few instructions
 * (change directory, execve) as an ordinary guest, so that exec has one way through the simulator.
 */
#include "tracer/filter.h"
#include "tracer/node.h"
#include "tracer/ptrace.h"
#include "tracer/sim.h"
#include "tracer/vfs.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Arguments for a copy are written here; the template maps it before the filter is loaded. */
enum { ARG_AREA = 4 << 20 };

/* rdi path, rsi argv, rdx envp, r12 directory. */
__asm__(".text\n"
	".globl spawn_stub\n"
	"spawn_stub:\n"
	"	push %rdi\n"
	"	mov %r12, %rdi\n"
	"	mov $80, %eax\n" /* chdir */
	"	syscall\n"
	"	pop %rdi\n"
	"	mov $59, %eax\n" /* execve */
	"	syscall\n"
	"	mov %eax, %edi\n"
	"	neg %edi\n"
	"	cmp $2, %edi\n" /* ENOENT: 127, anything else: 126, as a shell */
	"	mov $126, %edi\n"
	"	jne 1f\n"
	"	mov $127, %edi\n"
	"1:	mov $231, %eax\n" /* exit_group */
	"	syscall\n"
	"	hlt\n"
	/* The template's own resting place: any call that the filter traces. */
	".globl spawn_rest\n"
	"spawn_rest:\n"
	"	xor %edi, %edi\n"
	"	mov $59, %eax\n"
	".globl spawn_rest_syscall\n"
	"spawn_rest_syscall:\n"
	"	syscall\n"
	"	jmp spawn_rest\n");
extern const char spawn_stub[], spawn_rest[], spawn_rest_syscall[];

static const cap_value_t kept_caps[] = {CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID,           CAP_SETUID,
					CAP_SETGID, CAP_SETPCAP,      CAP_KILL,   CAP_NET_BIND_SERVICE, CAP_SYS_CHROOT};

/* Out of the bounding set too, since exec of uid 0 would bring them back (capabilities(7)). */
static int drop_caps(void)
{
	cap_t want = cap_init();
	int rc = -1;

	for (cap_value_t c = 0; c <= CAP_LAST_CAP; c++) {
		bool keep = false;
		for (size_t i = 0; i < ARRAY_LEN(kept_caps); i++)
			keep |= kept_caps[i] == c;
		if (!keep && cap_get_bound(c) == 1)
			cap_drop_bound(c);
	}
	if (!want)
		return -1;
	if (!cap_set_flag(want, CAP_PERMITTED, ARRAY_LEN(kept_caps), kept_caps, CAP_SET) &&
	    !cap_set_flag(want, CAP_EFFECTIVE, ARRAY_LEN(kept_caps), kept_caps, CAP_SET))
		rc = cap_set_proc(want);
	cap_free(want);
	return rc;
}

/* What decides addresses and limits of the real process is the same everywhere; what guests are told is in proc->rlim. */
static void set_limits(void)
{
	static const struct {
		int res;
		rlim_t soft, hard;
	} lim[] = {
		{RLIMIT_STACK, 8 << 20, RLIM_INFINITY}, {RLIMIT_CORE, 0, 0},
		{RLIMIT_DATA, RLIM_INFINITY, RLIM_INFINITY}, {RLIMIT_AS, RLIM_INFINITY, RLIM_INFINITY},
		{RLIMIT_CPU, RLIM_INFINITY, RLIM_INFINITY}, {RLIMIT_FSIZE, RLIM_INFINITY, RLIM_INFINITY},
	};
	struct rlimit r;

	for (size_t i = 0; i < ARRAY_LEN(lim); i++) {
		r = (struct rlimit){lim[i].soft, lim[i].hard};
		if (setrlimit((__rlimit_resource_t)lim[i].res, &r) < 0 && !getrlimit((__rlimit_resource_t)lim[i].res, &r)) {
			r.rlim_cur = MIN(lim[i].soft, r.rlim_max); /* an ordinary user under a lower hard limit */
			setrlimit((__rlimit_resource_t)lim[i].res, &r);
		}
	}
	r = (struct rlimit){1 << 20, 1 << 20};
	if (setrlimit(RLIMIT_NOFILE, &r) < 0 && !getrlimit(RLIMIT_NOFILE, &r)) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static int place_fds(struct sim *s)
{
	int clock = fcntl(s->clock_fd, F_DUPFD_CLOEXEC, 100), null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (clock < 0 || null < 0)
		return -1;
	if (dup2(clock, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
		return -1;
	return close_range(3, ~0u, 0);
}

static void default_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < 65; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

_Noreturn static void template_main(struct sim *s, int go, void *area)
{
	char c;
	int fail = 1;

	(void)area;
	if (read(go, &c, 1) != 1)
		_exit(fail);
	prctl(PR_SET_NAME, "template");
	setsid();
	default_signals();
	set_limits();
	fail = 2;
	if (place_fds(s) < 0)
		_exit(fail);
	fail = 3;
	if (personality(ADDR_NO_RANDOMIZE) < 0 || prctl(PR_SET_TSC, PR_TSC_SIGSEGV) < 0)
		_exit(fail);
	fail = 4;
	if (geteuid() == 0 || getuid() != 0) /* in a user namespace as well: exec would drop them, but not at once */
		if (drop_caps() < 0 && geteuid() == 0)
			_exit(fail);
	fail = 5;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0)
		_exit(fail);
	fail = 6;
	if (filter_load(&s->filter) != 3)
		_exit(fail);
	__asm__ volatile("jmp spawn_rest");
	__builtin_unreachable();
}

static int fetch_listener(struct sim *s, struct err *e)
{
	int pidfd = (int)syscall(SYS_pidfd_open, s->seed_tid, 0);

	if (pidfd < 0)
		return err_set(e, errno, "cannot open a pidfd");
	s->listener = (int)syscall(SYS_pidfd_getfd, pidfd, 3, 0);
	if (s->listener < 0)
		err_set(e, errno, "cannot fetch the seccomp listener");
	close(pidfd);
	return s->listener < 0 ? -1 : 0;
}

int spawn_template(struct sim *s, struct err *e)
{
	int go[2], status;

	s->spawn_area = mmap(NULL, ARG_AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->spawn_area == MAP_FAILED || pipe2(go, O_CLOEXEC) < 0)
		return err_set(e, errno, "cannot prepare the first process");
	s->seed_tid = fork();
	if (s->seed_tid == 0) {
		close(go[1]);
		template_main(s, go[0], s->spawn_area);
	}
	close(go[0]);
	if (s->seed_tid < 0 || pt_seize(s->seed_tid) < 0)
		return err_set(e, errno, "cannot trace the first process (simrun doctor says more)");
	if (write(go[1], "x", 1) != 1)
		return err_set(e, errno, "cannot start the first process");
	close(go[1]);
	status = pt_wait(s->seed_tid);
	if (status == -1 || !WIFSTOPPED(status) || pt_event(status) != PTRACE_EVENT_SECCOMP)
		return err_set(e, 0, "the first process could not enter the simulation (status 0x%x; simrun doctor says more)",
			       (unsigned)status);
	return fetch_listener(s, e);
}

/* ---- copies ---- */

struct area {
	char *data;
	size_t at;
	uint64_t base;
};

static uint64_t put(struct area *a, const void *p, size_t n)
{
	uint64_t where = a->base + a->at;

	if (a->at + n > ARG_AREA)
		BUG("the arguments of a process do not fit");
	memcpy(a->data + a->at, p, n);
	a->at += (n + 15) & ~15ul;
	return where;
}

static uint64_t put_strings(struct area *a, char **v)
{
	size_t n = 0;
	uint64_t *ptr, where;

	while (v[n])
		n++;
	ptr = xcalloc(n + 1, sizeof *ptr);
	for (size_t i = 0; i < n; i++)
		ptr[i] = put(a, v[i], strlen(v[i]) + 1);
	where = put(a, ptr, (n + 1) * sizeof *ptr);
	free(ptr);
	return where;
}

/* Makes the template clone itself; the copy's tid, or -errno. Both end in a stop. */
static int64_t clone_template(struct sim *s)
{
	struct user_regs_struct r, rest;
	int64_t tid;
	int status;

	pt_getregs(s->seed_tid, &rest);
	r = rest;
	r.orig_rax = SYS_clone;
	r.rdi = CLONE_PARENT | SIGCHLD;
	r.rsi = r.rdx = r.r10 = r.r8 = 0;
	pt_setregs(s->seed_tid, &r);
	status = pt_to_exit(s->seed_tid);
	if (status == -1 || !WIFSTOPPED(status))
		return -ESRCH;
	if (!pt_event(status)) {
		pt_getregs(s->seed_tid, &r);
		return (int64_t)r.rax;
	}
	tid = (int64_t)pt_message(s->seed_tid);
	pt_to_exit(s->seed_tid);
	pt_getregs(s->seed_tid, &r);
	r.rip = (uintptr_t)spawn_rest;
	pt_setregs(s->seed_tid, &r);
	pt_cont(s->seed_tid, 0);
	pt_wait(s->seed_tid); /* back in the entry stop */
	status = pt_wait((pid_t)tid);
	return status != -1 && WIFSTOPPED(status) ? tid : -ESRCH;
}

static void aim_at_stub(struct sim *s, pid_t tid, const struct launch *l)
{
	struct area a = {.data = s->spawn_area, .base = (uintptr_t)s->spawn_area};
	struct user_regs_struct r;
	struct iovec mine, theirs;

	pt_getregs(tid, &r);
	r.rip = (uintptr_t)spawn_stub;
	r.orig_rax = (unsigned long)-1;
	r.rdi = put(&a, l->path, strlen(l->path) + 1);
	r.rsi = put_strings(&a, l->argv);
	r.rdx = put_strings(&a, l->envp);
	r.r12 = put(&a, l->cwd, strlen(l->cwd) + 1);
	mine = (struct iovec){a.data, a.at};
	theirs = (struct iovec){s->spawn_area, a.at};
	if (process_vm_writev(tid, &mine, 1, &theirs, 1, 0) != (ssize_t)a.at)
		BUG("cannot write the arguments of process %d: %s", tid, strerror(errno));
	pt_setregs(tid, &r);
}

int spawn_process(struct sim *s, struct proc *p, const struct launch *l)
{
	int64_t tid = clone_template(s);
	struct thread *th;

	if (tid < 0)
		return (int)tid;
	if (p->pid != s->next_pid)
		BUG("process %d was to get pid %d", p->pid, s->next_pid);
	s->next_pid++;
	aim_at_stub(s, (pid_t)tid, l);
	p->host = hostproc_new(s, (pid_t)tid);
	proc_host(p)->fs = fs_new(s, l->cwd);
	th = thread_new(&s->kern, p, p->pid);
	th->sigmask = 0;
	task_new(s, th, (pid_t)tid, (pid_t)tid);
	thread_wake(&s->kern, th);
	return 0;
}
