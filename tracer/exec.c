/* execve: the kernel replaces the program; the simulator keeps up and puts its clock page and vDSO into the new one. */
#include "tracer/call.h"
#include "tracer/catalog.h"
#include "tracer/gmem.h"
#include "tracer/node.h"
#include "tracer/ptrace.h"
#include "tracer/sdk.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"
#include "tracer/vdso.h"
#include "tracer/vdso_image.h"
#include "tracer/vfs.h"

#include "base/mem.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARG_BYTES_MAX = 2 << 20 };

/* ---- the new program ---- */

static int read_auxv(struct sim *s, struct task *t, struct hostproc *h)
{
	unsigned char b[2048];
	char path[32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "%d/auxv", t->tid);
	fd = openat(s->host_proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, b, sizeof b);
	close(fd);
	if (n <= 0)
		return -EIO;
	free(h->auxv);
	h->auxv = xmemdup(b, (size_t)n);
	h->auxv_len = (size_t)n;
	return 0;
}

static uint64_t aux_value(const struct hostproc *h, uint64_t type)
{
	const Elf64_auxv_t *a = (const void *)h->auxv;

	for (size_t i = 0; i < h->auxv_len / sizeof *a; i++)
		if (a[i].a_type == type)
			return a[i].a_un.a_val;
	return 0;
}

/* Our image over the host's vDSO, whose pages a forced write copies first; the host's code is gone afterwards. */
static int put_vdso(struct sim *s, struct task *t, uint64_t vdso, uint64_t page)
{
	unsigned char *image = xcalloc(1, s->vdso_len);
	int rc;

	memcpy(image, vdso_image_start, vdso_image_size());
	memcpy(image + vdso_image_slot(), &page, sizeof page);
	rc = gm_poke(t->tid, s->host_proc, vdso, image, s->vdso_len);
	free(image);
	return rc;
}

/* The clock page takes the place of the host's vvar pages: whoever looks there sees virtual time. */
static int put_clock_page(struct sim *s, struct task *t, uint64_t page)
{
	const uint64_t arg[6] = {page, s->vvar_len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, 0, 0};
	int64_t got = pt_remote_call(s, t, SYS_mmap, arg);

	return got == (int64_t)page ? 0 : got < 0 ? (int)got : -EINVAL;
}

int exec_setup(struct sim *s, struct task *t)
{
	struct hostproc *h = proc_host(t->thread->proc);
	unsigned char random[16];
	uint64_t at;
	int rc = read_auxv(s, t, h);

	if (rc)
		return rc;
	h->vdso = aux_value(h, AT_SYSINFO_EHDR);
	if (!h->vdso)
		return -ENOEXEC; /* a 32-bit program, or a kernel without a vDSO */
	rc = put_vdso(s, t, h->vdso, h->vdso - s->vvar_len);
	if (!rc)
		rc = put_clock_page(s, t, h->vdso - s->vvar_len);
	at = aux_value(h, AT_RANDOM);
	rng_bytes(&sim_node_of(s, t->thread->proc)->rng, random, sizeof random);
	if (!rc && at)
		rc = gm_write(t->tid, at, random, sizeof random);
	count_exec(s, t);
	if (!rc)
		hwrand_exec(s, t);
	return rc;
}

/* ---- the call ---- */

static void free_strings(char **v)
{
	for (size_t i = 0; v && v[i]; i++)
		free(v[i]);
	free(v);
}

/* A NULL-terminated array of strings of the guest; *v on the heap. The kernel refuses what we cannot read. */
static int read_strings(struct call *c, uint64_t addr, char ***v)
{
	size_t n = 0, cap = 16, bytes = 0;
	char *s = xmalloc(ARG_BYTES_MAX / 16);
	int rc = 0;

	*v = xcalloc(cap, sizeof **v);
	for (uint64_t p; addr && !rc; addr += sizeof p) {
		int len;
		if (copy_in_raw(c, &p, addr, sizeof p)) {
			rc = -EFAULT;
			break;
		}
		if (!p)
			break;
		len = copy_in_str(c, s, ARG_BYTES_MAX / 16, p);
		bytes += len > 0 ? (size_t)len + 9 : 9;
		if (len < 0 || bytes > ARG_BYTES_MAX) {
			rc = len == -EFAULT ? len : -E2BIG;
			break;
		}
		if (n + 2 > cap) {
			*v = xrealloc(*v, cap * 2 * sizeof **v);
			cap *= 2;
		}
		(*v)[n++] = xstrndup(s, (size_t)len);
		(*v)[n] = NULL;
	}
	free(s);
	return rc;
}

static int collect(struct call *c, int argi, struct launch **l)
{
	char path[PATH_MAX], cwd[PATH_MAX], **argv = NULL, **envp = NULL;
	int rc = copy_in_str(c, path, sizeof path, c->arg[argi]);

	*l = NULL;
	if (rc >= 0) {
		call_note(c, "%s", path);
		rc = read_strings(c, c->arg[argi + 1], &argv);
	}
	if (!rc)
		rc = read_strings(c, c->arg[argi + 2], &envp);
	if (!rc && fs_getcwd(c->sim, call_fs(c), cwd) < 0)
		strcpy(cwd, "/");
	if (!rc)
		*l = launch_new(path, cwd, argv, envp);
	free_strings(argv);
	free_strings(envp);
	return rc;
}

/* Lets the kernel do it. True: the program was replaced, and the thread (now with the leader's tid) stands in the exit
 * stop. Threads of the same process that exec kills are reaped on the way, or it would never end. */
static bool perform(struct sim *s, struct task *t, int64_t *result)
{
	bool replaced = false;

	if (ptrace(PTRACE_SYSCALL, t->tid, 0, 0) < 0)
		goto gone;
	for (;;) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL);
		struct task *o;
		if (tid < 0 && errno == EINTR)
			continue;
		if (tid < 0)
			goto gone;
		if (WIFSTOPPED(status) && pt_event(status) == PTRACE_EVENT_EXEC && tid == t->tgid) {
			replaced = true;
			ptrace(PTRACE_SYSCALL, tid, 0, 0);
		} else if (WIFSTOPPED(status) && WSTOPSIG(status) == PT_SYSCALL_STOP) {
			struct user_regs_struct r;
			pt_getregs(tid, &r);
			*result = (int64_t)r.rax;
			return replaced;
		} else if ((o = map_get(&s->tasks, (uint64_t)tid)) && !WIFSTOPPED(status)) {
			o->exited = true;
			if (o == t)
				goto gone;
		}
	}
gone:
	t->exited = true;
	proc_doom(&s->kern, t->thread->proc, SIGKILL);
	*result = 0;
	return false;
}

/* The other threads are gone; the caller is the leader now. */
static void become_leader(struct sim *s, struct task *t)
{
	struct proc *p = t->thread->proc;

	list_each_safe(th, tmp, &p->threads, struct thread, in_proc) {
		struct task *o = thread_task(th);
		if (o == t)
			continue;
		map_del(&s->tasks, (uint64_t)o->tid);
		thread_dead(&s->kern, th);
		free(o);
	}
	if (t->tid == t->tgid)
		return;
	map_del(&s->tasks, (uint64_t)t->tid);
	t->tid = t->tgid;
	map_put(&s->tasks, (uint64_t)t->tid, t);
	thread_set_tid(&s->kern, t->thread, p->pid);
}

static void set_comm(struct thread *t, const char *path)
{
	const char *base = strrchr(path, '/');

	memset(t->comm, 0, sizeof t->comm);
	strncpy(t->comm, base ? base + 1 : path, sizeof t->comm - 1);
}

static char *real_exe(struct sim *s, struct task *t)
{
	char link[32], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof link, "%d/exe", t->tid);
	n = readlinkat(s->host_proc, link, path, sizeof path - 1);
	return n > 0 ? xstrndup(path, (size_t)n) : xstrdup("?");
}

static void replaced(struct call *c, struct launch *l)
{
	struct sim *s = c->sim;
	struct task *t = c->task;
	struct proc *p = c->proc;
	struct hostproc *h = proc_host(p);
	struct launch *before = h->launch;
	int rc;

	become_leader(s, t);
	proc_exec(c->k, p);
	set_comm(t->thread, l->path);
	/* Every real descriptor but the clock page's is close-on-exec. */
	free(h->installed);
	h->installed = NULL;
	h->ninstalled = 0;
	free(h->exe);
	h->exe = real_exe(s, t);
	if (digest_note(&s->executed, h->exe))
		catalog_elf(&s->sdk->props, h->exe);
	l->driver = p == s->driver;
	l->uid = p->euid;
	l->gid = p->egid;
	h->launch = l;
	vfork_release(s, p);
	node_on_exec(s, p, before);
	launch_unref(s, before);
	sim_event(s, p, "exec %s", l->path);
	rc = exec_setup(s, t);
	if (rc)
		sim_verdict(s, CLASS_HARNESS, "cannot prepare %s for simulation: %s%s", l->path, strerror(-rc),
			    rc == -ENOEXEC ? " (32-bit programs are not supported)" : "");
}

/* Names a program that the real process cannot reach by the same words: a virtual descriptor. */
static bool by_descriptor(int dirfd, const char *path)
{
	return (dirfd != AT_FDCWD && path[0] != '/') || !strncmp(path, "/dev/", 5) ||
	       (!strncmp(path, "/proc/", 6) && strstr(path, "/fd/"));
}

/* Turns the call into execveat(EXEC_FD, "", argv, envp, AT_EMPTY_PATH). */
static int aim_at_descriptor(struct call *c, int argi, int host_fd)
{
	enum { EXEC_FD = 901 };
	struct user_regs_struct r;
	int rc = pt_install_fd(c->sim, c->task, host_fd, EXEC_FD);

	if (rc)
		return rc;
	pt_getregs(c->task->tid, &r);
	r.orig_rax = SYS_execveat;
	r.rdi = EXEC_FD;
	r.rsi = proc_host(c->proc)->vdso - c->sim->vvar_len + CLOCK_PAGE_SPARE; /* zero bytes: the empty string */
	r.rdx = c->arg[argi + 1];
	r.r10 = c->arg[argi + 2];
	r.r8 = AT_EMPTY_PATH;
	pt_setregs(c->task->tid, &r);
	return 0;
}

/* A failed exec leaves the registers of arguments as they were. */
static void restore_args(struct call *c)
{
	struct user_regs_struct r;

	pt_getregs(c->task->tid, &r);
	r.rdi = c->arg[0];
	r.rsi = c->arg[1];
	r.rdx = c->arg[2];
	r.r10 = c->arg[3];
	r.r8 = c->arg[4];
	pt_setregs(c->task->tid, &r);
}

static struct verdict exec(struct call *c, int argi, int dirfd, int flags)
{
	struct launch *l;
	char *abs = NULL;
	int64_t result;
	int rc = collect(c, argi, &l), fd;

	if (rc < 0)
		return observe_fail(c, rc);
	fd = vfs_open_exec(c, dirfd, l->path, flags, &abs);
	rc = fd < 0 ? fd : 0;
	if (!rc && by_descriptor(dirfd, l->path)) {
		rc = aim_at_descriptor(c, argi, fd);
		free(l->path);
		l->path = xstrdup(abs);
	}
	free(abs);
	if (fd >= 0)
		close(fd);
	if (rc) {
		launch_unref(c->sim, l);
		return observe_fail(c, rc);
	}
	if (!perform(c->sim, c->task, &result)) {
		launch_unref(c->sim, l);
		restore_args(c);
		return TRACED(result);
	}
	replaced(c, l);
	return TRACED(0);
}

struct verdict sys_execve(struct call *c)
{
	return exec(c, 0, AT_FDCWD, 0);
}

struct verdict sys_execveat(struct call *c)
{
	if (c->arg[4] & ~(uint64_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return observe_fail(c, -EINVAL);
	return exec(c, 1, (int)c->arg[0], (int)c->arg[4]);
}
