/* Moving bytes between guests and files: what the read and write families share. */
#ifndef TRACER_SYS_RW_H
#define TRACER_SYS_RW_H

#include "tracer/call.h"

/* MAX_RW_COUNT of the kernel: longer transfers are shortened. */
#define RW_COUNT_MAX 0x7ffff000u
enum { RW_CHUNK = 1 << 20, RW_STREAM_CHUNK = 1 << 16 };

/* Opened so that it can be read or written; not O_PATH. */
bool file_readable(const struct file *f);
bool file_writable(const struct file *f);
/* The call's operation on f said EAGAIN: wait and try again, unless f (or the call) does not block or its time is over.
 * intr: what a signal makes of the call. */
struct verdict rw_wait(struct call *c, struct file *f, bool write, bool nonblock, int64_t intr);
/* SIGPIPE to the calling thread, as after EPIPE. */
void rw_sigpipe(struct call *c);
/* RLIMIT_FSIZE: the bytes of len that may be written at pos, or -EFBIG after sending SIGXFSZ. */
int64_t rw_limit(struct call *c, const struct file *f, int64_t pos, size_t len);

#endif
