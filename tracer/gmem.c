#include "tracer/gmem.h"

#include "base/mem.h"
#include "tracer/sim.h"
#include "tracer/task.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

int gm_read(pid_t tid, void *dst, uint64_t src, size_t n)
{
	struct iovec l = {dst, n}, r = {(void *)src, n}; /* NOLINT: a guest address */

	if (!n)
		return 0;
	return process_vm_readv(tid, &l, 1, &r, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

int gm_write(pid_t tid, uint64_t dst, const void *src, size_t n)
{
	struct iovec l = {(void *)(uintptr_t)src, n}, r = {(void *)dst, n};

	if (!n)
		return 0;
	return process_vm_writev(tid, &l, 1, &r, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

long gm_read_some(pid_t tid, void *dst, uint64_t src, size_t n)
{
	/* One remote vector per page: a partial transfer stops between vectors, never inside one (process_vm_readv(2)). */
	struct iovec l = {dst, n}, r[32];
	size_t k = 0, at = 0;
	ssize_t got;

	while (at < n && k < ARRAY_LEN(r)) {
		size_t page = 4096 - ((src + at) & 4095), len = MIN(page, n - at);
		r[k++] = (struct iovec){(void *)(src + at), len};
		at += len;
	}
	l.iov_len = at;
	got = process_vm_readv(tid, &l, 1, r, k, 0);
	return got > 0 ? got : -EFAULT;
}

int gm_poke(pid_t tid, int host_proc, uint64_t dst, const void *src, size_t n)
{
	char path[32];
	int fd, rc = 0;

	snprintf(path, sizeof path, "%d/mem", tid);
	fd = openat(host_proc, path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (pwrite(fd, src, n, (off_t)dst) != (ssize_t)n)
		rc = -EIO;
	close(fd);
	return rc;
}

bool gm_mapping_at(struct sim *s, pid_t tid, uint64_t addr, struct gm_mapping *m)
{
	char path[32], line[4608];
	bool found = false;
	FILE *f;
	int fd;

	snprintf(path, sizeof path, "%d/maps", tid);
	fd = openat(s->host_proc, path, O_RDONLY | O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "re");
	while (!found && f && fgets(line, sizeof line, f)) {
		m->file[0] = 0;
		found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %4095[^\n]", &m->lo, &m->hi,
			       m->perm, &m->off, &m->major, &m->minor, &m->ino, m->file) >= 7 &&
			addr >= m->lo && addr < m->hi;
	}
	if (f)
		fclose(f);
	return found;
}

int gm_shared_key(struct task *t, uint64_t addr, uint64_t key[2])
{
	struct gm_mapping m;

	if (!t->thread->proc->mm->has_shared || !gm_mapping_at(t->sim, t->tid, addr, &m) || m.perm[3] != 's')
		return 0;
	key[0] = ((uint64_t)m.major << 52) ^ ((uint64_t)m.minor << 40) ^ m.ino;
	key[1] = m.off + (addr - m.lo);
	return 1;
}
