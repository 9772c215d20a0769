/* ptrace(2) as far as the supervisor needs it. Everything here works on a thread that is in a stop. */
#ifndef TRACER_PTRACE_H
#define TRACER_PTRACE_H

#include "tracer/call.h"

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct sim;
struct task;

enum { PT_OPTIONS = 0x100000 /* EXITKILL */ | 1 /* TRACESYSGOOD */ | 2 | 4 | 8 | 0x10 | 0x80 /* FORK VFORK CLONE EXEC SECCOMP */ };

/* What a wait status says. */
static inline int pt_event(int status)
{
	return status >> 16;
}
enum { PT_SYSCALL_STOP = SIGTRAP | 0x80 };

int pt_seize(pid_t tid);
/* Waits for the thread's next stop or end; the status, or -1 when it is gone already. */
int pt_wait(pid_t tid);
void pt_getregs(pid_t tid, struct user_regs_struct *r);
void pt_setregs(pid_t tid, const struct user_regs_struct *r);
int pt_cont(pid_t tid, int sig);       /* 0 or -errno */
/* Executes one instruction. False: something else came up, *status is as of pt_wait(); else *status is 0. */
bool pt_step(pid_t tid, int *status);
int pt_to_exit(pid_t tid);             /* from an entry stop to the next syscall-exit or event stop: the status */
uint64_t pt_message(pid_t tid);
/* Runs one call inside the guest, from a stop outside of any call; registers are put back. The result. */
int64_t pt_remote_call(struct sim *s, struct task *t, long nr, const uint64_t arg[6]);

/* The same for a call for which the filter notifies: the kernel performs it, unseen by the simulation. It must not sleep. */
int64_t pt_remote_notified(struct sim *s, struct task *t, long nr, const uint64_t arg[6]);
/* In an entry stop, where the thread is afterwards again: puts host_fd at number `at` of the real process. 0 or -errno. */
int pt_install_fd(struct sim *s, struct task *t, int host_fd, int at);
/* An OBSERVE handler answers without letting the kernel perform the call: skips it, with this result. */
struct verdict observe_fail(struct call *c, int64_t result);

#endif
