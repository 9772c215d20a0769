/* Terminals among the calls: reading, writing from the background, requests, the names in /dev/pts. */
#ifndef TRACER_SYS_TTY_H
#define TRACER_SYS_TTY_H

#include "kernel/tty.h"
#include "tracer/call.h"

#include <stdbool.h>

struct vfs;
struct devnode;
struct stat;

/* read(2) of a terminal, whichever side. */
struct verdict tty_read(struct call *c, struct file *f, const struct guest_iov *iov, size_t niov, size_t total);
/* May the caller write to it from where it is? False: *v is the answer. */
bool tty_may_write(struct call *c, struct file *f, struct verdict *v);
/* False: not a request that terminals know. */
bool tty_ioctl(struct call *c, struct file *f, uint32_t cmd, struct verdict *v);

/* open(2) of /dev/ptmx, /dev/pts/N and /dev/tty. 0 or -errno. */
int tty_open_master(struct call *c, uint32_t shown_flags, struct file **out);
int tty_open_index(struct call *c, int index, uint64_t flags, uint32_t shown_flags, struct file **out);
int tty_open_controlling(struct call *c, uint64_t flags, uint32_t shown_flags, struct file **out);

/* ---- pts.c: names of slaves ---- */

/* Makes /dev/pts/N, the caller's. 0 or -errno. */
int pts_make(struct call *c, int index);
void pts_gone(struct kern *k, int index);
void pts_clear(struct vfs *v);
/* The slave behind a real inode of /dev; NULL: none. */
const struct devnode *pts_devnode(const struct vfs *v, const struct stat *st);
int pts_index(const struct devnode *d); /* -1: no slave */
void pts_path(const struct file *f, char *out, size_t n); /* of an open terminal */

#endif
