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

int gm_shared_key(struct task *t, uint64_t addr, uint64_t key[2])
{
	char path[32], line[512];
	FILE *f;
	int fd, found = 0;

	if (!t->thread->proc->mm->has_shared)
		return 0;
	snprintf(path, sizeof path, "%d/maps", t->tid);
	fd = openat(t->sim->host_proc, path, O_RDONLY | O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "re");
	if (!f)
		return 0;
	while (!found && fgets(line, sizeof line, f)) {
		uint64_t lo, hi, off, ino;
		unsigned major, minor;
		char perm[8];
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64, &lo, &hi, perm, &off, &major,
			   &minor, &ino) != 7)
			continue;
		if (addr < lo || addr >= hi)
			continue;
		if (perm[3] != 's')
			break;
		key[0] = ((uint64_t)major << 52) ^ ((uint64_t)minor << 40) ^ ino;
		key[1] = off + (addr - lo);
		found = 1;
	}
	fclose(f);
	return found;
}
