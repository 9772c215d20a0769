/* eventfd(2). */
#ifndef KERNEL_EVENTFD_H
#define KERNEL_EVENTFD_H

#include "kernel/file.h"

struct file *eventfd_new(struct kern *k, uint64_t count, bool semaphore, uint32_t flags);

#endif
