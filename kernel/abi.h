/*
 * Numbers of the Linux x86-64 ABI that the simulated kernel needs. The C library's POSIX headers (errno.h, fcntl.h,
 * poll.h, signal.h, time.h) give the common ones; what lives in <sys/…> or <linux/…> is repeated here, so that nothing
 * below tracer includes those. Sources: include/uapi of Linux 6.18.
 */
#ifndef KERNEL_ABI_H
#define KERNEL_ABI_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

/* What an interrupted call returns inside the kernel (include/linux/errno.h); valid in a reply while a signal is queued. */
enum { K_ERESTARTSYS = 512, K_ERESTARTNOINTR = 513, K_ERESTARTNOHAND = 514, K_ERESTART_RESTARTBLOCK = 516 };

/* include/uapi/linux/eventpoll.h; the low bits equal poll(2)'s. */
#define K_EPOLLIN 0x001u
#define K_EPOLLPRI 0x002u
#define K_EPOLLOUT 0x004u
#define K_EPOLLERR 0x008u
#define K_EPOLLHUP 0x010u
#define K_EPOLLNVAL 0x020u
#define K_EPOLLRDNORM 0x040u
#define K_EPOLLRDBAND 0x080u
#define K_EPOLLWRNORM 0x100u
#define K_EPOLLWRBAND 0x200u
#define K_EPOLLRDHUP 0x2000u
#define K_EPOLLEXCLUSIVE (1u << 28)
#define K_EPOLLWAKEUP (1u << 29)
#define K_EPOLLONESHOT (1u << 30)
#define K_EPOLLET (1u << 31)
enum { K_EPOLL_CTL_ADD = 1, K_EPOLL_CTL_DEL = 2, K_EPOLL_CTL_MOD = 3 };

/* Packed on x86-64: 12 bytes. */
struct k_epoll_event {
	uint32_t events;
	uint64_t data;
} __attribute__((packed));

enum { K_NSIG = 64 };
#define K_SIGBIT(sig) (1ull << ((sig)-1))
#define K_SA_NOCLDSTOP 1u
#define K_SA_NOCLDWAIT 2u
#define K_SA_RESTART 0x10000000u
#define K_SA_NODEFER 0x40000000u
#define K_SA_RESETHAND 0x80000000u

/* struct kernel_sigaction of the x86-64 ABI. */
struct k_sigaction {
	uint64_t handler; /* 0 SIG_DFL, 1 SIG_IGN, else a guest address */
	uint64_t flags;
	uint64_t restorer;
	uint64_t mask;
};

#endif
