/* The memory devices of /dev, and what the processes of a run have as standard input and output. */
#ifndef KERNEL_CHARDEV_H
#define KERNEL_CHARDEV_H

#include "kernel/file.h"

/* "null", "zero", "full", "random", "urandom"; NULL: no such device. */
struct file *chardev_open(struct kern *k, const char *name, uint32_t flags);
/* The minor number (major 1), or -1: f is no such device. */
int chardev_minor(const struct file *f);
bool chardev_is_random(const struct file *f); /* random or urandom: its ioctls */

/* Standard input: always at its end. It is /dev/null, opened for reading. */
struct file *eof_new(struct kern *k);
/* Standard output and error: a pipe that somebody always reads. */
typedef void (*sink_fn)(void *ctx, const void *buf, size_t n);
struct file *sink_new(struct kern *k, sink_fn emit, void *ctx);
bool file_is_sink(const struct file *f);

#endif
