/* Memory that is more than private and anonymous: mappings of files, shared memory, executable pages. */
#include "kernel/chardev.h"
#include "tracer/call.h"
#include "tracer/mem.h"
#include "tracer/ptrace.h"
#include "tracer/realfile.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { MINOR_ZERO = 5 };

/* Where descriptors lie that are installed for one mapping only: out of the way, if the host's hard limit lets us. */
static int map_fd_number(void)
{
	struct rlimit r;

	return getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur > 900 ? 900 : (int)r.rlim_cur - 1;
}

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

static int map_error(struct file *f, uint64_t prot, uint64_t flags)
{
	unsigned acc = f->flags & O_ACCMODE;

	if (acc == O_WRONLY)
		return EACCES;
	if ((flags & MAP_TYPE) != MAP_PRIVATE && (prot & PROT_WRITE) && acc != O_RDWR)
		return EACCES;
	return 0;
}

/* Another call than the one that was made; the registers of its arguments are put back. */
static struct verdict perform_other(struct call *c, long nr, const uint64_t arg[6])
{
	pid_t tid = c->task->tid;
	struct user_regs_struct saved, r;
	struct verdict v;

	pt_getregs(tid, &saved);
	r = saved;
	r.orig_rax = (unsigned long)nr;
	r.rdi = arg[0];
	r.rsi = arg[1];
	r.rdx = arg[2];
	r.r10 = arg[3];
	r.r8 = arg[4];
	r.r9 = arg[5];
	pt_setregs(tid, &r);
	v = perform(c);
	if (v.kind != V_TRACED)
		return v;
	pt_getregs(tid, &r);
	r.rdi = saved.rdi;
	r.rsi = saved.rsi;
	r.rdx = saved.rdx;
	r.r10 = saved.r10;
	r.r8 = saved.r8;
	r.r9 = saved.r9;
	pt_setregs(tid, &r);
	return v;
}

struct verdict mem_map_fd(struct call *c, int host_fd, const uint64_t arg[6])
{
	uint64_t a[6] = {arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]};
	int rc, at = map_fd_number();

	if (host_fd < 0)
		return perform_other(c, SYS_mmap, a);
	rc = pt_install_fd(c->sim, c->task, host_fd, at);
	if (rc)
		return observe_fail(c, rc);
	hostproc_forget_fd(proc_host(c->proc), (unsigned)at);
	a[4] = (uint64_t)at;
	return perform_other(c, SYS_mmap, a);
}

struct verdict mem_unmap(struct call *c, uint64_t addr, uint64_t len)
{
	const uint64_t arg[6] = {addr, len};

	return perform_other(c, SYS_munmap, arg);
}

static struct verdict code_mapped(struct call *c, struct file *f, struct verdict v)
{
	if (v.kind == V_TRACED && (c->arg[2] & PROT_EXEC) && (v.value > 0 || v.value < -4095) &&
	    (c->arg[3] & MAP_TYPE) == MAP_PRIVATE) {
		hwrand_mapped(c->sim, c->task, vfs_host_fd(f), c->arg[5], c->arg[1], (uint64_t)v.value);
		count_mapped(c->sim, c->task, vfs_host_fd(f), c->arg[5], c->arg[1], (uint64_t)v.value);
	}
	return v;
}

/* A descriptor that the real process holds, whose file is the virtual one's; else it is installed for this mapping. */
static struct verdict map_file(struct call *c)
{
	struct hostproc *h = proc_host(c->proc);
	struct file *f = fdtab_get(c->proc->fds, (int)c->arg[4]);
	struct verdict v;
	int rc;

	if (!f)
		return observe_fail(c, -EBADF);
	if (chardev_minor(f) == MINOR_ZERO) {
		/* /dev/zero: anonymous memory by another name. */
		uint64_t arg[6] = {c->arg[0], c->arg[1], c->arg[2], c->arg[3] | MAP_ANONYMOUS, (uint64_t)-1, 0};
		return mem_map_fd(c, -1, arg);
	}
	if (vfs_host_fd(f) < 0 || !f->ops->pread)
		return observe_fail(c, -ENODEV);
	rc = map_error(f, c->arg[2], c->arg[3]);
	if (rc)
		return observe_fail(c, -rc);
	if (hostproc_installed(h, (unsigned)c->arg[4]) == f && (c->arg[3] & MAP_TYPE) == MAP_PRIVATE)
		return code_mapped(c, f, perform(c));
	if ((c->arg[3] & MAP_TYPE) != MAP_PRIVATE)
		realfile_before_shared_map(c, f);
	v = mem_map_fd(c, vfs_host_fd(f), c->arg);
	hostproc_note_installed(h, (unsigned)map_fd_number(), f);
	return code_mapped(c, f, v);
}

struct verdict sys_mmap(struct call *c)
{
	uint64_t flags = c->arg[3];

	if ((flags & MAP_TYPE) != MAP_PRIVATE)
		c->proc->mm->has_shared = true;
	if (flags & MAP_HUGETLB)
		return observe_fail(c, -ENOMEM); /* whether there are any is the host's affair */
	if (flags & MAP_ANONYMOUS)
		return perform(c);
	return map_file(c);
}

struct verdict mem_native(struct call *c)
{
	return perform(c);
}

struct verdict mem_fail(struct call *c, int64_t result)
{
	const uint64_t nothing[6] = {0};

	return c->nr == SYS_brk ? perform_other(c, SYS_brk, nothing) : observe_fail(c, result);
}

struct verdict sys_mprotect(struct call *c)
{
	return perform(c);
}
