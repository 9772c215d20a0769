/*
 * Pipes and FIFOs, as in fs/pipe.c: a ring of page-sized buffers, so that capacity, PIPE_BUF atomicity and the moment a
 * non-blocking writer meets EAGAIN are Linux's own.
 */
#ifndef KERNEL_PIPE_H
#define KERNEL_PIPE_H

#include "kernel/file.h"

struct pipe;

enum { PIPE_PAGE = 4096, PIPE_SLOTS = 16 };
#define PIPE_SIZE_MAX (1u << 20) /* /proc/sys/fs/pipe-max-size */

/* pipe(2): flags are those of the descriptions (O_NONBLOCK, O_DIRECT). One reference each. */
void pipe_new(struct kern *k, uint32_t flags, struct file **rd, struct file **wr);
/* The pipe behind a FIFO's inode, one reference. Its data is dropped when nobody has it open. */
struct pipe *pipe_new_fifo(struct kern *k);
void pipe_unref(struct kern *k, struct pipe *p);
/* The pipe that f is an end of; NULL: f is something else. */
struct pipe *file_pipe(const struct file *f);

/*
 * open(2) of a FIFO, or of a pipe through /proc/PID/fd. 0 and a file, which counts as a reader or writer from now on, or
 * -ENXIO. While pipe_open_waits(), a blocking open must wait on pipe_open_wq() (K_ERESTARTSYS); when it is given up, the
 * file is released.
 */
int pipe_open(struct kern *k, struct pipe *p, uint32_t flags, struct file **out);
bool pipe_open_waits(const struct file *f);
struct waitq *pipe_open_wq(const struct file *f);

/* For splice(2) and tee(2): copies what the next reads would give, without taking it; and how many bytes a write takes for
 * sure. `f` is an end of the pipe. */
size_t pipe_peek(const struct file *f, void *buf, size_t len);
size_t pipe_room(const struct file *f);
bool pipe_has_partner(const struct file *f); /* the other side is open */

/* F_GETPIPE_SZ and F_SETPIPE_SZ: the size in bytes, or -errno. */
int64_t pipe_size(const struct pipe *p);
int64_t pipe_set_size(struct kern *k, struct pipe *p, uint64_t bytes);

#endif
