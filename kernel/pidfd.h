/* pidfd: a descriptor of a process, readable once that has ended. See pidfd_open(2) and fs/pidfs.c of Linux. */
#ifndef KERNEL_PIDFD_H
#define KERNEL_PIDFD_H

#include "kernel/task.h"

struct file *pidfd_new(struct kern *k, struct proc *p, uint32_t flags);
bool file_is_pidfd(const struct file *f);
struct proc *pidfd_proc(const struct file *f); /* NULL: it has been reaped */

#endif
