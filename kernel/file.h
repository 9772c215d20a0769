/*
 * Open file descriptions and descriptor tables.
 *
 * Guests' descriptors are numbers of the simulation: a table entry points to a struct file, whatever stands behind it
 * (pipe, socket, epoll, or a real file held by the tracer). Nothing need exist under that number in the real process.
 */
#ifndef KERNEL_FILE_H
#define KERNEL_FILE_H

#include "kernel/abi.h"
#include "kernel/kern.h"
#include "kernel/wait.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file;

/*
 * What an object can do. A member that is NULL means the call does not apply (the errno is in the comment). Data is in
 * the supervisor's memory. read/write never block: -EAGAIN means "would block", and the caller decides whether to wait
 * on file->wq. Partial transfers are normal.
 */
struct file_ops {
	const char *kind; /* "pipe", "tcp", "eventfd", …: names, never used for decisions */
	int64_t (*read)(struct kern *k, struct file *f, void *buf, size_t len);        /* NULL: -EINVAL */
	int64_t (*write)(struct kern *k, struct file *f, const void *buf, size_t len); /* NULL: -EINVAL; -EPIPE: the
	                                                                                 * caller raises SIGPIPE */
	/* Positioned forms, for seekable objects only; NULL: -ESPIPE. They leave file->pos alone. read/write of a seekable
	 * object are made of them by the caller, with file->pos. */
	int64_t (*pread)(struct kern *k, struct file *f, void *buf, size_t len, int64_t pos);
	int64_t (*pwrite)(struct kern *k, struct file *f, const void *buf, size_t len, int64_t pos); /* O_APPEND: at the end,
	                                                                                             * see end() */
	int64_t (*end)(struct kern *k, struct file *f); /* size in bytes; needed with pread (SEEK_END, O_APPEND) */
	uint32_t (*poll)(struct kern *k, struct file *f); /* events true now; NULL: always IN|OUT */
	void (*release)(struct kern *k, struct file *f);  /* last reference gone; frees obj */
	void (*closed)(struct kern *k, struct file *f, struct proc *p); /* a descriptor of p was closed (POSIX locks) */
	int64_t (*bytes_readable)(struct kern *k, struct file *f);      /* FIONREAD; NULL: -ENOTTY */
	/* lseek, wholly: directories, devices, files that know holes (see file_seek() for the other cases). NULL: file_seek()
	 * where pread exists, else -ESPIPE. */
	int64_t (*seek)(struct kern *k, struct file *f, int64_t off, int whence);
	/* SO_RCVTIMEO, SO_SNDTIMEO: how long a blocking read or write waits, in ns; 0 or NULL: for ever. */
	int64_t (*timeout)(struct kern *k, struct file *f, bool write);
	bool messages; /* each write is one message: never to be split. -EPIPE comes without a signal */
};

struct file {
	const struct file_ops *ops;
	void *obj;
	unsigned refs;
	uint32_t flags;  /* O_ACCMODE, O_NONBLOCK, O_APPEND, O_ASYNC, O_DIRECT … as F_GETFL shows them */
	struct waitq wq; /* woken by file_notify() */
	uint64_t id;     /* order of creation: what traces and hashes show */
	int64_t pos;     /* of seekable objects */
	uint64_t ino;    /* for fstat and /proc/PID/fd of virtual objects */
	int owner;       /* F_SETOWN */
	struct node *node; /* the node whose process created it */
	struct list epitems; /* epoll items that watch it (epoll.c) */
	int owner_sig;       /* F_SETSIG */
};

/* One reference, to be given to a descriptor table or released. */
struct file *file_new(struct kern *k, const struct file_ops *ops, void *obj, uint32_t flags);
static inline struct file *file_ref(struct file *f)
{
	f->refs++;
	return f;
}
void file_unref(struct kern *k, struct file *f);
uint32_t file_poll(struct kern *k, struct file *f);
/* The object's state changed so that `events` may have become true. */
void file_notify(struct file *f, uint32_t events);
/* lseek by file->pos and end(); a file without holes: SEEK_DATA finds every byte, SEEK_HOLE the end. */
int64_t file_seek(struct kern *k, struct file *f, int64_t off, int whence);

struct fdent {
	struct file *file; /* NULL: free */
	bool cloexec;
};

struct fdtab {
	unsigned refs; /* processes sharing it (CLONE_FILES) */
	unsigned cap;
	struct fdent *ent;
	unsigned lowest; /* no free entry below */
};

struct fdtab *fdtab_new(struct kern *k);
struct fdtab *fdtab_copy(struct kern *k, const struct fdtab *t);
void fdtab_unref(struct kern *k, struct fdtab *t, struct proc *p); /* closes all with the last reference */
/* Takes over one reference of f. The lowest free number >= min, or -EMFILE (f stays the caller's) at limit. */
int fdtab_add(struct kern *k, struct fdtab *t, struct file *f, unsigned min, unsigned limit, bool cloexec);
/* dup2's half: takes over one reference; closes what was there. fd must be below the limit (caller checks). */
void fdtab_set(struct kern *k, struct fdtab *t, struct proc *p, unsigned fd, struct file *f, bool cloexec);
/* Borrowed; NULL when fd is not open. */
struct file *fdtab_get(const struct fdtab *t, int fd);
int fdtab_close(struct kern *k, struct fdtab *t, struct proc *p, int fd); /* 0 or -EBADF */
void fdtab_close_on_exec(struct kern *k, struct fdtab *t, struct proc *p);

#endif
