/*
 * What a path of a guest means.
 *
 * Most paths lead to real files and are resolved by one openat2(2). What may lead into /proc, /sys or through a
 * descriptor link is walked here component by component, since /proc/self and its like mean the caller, and their
 * descriptor links lead to simulated objects.
 */
#ifndef TRACER_RESOLVE_H
#define TRACER_RESOLVE_H

#include "tracer/call.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

enum vpath_kind {
	VPATH_MISSING, /* the last component does not exist; parent and text say where it would be */
	VPATH_REAL,    /* fd and st; with RESOLVE_F_PARENT: parent and text */
	VPATH_SYNTH,   /* text is an absolute path below /proc or /sys; with RESOLVE_F_PARENT: the directory's */
	VPATH_FILE,    /* an open file that is not real */
};

struct vpath {
	enum vpath_kind kind;
	int fd;            /* owned; -1: none */
	int parent;        /* owned; -1: none */
	struct stat st;    /* the host's */
	struct file *file; /* borrowed */
	char text[PATH_MAX + 2]; /* a last component may have one slash behind it */
};

enum {
	RESOLVE_F_NOFOLLOW = 1, /* a symbolic link at the end stands for itself */
	RESOLVE_F_PARENT = 2,   /* stop before the last component */
	RESOLVE_F_MISSING = 4,  /* the last component may be missing */
	RESOLVE_F_EMPTY = 8,    /* "" means dirfd itself (AT_EMPTY_PATH) */
};

/* 0 or -errno; *out is to be released in the first case only. */
int resolve_path(struct call *c, int dirfd, const char *path, unsigned flags, struct vpath *out);
void vpath_release(struct vpath *v);
/* Reads a path argument and makes it the call's note: its length or -errno. */
int path_arg(struct call *c, uint64_t addr, char out[PATH_MAX]);
/* Reads a path argument, resolves it with the caller's identity, and calls fn with that identity still on. fn: 0 or more, the
 * answer, or -errno. */
typedef int64_t (*vpath_fn)(struct call *c, struct vpath *v, void *arg);
int64_t path_apply(struct call *c, int dirfd, uint64_t addr, unsigned flags, vpath_fn fn, void *arg);
/* RESOLVE_F_ flags for AT_ flags. */
unsigned resolve_at_flags(uint64_t at_flags);
/* Must this path be walked, because its beginning says so? */
bool path_is_special(const char *path);
/* Where a path starts: a real directory (borrowed) in *fd, or *synth set. 0 or -errno. */
int path_base(struct call *c, int dirfd, const char *path, int *fd, const char **synth);
/* A path was not found. Is that final, or does a link on it lead into /proc, where the supervisor is nobody? */
bool path_missing(struct call *c, int base, const char *path);
/* openat2(2) that never follows magic links. A descriptor or -errno. */
int open_quietly(int base, const char *path, int flags, uint64_t resolve);

#endif
