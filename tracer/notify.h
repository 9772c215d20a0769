/* The seccomp notification descriptor: receive, answer, install. See seccomp_unotify(2). */
#ifndef TRACER_NOTIFY_H
#define TRACER_NOTIFY_H

#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Waits for a notification, unless *flag is set or becomes set. 0, or -EINTR (look at the flags), -ENOENT (the caller died
 * meanwhile), or another -errno. Free of the classic race between looking at the flag and going to sleep: the signal
 * handler, notify_fixup(), moves a thread that stands between the two to the exit.
 */
long notify_recv(int listener, struct seccomp_notif *n, const volatile int *flag);
/* To be called by every signal handler that sets a flag, with the ucontext it got. */
void notify_fixup(void *ucontext);

/* 0 or -errno (-ENOENT: the caller is gone). value < 0: -errno, or one of the restart codes. */
int notify_reply(int listener, uint64_t id, int64_t value);
int notify_continue(int listener, uint64_t id);
/* Installs host_fd at guest_fd, close-on-exec. 0 or -errno. The notification stays unanswered. */
int notify_addfd(int listener, uint64_t id, int host_fd, int guest_fd);
/* Asks for the wake-up that hands the CPU over at once (Linux >= 6.6); false where it is missing. */
bool notify_sync_wakeup(int listener);

#endif
