/*
 * inotify(7): queues of events about inodes. An inode is a key here; who looks at files (tracer/watch.c) says what happens to
 * which. After fs/notify/ of Linux.
 */
#ifndef KERNEL_INOTIFY_H
#define KERNEL_INOTIFY_H

#include "kernel/file.h"

/* include/uapi/linux/inotify.h */
#define IN_ACCESS 0x00000001u
#define IN_MODIFY 0x00000002u
#define IN_ATTRIB 0x00000004u
#define IN_CLOSE_WRITE 0x00000008u
#define IN_CLOSE_NOWRITE 0x00000010u
#define IN_OPEN 0x00000020u
#define IN_MOVED_FROM 0x00000040u
#define IN_MOVED_TO 0x00000080u
#define IN_CREATE 0x00000100u
#define IN_DELETE 0x00000200u
#define IN_DELETE_SELF 0x00000400u
#define IN_MOVE_SELF 0x00000800u
#define IN_UNMOUNT 0x00002000u
#define IN_Q_OVERFLOW 0x00004000u
#define IN_IGNORED 0x00008000u
#define IN_ONLYDIR 0x01000000u
#define IN_DONT_FOLLOW 0x02000000u
#define IN_EXCL_UNLINK 0x04000000u
#define IN_MASK_CREATE 0x10000000u
#define IN_MASK_ADD 0x20000000u
#define IN_ISDIR 0x40000000u
#define IN_ONESHOT 0x80000000u
#define IN_ALL_EVENTS 0x00000fffu

struct file *inotify_new(struct kern *k, uint32_t flags);
bool file_is_inotify(const struct file *f);
/* The watch descriptor or -errno. */
int inotify_add(struct kern *k, struct file *f, uint64_t key, uint32_t mask);
int inotify_remove(struct kern *k, struct file *f, int wd); /* 0 or -EINVAL */

bool inotify_watches(const struct kern *k, uint64_t key);
static inline bool inotify_any(const struct kern *k)
{
	return k->watched.len != 0;
}
/* `name` is that of a directory's entry; NULL: about the inode itself. */
void inotify_event(struct kern *k, uint64_t key, uint32_t mask, uint32_t cookie, const char *name);
/* IN_DELETE_SELF, and no inode of that key exists any more. */
void inotify_inode_gone(struct kern *k, uint64_t key);

#endif
