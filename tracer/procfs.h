/*
 * The synthetic files below /proc and /sys. A table of path patterns says what exists; everything else there does not.
 * Paths are absolute and normalised ("/proc/12/fd/3"); a symbolic link's target is text, except for descriptor links.
 */
#ifndef TRACER_PROCFS_H
#define TRACER_PROCFS_H

#include "kernel/file.h"
#include "tracer/call.h"
#include "tracer/vdir.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

struct procrow;

enum synth_kind {
	SYNTH_DIR,
	SYNTH_FILE,
	SYNTH_LINK, /* target */
	SYNTH_FD,   /* a link that leads to `file`; target is what readlink shows */
	SYNTH_CWD,  /* a link that leads to the current directory of `proc` */
};

struct synth {
	enum synth_kind kind;
	mode_t mode;              /* permission bits */
	const struct procrow *row; /* NULL: a directory above rows */
	struct proc *proc;        /* whose directory it is below; NULL: none */
	int num[3];               /* the numbers in the path, in order */
	struct file *file;
	char target[PATH_MAX];
};

enum { PROCFS_NUMS = 3 };
/* Does `path` match? '#' in a pattern stands for a decimal number. 1: wholly; 2: path is a directory above it. */
int procfs_match(const char *pattern, const char *path, int num[PROCFS_NUMS]);

/* 0 or -errno. */
int procfs_lookup(struct call *c, const char *path, struct synth *out);
int procfs_list(struct call *c, const char *path, struct vdir *d);
/* Gives a file with one reference; 0 or -errno. */
int procfs_open(struct call *c, const char *path, uint32_t flags, struct file **out);
/* The object's own stat (a link's, not its target's). */
int procfs_stat(struct call *c, const char *path, struct stat *st, struct timespec *btime);
/* The path when f is a synthetic file or directory, else NULL. */
const char *procfs_path_of(const struct file *f);
struct vdir *procfs_dir_of(struct file *f); /* NULL: not a directory */
/* What /proc/PID/fd/N says about an open file. */
void procfs_link_text(struct call *c, const struct file *f, char out[PATH_MAX]);

#endif
