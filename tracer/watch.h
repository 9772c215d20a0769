/*
 * What happens to files, told to whoever watches them (inotify(7)). Every function returns at once when nobody does. An
 * event about an inode goes to its own watches, and with its name to those of the directory it is in.
 */
#ifndef TRACER_WATCH_H
#define TRACER_WATCH_H

#include "kernel/inotify.h"

#include <stdint.h>
#include <sys/stat.h>

struct sim;

/* To the inode behind a descriptor of the supervisor, and to its directory under the name that it has now. */
void watch_fd(struct sim *s, int fd, uint32_t mask);
/* About the entry `name` of the open directory `parent`: IN_CREATE, IN_DELETE, IN_MOVED_*. A slash behind the name is ignored. */
void watch_entry(struct sim *s, int parent, const char *name, uint32_t mask, bool dir, uint32_t cookie);
/* To the inode itself only. */
void watch_inode(struct sim *s, const struct stat *st, uint32_t mask);
/* It lost a name; `st` as it was before. When that was the last one and nobody has it open, it is gone. */
void watch_lost_name(struct sim *s, const struct stat *st);
/* The last open file of the inode behind fd is about to be closed. */
void watch_closing(struct sim *s, int fd, bool written);

#endif
