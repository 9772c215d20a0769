/* Directories: reading them, and the current one. */
#include "tracer/call.h"

#include "base/mem.h"
#include "tracer/procfs.h"
#include "tracer/realfile.h"
#include "tracer/resolve.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"
#include "tracer/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- getdents --- */

static struct vdir *dir_of(struct file *f)
{
	struct realfile *rf = realfile_io(f);

	if (rf)
		return S_ISDIR(rf->type) ? &rf->dir : NULL;
	return procfs_dir_of(f);
}

/* The entries are those of the moment when reading began; rewinding looks again (readdir(3)). */
static int fill_dir(struct call *c, struct file *f, struct vdir *d)
{
	struct realfile *rf = realfile_io(f);

	if (d->filled && f->pos != 0)
		return 0;
	if (rf)
		return realfile_list(c, rf);
	vdir_reset(d);
	return procfs_list(c, procfs_path_of(f), d);
}

/* Appends entry i in the layout of struct linux_dirent64, or of the older linux_dirent, with the type in its last byte. */
static size_t put_entry(char *out, const struct vdir *d, size_t i, bool wide)
{
	const char *name = vdir_name(d, i);
	size_t n = strlen(name) + 1, head = wide ? 19 : 18;
	size_t len = (head + n + (wide ? 0 : 1) + 7) & ~(size_t)7;
	uint64_t ino = d->ent[i].ino, off = i + 1;
	uint16_t reclen = (uint16_t)len;

	memset(out, 0, len);
	memcpy(out, &ino, 8);
	memcpy(out + 8, &off, 8);
	memcpy(out + 16, &reclen, 2);
	if (wide)
		out[18] = (char)d->ent[i].type;
	else
		out[len - 1] = (char)d->ent[i].type;
	memcpy(out + head, name, n);
	return len;
}

static struct verdict read_dir(struct call *c, bool wide)
{
	enum { ENTRY_MAX = 288, BUFFER_MAX = 1 << 20 };
	struct file *f = call_file(c, c->arg[0]);
	size_t size = MIN((unsigned)c->arg[2], (unsigned)BUFFER_MAX), len = 0;
	struct vdir *d;
	char *out;
	int rc;

	if (!f || (f->flags & O_PATH))
		return FAIL(EBADF);
	d = dir_of(f);
	if (!d)
		return FAIL(ENOTDIR);
	rc = fill_dir(c, f, d);
	if (rc < 0)
		return FAIL(-rc);
	if (realfile_io(f))
		watch_fd(c->sim, realfile_io(f)->fd, IN_ACCESS);
	out = call_scratch(c, size + ENTRY_MAX);
	while ((uint64_t)f->pos < d->n) {
		size_t n = put_entry(out + len, d, (size_t)f->pos, wide);
		if (len + n > size)
			break;
		len += n;
		f->pos++;
	}
	if (!len)
		return (uint64_t)f->pos < d->n ? FAIL(EINVAL) : REPLY(0);
	return copy_out(c, c->arg[1], out, len) ? FAIL(EFAULT) : REPLY(len);
}

struct verdict sys_getdents64(struct call *c)
{
	return read_dir(c, true);
}

struct verdict sys_getdents(struct call *c)
{
	return read_dir(c, false);
}

/* --- the current directory --- */

struct verdict sys_getcwd(struct call *c)
{
	char path[PATH_MAX];
	int n = fs_getcwd(c->sim, call_fs(c), path);

	if (n < 0)
		return FAIL(-n);
	if ((uint64_t)n + 1 > c->arg[1])
		return FAIL(ERANGE);
	call_note(c, "%s", path);
	return copy_out(c, c->arg[0], path, (size_t)n + 1) ? FAIL(EFAULT) : REPLY(n + 1);
}

static int may_enter(const struct vpath *v)
{
	if (v->kind == VPATH_SYNTH)
		return 0;
	if (v->kind != VPATH_REAL || !S_ISDIR(v->st.st_mode))
		return -ENOTDIR;
	return syscall(SYS_faccessat2, v->fd, "", X_OK, AT_EMPTY_PATH | AT_EACCESS) < 0 ? -errno : 0;
}

/*
 * The real process goes along where it can, since the kernel resolves the relative path of an execve there. A directory
 * that exists only in the simulation cannot be followed, nor a path that means something else to the supervisor.
 */
struct verdict sys_chdir(struct call *c)
{
	char path[PATH_MAX];
	struct vpath v;
	int rc = path_arg(c, c->arg[0], path);
	bool follow;

	if (rc < 0)
		return FAIL(-rc);
	vfs_enter_ids(c);
	rc = resolve_path(c, AT_FDCWD, path, 0, &v);
	if (!rc) {
		struct synth sy;
		rc = may_enter(&v);
		if (!rc && v.kind == VPATH_SYNTH)
			rc = procfs_lookup(c, v.text, &sy) < 0 ? -ENOENT : sy.kind == SYNTH_DIR ? 0 : -ENOTDIR;
		if (rc < 0)
			vpath_release(&v);
	}
	vfs_leave_ids(c);
	if (rc < 0)
		return FAIL(-rc);
	follow = v.kind == VPATH_REAL && !path_is_special(path) && (path[0] == '/' || call_fs(c)->followed);
	fs_set_cwd(c->sim, call_fs(c), v.fd, v.text);
	call_fs(c)->followed = follow;
	v.fd = -1;
	vpath_release(&v);
	return follow ? CONTINUE(0) : REPLY(0);
}

struct verdict sys_fchdir(struct call *c)
{
	struct file *f = call_file(c, c->arg[0]);
	int guest_fd = (int)c->arg[0], dir, rc;
	struct vpath v = {.kind = VPATH_REAL, .parent = -1};
	struct realfile *rf;

	if (!f)
		return FAIL(EBADF);
	rf = realfile_of(f);
	if (!rf && procfs_dir_of(f)) {
		fs_set_cwd(c->sim, call_fs(c), -1, procfs_path_of(f));
		call_fs(c)->followed = false;
		return REPLY(0);
	}
	if (!rf || !S_ISDIR(rf->type))
		return FAIL(ENOTDIR);
	v.fd = rf->fd;
	v.st.st_mode = rf->type;
	vfs_enter_ids(c);
	rc = may_enter(&v);
	vfs_leave_ids(c);
	if (rc < 0)
		return FAIL(-rc);
	dir = vfs_reopen(c->sim, rf->fd, O_PATH | O_DIRECTORY);
	if (dir < 0)
		return FAIL(-dir);
	fs_set_cwd(c->sim, call_fs(c), dir, NULL);
	call_fs(c)->followed = false;
	/* As for chdir: the number gets the real directory, so that the kernel's own fchdir finds it; if no other thread can
	 * give the number to something else before. */
	dir = guest_fd > 2 && c->proc->nthreads == 1 ? vfs_reopen(c->sim, rf->fd, O_RDONLY | O_DIRECTORY) : -1;
	if (dir < 0)
		return REPLY(0);
	rc = task_install_fd(c->task, dir, guest_fd);
	close(dir);
	if (rc < 0)
		return REPLY(0);
	hostproc_note_installed(proc_host(c->proc), (unsigned)guest_fd, f);
	call_fs(c)->followed = true;
	return CONTINUE(0);
}

struct verdict sys_umask(struct call *c)
{
	struct fs *fs = call_fs(c);
	unsigned old = fs->umask;

	fs->umask = (unsigned)c->arg[0] & 0777;
	return REPLY(old);
}
