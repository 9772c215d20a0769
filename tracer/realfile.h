/* Open files and directories that exist: a descriptor of the supervisor behind a file of the simulation. */
#ifndef TRACER_REALFILE_H
#define TRACER_REALFILE_H

#include "kernel/file.h"
#include "tracer/call.h"
#include "tracer/vdir.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

struct inode_times;

struct realfile {
	int fd;
	mode_t type;  /* S_IFREG, S_IFDIR …; with O_PATH any */
	dev_t dev;
	ino_t ino;
	bool memfd;
	bool executable; /* its mode says so */
	bool locked;  /* flock or OFD locks were set through it */
	bool noted;   /* some process holds it as a real descriptor */
	struct inode_times *times; /* NULL: none yet */
	struct vdir dir;           /* of directories */
};

/* Takes over host_fd. `st` is the host's; `flags` as open(2) got them. */
struct file *realfile_new(struct call *c, int host_fd, const struct stat *st, uint32_t flags);
/* Flags of open(2) as F_GETFL shows them afterwards. */
uint32_t realfile_shown_flags(uint32_t flags);
/* NULL when f is not a real file or directory. */
struct realfile *realfile_of(const struct file *f);
/* The same, but only when f was opened for I/O (not O_PATH). */
struct realfile *realfile_io(const struct file *f);
/* The entries, read anew; 0 or -errno. */
int realfile_list(struct call *c, struct realfile *rf);
/* Installs f at number fd of the caller's real process, when it can be mapped (readable, regular). */
void realfile_install(struct call *c, struct file *f, int fd);
/*
 * A shared mapping must go on showing what is written to the file: overlayfs would leave a mapping made of the lower file at
 * that one for ever (Documentation/filesystems/overlayfs.rst, non-standard behavior), so the file is copied up before.
 */
void realfile_before_shared_map(struct call *c, struct file *f);
/* F_ADD_SEALS, F_GET_SEALS: the answer or -errno. */
int64_t realfile_seals(struct file *f, int cmd, uint64_t arg);

#endif
