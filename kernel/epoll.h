/*
 * epoll, as in fs/eventpoll.c: an instance is a file; each item watches one (file, descriptor number) and stands in the
 * ready list from the moment its file reported something until a wait finds it no longer true.
 */
#ifndef KERNEL_EPOLL_H
#define KERNEL_EPOLL_H

#include "kernel/file.h"

struct file *epoll_new(struct kern *k, uint32_t flags);
bool file_is_epoll(const struct file *f);
/* ep: an epoll file; target: what the caller's `fd` is. 0 or -errno. ev may be NULL with K_EPOLL_CTL_DEL. */
int epoll_ctl_file(struct kern *k, struct file *ep, int op, int fd, struct file *target, const struct k_epoll_event *ev);
/* What epoll_wait() gives now: up to max events, each with the descriptor number of its item in fds. */
int epoll_collect(struct kern *k, struct file *ep, struct k_epoll_event *ev, int *fds, int max);
/* At most this many events can come from one epoll_collect(). */
unsigned epoll_items(const struct file *ep);

/* From file.c: the file reported `events` (0: look again); the file goes away. */
void epoll_notify(struct file *f, uint32_t events);
void epoll_forget(struct kern *k, struct file *f);

#endif
