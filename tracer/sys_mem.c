/* Memory that is more than private and anonymous: mappings of files, shared memory, executable pages. */
#include "tracer/call.h"
#include "tracer/notify.h"
#include "tracer/ptrace.h"
#include "tracer/realfile.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum {
	/* A call number without a row, for which the filter notifies: never made by guests with this meaning. */
	NR_INSTALL = 511,
	/* Where descriptors lie that are installed for one mapping only. */
	MAP_FD = 900,
};

/* The kernel performs the call and its result is fetched. */
static struct verdict perform(struct call *c)
{
	struct user_regs_struct r;
	int status = pt_to_exit(c->task->tid);

	if (status == -1 || !WIFSTOPPED(status)) {
		c->task->exited = true;
		proc_doom(c->k, c->proc, SIGKILL);
		return GONE();
	}
	pt_getregs(c->task->tid, &r);
	return TRACED(r.rax);
}

/*
 * Gives the process a real descriptor for a file that it holds under a number at which nothing real stands. The thread is
 * in the entry stop of its mmap, where nothing can be installed; so it first makes a call that notifies, gets the
 * descriptor there, and is then put back to the same entry stop.
 */
static int install_here(struct call *c, int host_fd, int at)
{
	struct sim *s = c->sim;
	pid_t tid = c->task->tid;
	struct user_regs_struct saved, r;
	int rc, status;

	pt_getregs(tid, &saved);
	r = saved;
	r.orig_rax = NR_INSTALL;
	pt_setregs(tid, &r);
	pt_cont(tid, 0);
	do
		rc = (int)notify_recv(s->listener, s->notif, &(const volatile int){0});
	while (rc == -EINTR);
	if (rc)
		return rc;
	rc = notify_addfd(s->listener, s->notif->id, host_fd, at);
	ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	notify_reply(s->listener, s->notif->id, 0);
	status = pt_wait(tid);
	if (status == -1 || !WIFSTOPPED(status))
		return -ESRCH;
	r = saved;
	r.rip -= 2; /* the length of the syscall instruction */
	r.rax = saved.orig_rax;
	r.orig_rax = (unsigned long)-1;
	pt_setregs(tid, &r);
	pt_cont(tid, 0);
	status = pt_wait(tid);
	if (status == -1 || !WIFSTOPPED(status) || pt_event(status) != PTRACE_EVENT_SECCOMP)
		return -ESRCH;
	return rc;
}

static int map_error(struct file *f, uint64_t prot, uint64_t flags)
{
	unsigned acc = f->flags & O_ACCMODE;

	if (acc == O_WRONLY)
		return EACCES;
	if ((flags & MAP_TYPE) != MAP_PRIVATE && (prot & PROT_WRITE) && acc != O_RDWR)
		return EACCES;
	return 0;
}

/* A descriptor that the real process holds, whose file is the virtual one's. */
static struct verdict map_file(struct call *c)
{
	int fd = (int)c->arg[4], at = fd, host;
	struct file *f = fdtab_get(c->proc->fds, fd);
	struct user_regs_struct r;
	int rc;

	if (!f)
		return observe_fail(c, -EBADF);
	host = vfs_host_fd(f);
	if (host < 0 || !f->ops->pread)
		return observe_fail(c, -ENODEV);
	rc = map_error(f, c->arg[2], c->arg[3]);
	if (rc)
		return observe_fail(c, -rc);
	if (hostproc_installed(proc_host(c->proc), (unsigned)fd) == f)
		return perform(c);
	at = MAP_FD;
	rc = install_here(c, host, at);
	if (rc)
		return observe_fail(c, rc);
	pt_getregs(c->task->tid, &r);
	r.r8 = (unsigned long)at;
	pt_setregs(c->task->tid, &r);
	struct verdict v = perform(c);
	pt_getregs(c->task->tid, &r);
	r.r8 = c->arg[4];
	pt_setregs(c->task->tid, &r);
	return v;
}

struct verdict sys_mmap(struct call *c)
{
	uint64_t flags = c->arg[3];

	if ((flags & MAP_TYPE) != MAP_PRIVATE)
		c->proc->mm->has_shared = true;
	if (flags & MAP_ANONYMOUS)
		return perform(c);
	return map_file(c);
}

struct verdict sys_mprotect(struct call *c)
{
	return perform(c);
}
