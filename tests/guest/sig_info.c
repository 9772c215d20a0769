/* siginfo of kill, tgkill, sigqueue and of a child; the context is there. */
#include "guest.h"

#include <ucontext.h>

static volatile siginfo_t info;
static volatile sig_atomic_t hits, has_context;

static void handler(int sig, siginfo_t *si, void *uc)
{
	info = *si;
	has_context = uc && ((ucontext_t *)uc)->uc_mcontext.gregs[REG_RIP] != 0;
	hits++;
}

static void sends(void *arg)
{
	union sigval v = {.sival_ptr = (void *)0x123456789abcdef};

	OK(sigqueue((pid_t)(intptr_t)arg, SIGUSR2, v));
}

int main(void)
{
	on_siginfo(SIGUSR1, handler, 0);
	on_siginfo(SIGUSR2, handler, 0);
	on_siginfo(SIGCHLD, handler, 0);

	OK(kill(getpid(), SIGUSR1));
	CHECK_EQ(hits, 1);
	CHECK_EQ(info.si_signo, SIGUSR1);
	CHECK_EQ(info.si_code, SI_USER);
	CHECK_EQ(info.si_pid, getpid());
	CHECK_EQ(info.si_uid, getuid());
	CHECK(has_context);

	raise(SIGUSR1);
	CHECK_EQ(info.si_code, SI_TKILL);
	CHECK_EQ(info.si_pid, getpid());

	block_signal(SIGCHLD);
	pid_t pid = child(sends, (void *)(intptr_t)getpid());
	while (hits < 3)
		nap_ms(1);
	CHECK_EQ(info.si_signo, SIGUSR2);
	CHECK_EQ(info.si_code, SI_QUEUE);
	CHECK_EQ(info.si_pid, pid);
	CHECK(info.si_value.sival_ptr == (void *)0x123456789abcdef);

	/* The child's end. */
	siginfo_t si;
	OK(waitid(P_PID, pid, &si, WEXITED | WNOWAIT));
	unblock_signal(SIGCHLD);
	CHECK_EQ(hits, 4);
	CHECK_EQ(info.si_signo, SIGCHLD);
	CHECK_EQ(info.si_code, CLD_EXITED);
	CHECK_EQ(info.si_pid, pid);
	CHECK_EQ(info.si_status, 0);
	CHECK_EXIT(pid, 0);
	return guest_ok();
}
