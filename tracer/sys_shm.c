/*
 * System V shared memory. Segments are the simulation's (kernel/sysv_shm.c); the memory of each is a memfd of the supervisor,
 * which the kernel maps in the guest: shmat and shmdt become mmap and munmap in their entry stops.
 */
#include "tracer/sysv.h"

#include "base/err.h"
#include "kernel/sysv_shm.h"
#include "tracer/mem.h"
#include "tracer/ptrace.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SHM_STAT_ANY
#define SHM_STAT_ANY 15
#endif

enum { PAGE = 4096 };

void shm_memory_gone(struct kern *k, int64_t handle)
{
	(void)k;
	/* A guest may hold another descriptor of it still, for a mapping that is gone: sys_mem.c. */
	if (ftruncate((int)handle, 0) < 0)
		BUG("cannot free a segment of shared memory: %s", strerror(errno));
	close((int)handle);
}

/* ---- shmget ---- */

static int make_memory(const struct shm_segment *seg)
{
	char name[16];
	int fd;

	snprintf(name, sizeof name, "SYSV%08x", (unsigned)seg->perm.key);
	fd = memfd_create(name, MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, (off_t)seg->size) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

struct verdict sys_shmget(struct call *c)
{
	uint32_t flags = (uint32_t)c->arg[2];
	struct shm_segment *seg;
	bool created;
	int id;

	if (flags & SHM_HUGETLB)
		return call_refuse(c, ENOMEM, "shmget with SHM_HUGETLB");
	id = shm_get(c->k, c->proc, (int)c->arg[0], c->arg[1], flags, &seg, &created);
	if (!created)
		return REPLY(id);
	seg->handle = make_memory(seg);
	if (seg->handle < 0) {
		shm_remove(c->k, seg);
		return FAIL(ENOMEM);
	}
	return REPLY(id);
}

/* ---- shmat ---- */

/* 0 or -errno; *addr is rounded. */
static int check_address(uint64_t *addr, uint32_t flags)
{
	if (!*addr)
		return flags & SHM_REMAP ? -EINVAL : 0;
	if (*addr % PAGE == 0)
		return 0;
	if (!(flags & SHM_RND))
		return -EINVAL;
	*addr -= *addr % PAGE;
	return !*addr && (flags & SHM_REMAP) ? -EINVAL : 0;
}

static uint64_t map_flags(uint64_t wanted, uint32_t flags)
{
	if (!wanted)
		return MAP_SHARED;
	return MAP_SHARED | (flags & SHM_REMAP ? MAP_FIXED : MAP_FIXED_NOREPLACE);
}

static struct verdict attach(struct call *c, struct shm_segment *seg, uint64_t addr, uint32_t flags)
{
	uint64_t prot = PROT_READ | (flags & SHM_RDONLY ? 0 : PROT_WRITE) | (flags & SHM_EXEC ? PROT_EXEC : 0);
	uint64_t arg[6] = {addr, seg->size, prot, map_flags(c->arg[1], flags), 0, 0};
	/* Opened anew, so that a mapping for reading cannot be made writable: the kernel looks at the descriptor. */
	int fd = vfs_reopen(c->sim, (int)seg->handle, flags & SHM_RDONLY ? O_RDONLY : O_RDWR);
	struct verdict v;

	if (fd < 0)
		return observe_fail(c, -ENOMEM);
	c->proc->mm->has_shared = true;
	v = mem_map_fd(c, fd, arg);
	close(fd);
	if (v.kind != V_TRACED)
		return v;
	if (v.value == -EEXIST)
		return observe_fail(c, -EINVAL);
	if (v.value < 0 && v.value > -PAGE)
		return v;
	shm_attach(c->k, c->proc, seg, (uint64_t)v.value);
	return v;
}

struct verdict sys_shmat(struct call *c)
{
	uint32_t flags = (uint32_t)c->arg[2];
	uint64_t addr = c->arg[1];
	uint32_t want = 0444 | (flags & SHM_RDONLY ? 0 : 0222) | (flags & SHM_EXEC ? 0111 : 0);
	struct shm_segment *seg;
	int e;

	if ((int)c->arg[0] < 0)
		return observe_fail(c, -EINVAL);
	e = check_address(&addr, flags);
	if (e)
		return observe_fail(c, e);
	seg = shm_by_id(c->k, (int)c->arg[0], &e);
	if (!seg)
		return observe_fail(c, -e);
	if (!sysv_allowed(c->k, c->proc, &seg->perm, want))
		return observe_fail(c, -EACCES);
	return attach(c, seg, addr, flags);
}

/* ---- what guests unmapped without saying so ---- */

/* Does the process still have a mapping of the segment that began there? */
static bool still_mapped(struct sim *s, const struct proc *p, const struct shm_attach *a)
{
	char path[32], line[512];
	struct stat st;
	bool found = false;
	FILE *f;
	int fd;

	snprintf(path, sizeof path, "%d/maps", proc_host(p)->tgid);
	fd = openat(s->host_proc, path, O_RDONLY | O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "re");
	if (!f)
		return true;
	fstat((int)a->seg->handle, &st);
	while (!found && fgets(line, sizeof line, f)) {
		uint64_t lo, off, ino;
		unsigned major, minor;
		if (sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64 " %x:%x %" SCNu64, &lo, &off, &major, &minor, &ino) == 5)
			found = ino == st.st_ino && lo - off == a->addr;
	}
	fclose(f);
	return found;
}

/* munmap and mmap with MAP_FIXED are not seen: before attachments are counted, each is looked at. */
static void refresh(struct call *c)
{
	list_each(p, &c->k->proc_list, struct proc, in_kern) {
		if (!p->mm || !proc_host(p) || p->doomed)
			continue;
		list_each_safe(a, tmp, &p->mm->attaches, struct shm_attach, link)
			if (!still_mapped(c->sim, p, a))
				shm_detach(c->k, p, a);
	}
}

/* ---- shmdt ---- */

struct verdict sys_shmdt(struct call *c)
{
	struct shm_attach *a;
	struct verdict v;

	refresh(c);
	a = c->arg[0] % PAGE ? NULL : shm_attached_at(c->proc, c->arg[0]);
	if (!a)
		return observe_fail(c, -EINVAL);
	v = mem_unmap(c, a->addr, a->seg->size);
	if (v.kind == V_TRACED && !v.value)
		shm_detach(c->k, c->proc, a);
	return v;
}

/* ---- shmctl ---- */

static struct verdict info(struct call *c, int cmd)
{
	const struct sysv *s = sysv_of(c->k);
	const struct shminfo limits = {
		.shmmax = SYSV_SHM_MAX, .shmmin = 1, .shmmni = SYSV_SHM_MNI, .shmseg = SYSV_SHM_MNI, .shmall = SYSV_SHM_MAX};
	struct shm_info used;

	memset(&used, 0, sizeof used);
	used.used_ids = (int)s->shm.used;
	used.shm_tot = used.shm_rss = s->shm_pages; /* what is resident would be the host's */
	if (cmd == IPC_INFO ? copy_out(c, c->arg[2], &limits, sizeof limits) : copy_out(c, c->arg[2], &used, sizeof used))
		return FAIL(EFAULT);
	return REPLY(sysv_last_index(&s->shm));
}

static struct verdict stat_segment(struct call *c, int cmd)
{
	int e = EINVAL, id = (int)c->arg[0];
	struct shm_segment *seg = cmd == IPC_STAT ? shm_by_id(c->k, id, &e) :
						    (struct shm_segment *)sysv_by_index(&sysv_of(c->k)->shm, id);
	struct shmid_ds ds;

	if (!seg)
		return FAIL(e);
	if (cmd != SHM_STAT_ANY && !sysv_allowed(c->k, c->proc, &seg->perm, 0444))
		return FAIL(EACCES);
	memset(&ds, 0, sizeof ds);
	ds.shm_perm = sysv_perm_out(&seg->perm);
	ds.shm_segsz = seg->size;
	ds.shm_atime = seg->atime;
	ds.shm_dtime = seg->dtime;
	ds.shm_ctime = seg->ctime;
	ds.shm_cpid = seg->creator;
	ds.shm_lpid = seg->last;
	ds.shm_nattch = seg->attached;
	if (copy_out(c, c->arg[2], &ds, sizeof ds))
		return FAIL(EFAULT);
	return REPLY(cmd == IPC_STAT ? 0 : seg->perm.id);
}

static struct verdict set_or_remove(struct call *c, int cmd)
{
	struct shmid_ds ds;
	struct shm_segment *seg;
	int e;

	if (cmd == IPC_SET && copy_in_raw(c, &ds, c->arg[2], sizeof ds))
		return FAIL(EFAULT);
	seg = shm_by_id(c->k, (int)c->arg[0], &e);
	if (!seg)
		return FAIL(e);
	e = sysv_owned(c->proc, &seg->perm);
	if (e)
		return REPLY(e);
	if (cmd == IPC_RMID) {
		shm_remove(c->k, seg);
		return REPLY(0);
	}
	if (ds.shm_perm.uid == UINT32_MAX || ds.shm_perm.gid == UINT32_MAX)
		return FAIL(EINVAL);
	sysv_set_perm(&seg->perm, ds.shm_perm.uid, ds.shm_perm.gid, ds.shm_perm.mode);
	seg->ctime = sysv_now(c->k, c->proc);
	return REPLY(0);
}

static struct verdict lock(struct call *c, int cmd)
{
	enum { MEMLOCK = 8 };
	int e;
	struct shm_segment *seg = shm_by_id(c->k, (int)c->arg[0], &e);

	if (!seg)
		return FAIL(e);
	if (sysv_owned(c->proc, &seg->perm) || (cmd == SHM_LOCK && !sysv_capable(c->proc) && !c->proc->rlim[MEMLOCK][0]))
		return FAIL(EPERM);
	if (cmd == SHM_LOCK)
		seg->perm.mode |= SYSV_SHM_LOCKED;
	else
		seg->perm.mode &= ~(uint32_t)SYSV_SHM_LOCKED;
	return REPLY(0);
}

struct verdict sys_shmctl(struct call *c)
{
	int cmd = (int)c->arg[1];

	if (cmd < 0 || (int)c->arg[0] < 0)
		return FAIL(EINVAL);
	switch (cmd) {
	case IPC_INFO:
	case SHM_INFO:
		return info(c, cmd);
	case IPC_STAT:
	case SHM_STAT:
	case SHM_STAT_ANY:
		refresh(c);
		return stat_segment(c, cmd);
	case IPC_SET:
	case IPC_RMID:
		refresh(c);
		return set_or_remove(c, cmd);
	case SHM_LOCK:
	case SHM_UNLOCK:
		return lock(c, cmd);
	}
	return FAIL(EINVAL);
}
