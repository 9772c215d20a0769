#include "tracer/notify.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <ucontext.h>

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, uint64_t)
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

/* Arguments: rdi listener, rsi request, rdx notification, rcx flag. */
__asm__(".text\n"
	".globl notify_recv_asm\n"
	".type notify_recv_asm,@function\n"
	"notify_recv_asm:\n"
	"	mov %rcx, %r8\n"
	".globl notify_recv_window\n"
	"notify_recv_window:\n"
	"	cmpl $0, (%r8)\n"
	"	jne notify_recv_cancel\n"
	"	mov $16, %eax\n" /* __NR_ioctl */
	".globl notify_recv_syscall\n"
	"notify_recv_syscall:\n"
	"	syscall\n"
	"	ret\n"
	".globl notify_recv_cancel\n"
	"notify_recv_cancel:\n"
	"	mov $-4, %rax\n" /* -EINTR */
	"	ret\n"
	".size notify_recv_asm, . - notify_recv_asm\n");

long notify_recv_asm(long fd, unsigned long req, void *n, const volatile int *flag);
extern const char notify_recv_window[], notify_recv_syscall[], notify_recv_cancel[];

void notify_fixup(void *ucontext)
{
	ucontext_t *uc = ucontext;
	uintptr_t ip = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];

	if (ip >= (uintptr_t)notify_recv_window && ip <= (uintptr_t)notify_recv_syscall)
		uc->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)notify_recv_cancel;
}

long notify_recv(int listener, struct seccomp_notif *n, const volatile int *flag)
{
	memset(n, 0, sizeof *n); /* the kernel refuses anything else */
	return notify_recv_asm(listener, SECCOMP_IOCTL_NOTIF_RECV, n, flag);
}

static int answer(int listener, struct seccomp_notif_resp *r)
{
	while (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, r) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

int notify_reply(int listener, uint64_t id, int64_t value)
{
	struct seccomp_notif_resp r = {.id = id};

	if (value < 0 && value > -4096)
		r.error = (int32_t)value;
	else
		r.val = value;
	return answer(listener, &r);
}

int notify_continue(int listener, uint64_t id)
{
	struct seccomp_notif_resp r = {.id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

	return answer(listener, &r);
}

int notify_addfd(int listener, uint64_t id, int host_fd, int guest_fd)
{
	struct seccomp_notif_addfd a = {.id = id,
					.flags = SECCOMP_ADDFD_FLAG_SETFD,
					.srcfd = (uint32_t)host_fd,
					.newfd = (uint32_t)guest_fd,
					.newfd_flags = 02000000 /* O_CLOEXEC */};

	int rc;

	/* It waits for the guest's thread to take the descriptor, and a signal of ours ends that wait (kernel/seccomp.c). */
	do
		rc = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &a);
	while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : 0;
}

bool notify_sync_wakeup(int listener)
{
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP) == 0;
}
