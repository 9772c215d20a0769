/* signalfd: reads the pending signals of whoever reads it. */
#ifndef KERNEL_SIGNALFD_H
#define KERNEL_SIGNALFD_H

#include "kernel/file.h"

struct file *signalfd_new(struct kern *k, uint64_t mask, uint32_t flags);
bool file_is_signalfd(const struct file *f);
void signalfd_set_mask(struct file *f, uint64_t mask);
/* The process gives up its descriptors: no signalfd watches its signals any longer. */
void signalfd_forget(struct kern *k, struct proc *p);

#endif
