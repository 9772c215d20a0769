/*
 * The guests' files: how paths and descriptors of guests lead to real files, synthetic ones and simulated objects.
 *
 * The supervisor stands in the guests' mount namespace and opens paths itself, with the caller's directory, umask and
 * identity. What lies below /proc and /sys is synthetic (procfs.h), device nodes are simulated, fifos and socket nodes are
 * names of simulated objects; only regular files and directories are real. See resolve.h for paths.
 */
#ifndef TRACER_VFS_H
#define TRACER_VFS_H

#include "base/err.h"
#include "tracer/call.h"
#include "tracer/inode.h"
#include "tracer/locks.h"

#include <limits.h>
#include <sys/stat.h>
#include <sys/types.h>

struct sim;
struct hostproc;

/* A device node of the view: an empty file whose inode stands for a simulated device. */
struct devnode {
	const char *name; /* below /dev */
	dev_t rdev;
	ino_t ino;        /* of the empty file; 0: not there */
};
enum { DEVNODES = 9 };

struct vfs {
	struct inodes inodes;
	struct locks locks;
	dev_t dev_dev, proc_dev, sys_dev; /* of /dev, /proc, /sys as the supervisor sees them */
	ino_t proc_ino, sys_ino;
	struct map fifos; /* inode key -> struct pipe, one reference */
	struct devnode node[DEVNODES];
	struct map pts; /* inode number of /dev/pts/N -> struct devnode */
	bool switch_ids; /* the supervisor is root: it takes on the caller's identity */
	bool switched;   /* and has just now */
	gid_t groups[64];
	int ngroups;
};

/* After view_enter() and view_init_process(). Raises the limit of descriptors, clears the umask. */
int vfs_init(struct sim *s, struct err *e);
void vfs_clear(struct sim *s);

/* What threads share with CLONE_FS. */
struct fs {
	unsigned refs;
	int cwd;         /* real directory (O_PATH), or -1 */
	char *cwd_synth; /* "/proc/…" or "/sys/…" when cwd is -1 */
	char *cwd_path;  /* absolute, as of the last change */
	unsigned umask;
	bool followed;   /* the real process's directory is the same: see sys_chdir() */
};

struct fs *fs_new(struct sim *s, const char *cwd); /* cwd: an absolute path of the view; "/" when it is not there */
struct fs *fs_copy(struct sim *s, const struct fs *fs);
struct fs *fs_ref(struct fs *fs);
void fs_unref(struct sim *s, struct fs *fs); /* NULL is allowed */
/* Takes over `dir`, or copies `synth`. */
void fs_set_cwd(struct sim *s, struct fs *fs, int dir, const char *synth);
const char *fs_cwd_path(const struct fs *fs); /* valid until the next change */
/* The current directory as getcwd shows it: its length, or -ENOENT when it has been removed. */
int fs_getcwd(struct sim *s, const struct fs *fs, char out[PATH_MAX]);

/* File operations are made with the caller's identity, between enter and leave; these do not nest. */
void vfs_enter_ids(struct call *c);
void vfs_enter_real_ids(struct call *c); /* its real user and group instead: access(2) */
void vfs_leave_ids(struct call *c);

/* CLOCK_REALTIME as the caller sees it. */
struct timespec vfs_now(struct sim *s);
/* Touches the inode behind a real descriptor of the supervisor. */
void vfs_touch_fd(struct sim *s, int fd, unsigned what);

/* The supervisor's descriptor behind a guest's file; -1 when it is not a real one. */
int vfs_host_fd(const struct file *f);
/* Path in the view of a descriptor of the supervisor; its length, or -errno. " (deleted)" may follow, as in /proc. */
int vfs_fd_path(struct sim *s, int fd, char out[PATH_MAX]);
/* A path for the *at calls, relative to sim.host_proc, that leads to what fd refers to (with links followed). */
struct fd_link {
	char path[32];
};
struct fd_link vfs_fd_link(int fd);
/* A new open file description of what fd refers to. A descriptor or -errno. */
int vfs_reopen(struct sim *s, int fd, int flags);
/* The simulated device behind a real inode; NULL: none. */
const struct devnode *vfs_devnode(const struct vfs *v, const struct stat *st);

/* An inode lost its last name. `st` as it was before. */
void vfs_unlinked(struct sim *s, const struct stat *st);
struct pipe *vfs_fifo(struct sim *s, const struct stat *st); /* borrowed */

/* What stat shows of an open file, whatever it is. 0 or -errno. */
int vfs_stat_file(struct call *c, struct file *f, struct stat *st, struct timespec *btime);

/* The key under which an inode's locks, fifo or socket are known: never shown. */
void vfs_key(const struct stat *st, uint64_t key[2]);

/* unix sockets: makes the node / finds it. 0 or -errno. */
int vfs_bind_socket(struct call *c, const char *path, uint32_t mode, uint64_t key[2]);
int vfs_find_socket(struct call *c, const char *path, uint64_t key[2]);

/* For execve: a descriptor of the program (O_PATH; readable if the caller may read it) and its absolute path on the
 * heap; flags as execveat(2). The descriptor or -errno. */
int vfs_open_exec(struct call *c, int dirfd, const char *path, int flags, char **abs_path);

/* Which real descriptors a process holds, so that it can map them. */
void hostproc_note_installed(struct hostproc *h, unsigned fd, struct file *f);
struct file *hostproc_installed(const struct hostproc *h, unsigned fd);
void hostproc_forget_fd(struct hostproc *h, unsigned fd); /* something else stands there now */
void hostproc_forget_file(struct kern *k, const struct file *f); /* it is being freed */

#endif
