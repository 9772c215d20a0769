/* Calls about durability and caching. What is written to a real file is in the view at once; what survives a loss of power
 * is the simulator's business, so nothing is asked of the host. */
#include "tracer/call.h"

#include "base/buf.h"
#include "kernel/pipe.h"
#include "tracer/procfs_rows.h"
#include "tracer/realfile.h"
#include "tracer/sim.h"
#include "tracer/sys_rw.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static struct verdict do_fsync(struct call *c)
{
	struct file *f = call_file(c, c->arg[0]);

	if (!f || (f->flags & O_PATH))
		return FAIL(EBADF);
	return realfile_io(f) ? REPLY(0) : FAIL(EINVAL); /* no ->fsync: vfs_fsync_range() */
}

struct verdict sys_fsync(struct call *c)
{
	return do_fsync(c);
}

struct verdict sys_fdatasync(struct call *c)
{
	return do_fsync(c);
}

struct verdict sys_sync(struct call *c)
{
	(void)c;
	return REPLY(0);
}

struct verdict sys_syncfs(struct call *c)
{
	struct file *f = call_file(c, c->arg[0]);

	return !f || (f->flags & O_PATH) ? FAIL(EBADF) : REPLY(0);
}

struct verdict sys_sync_file_range(struct call *c)
{
	struct file *f = call_file(c, c->arg[0]);
	int64_t off = (int64_t)c->arg[1], len = (int64_t)c->arg[2], end;
	unsigned flags = (unsigned)c->arg[3];

	if (!f || (f->flags & O_PATH))
		return FAIL(EBADF);
	if (flags & ~(unsigned)(SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER))
		return FAIL(EINVAL);
	if (off < 0 || len < 0 || __builtin_add_overflow(off, len, &end))
		return FAIL(EINVAL);
	return realfile_io(f) ? REPLY(0) : FAIL(ESPIPE);
}

struct verdict sys_fadvise64(struct call *c)
{
	struct file *f = call_file(c, c->arg[0]);
	int advice = (int)c->arg[3];

	if (!f || (f->flags & O_PATH))
		return FAIL(EBADF);
	if (file_pipe(f))
		return FAIL(ESPIPE);
	if ((int64_t)c->arg[2] < 0 || advice < 0 || advice > POSIX_FADV_NOREUSE)
		return FAIL(EINVAL);
	return REPLY(0);
}

struct verdict sys_readahead(struct call *c)
{
	struct file *f = call_file(c, c->arg[0]);
	struct realfile *rf;

	if (!f || !file_readable(f))
		return FAIL(EBADF);
	rf = realfile_io(f);
	return rf && S_ISREG(rf->type) ? REPLY(0) : FAIL(EINVAL);
}

/* Is every page of [lo, hi) mapped? Programs use msync(2) to find out. */
static bool all_mapped(struct call *c, uint64_t lo, uint64_t hi)
{
	struct procctx x = {.sim = c->sim, .proc = c->proc};
	struct buf b = {0};
	bool ok = lo == hi;

	if (!ok && procfs_read_host(&x, "maps", &b) && b.data) {
		for (const char *line = b.data; *line && !ok;) {
			const char *nl = strchrnul(line, '\n');
			uint64_t a, z;
			if (sscanf(line, "%" SCNx64 "-%" SCNx64, &a, &z) == 2 && a <= lo && lo < z)
				lo = z;
			ok = lo >= hi;
			line = *nl ? nl + 1 : nl;
		}
	}
	buf_clear(&b);
	return ok;
}

struct verdict sys_msync(struct call *c)
{
	uint64_t addr = c->arg[0], len = (c->arg[1] + 4095) & ~4095ull;
	int flags = (int)c->arg[2];

	if ((flags & ~(MS_ASYNC | MS_INVALIDATE | MS_SYNC)) || (addr & 4095) || (flags & (MS_ASYNC | MS_SYNC)) == (MS_ASYNC | MS_SYNC))
		return FAIL(EINVAL);
	if (addr + len < addr || len < c->arg[1])
		return FAIL(ENOMEM);
	return all_mapped(c, addr, addr + len) ? REPLY(0) : FAIL(ENOMEM);
}
