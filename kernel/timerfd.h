/* timerfd(2). */
#ifndef KERNEL_TIMERFD_H
#define KERNEL_TIMERFD_H

#include "kernel/file.h"

/* realtime: its absolute times are wall-clock times of the node that made it. */
struct file *timerfd_new(struct kern *k, bool realtime, uint32_t flags);
bool file_is_timerfd(const struct file *f);

/* Both in ns; value 0: not armed. */
struct timerfd_spec {
	int64_t value, interval;
};
/* Relative, or absolute on its own clock. cancel_on_set: TFD_TIMER_CANCEL_ON_SET. old: what timerfd_get() would have given. */
void timerfd_set(struct file *f, const struct timerfd_spec *spec, bool absolute, bool cancel_on_set, struct timerfd_spec *old);
/* The wall clock of its node runs differently now; `set`: it jumped. True: the timer follows it. */
bool timerfd_wall_changed(struct file *f, bool set);
void timerfd_get(struct file *f, struct timerfd_spec *out);

#endif
