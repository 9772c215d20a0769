/* signalfd: blocked signals are read from it, poll shows them, several in one read, the mask can be changed. */
#include "guest.h"

#include <poll.h>
#include <sys/signalfd.h>

static int go[2];

static void sends(void *arg)
{
	nap_ms(20);
	OK(sigqueue(getppid(), SIGRTMIN, (union sigval){.sival_int = 77}));
	await(go[0]);
}

int main(void)
{
	sigset_t set;
	struct signalfd_siginfo si[4];

	OK(pipe(go));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGCHLD);
	OK(sigprocmask(SIG_BLOCK, &set, NULL));
	int fd = OK(signalfd(-1, &set, SFD_CLOEXEC));
	struct pollfd pf = {.fd = fd, .events = POLLIN};

	CHECK_EQ(poll(&pf, 1, 0), 0);
	raise(SIGUSR1);
	CHECK_EQ(poll(&pf, 1, 0), 1);
	CHECK_EQ(read(fd, si, sizeof *si), (ssize_t)sizeof *si);
	CHECK_EQ(si[0].ssi_signo, SIGUSR1);
	CHECK_EQ(si[0].ssi_pid, getpid());

	pid_t pid = child(sends, NULL);
	CHECK_EQ(poll(&pf, 1, -1), 1);
	CHECK_EQ(read(fd, si, sizeof *si), (ssize_t)sizeof *si);
	CHECK_EQ(si[0].ssi_signo, SIGRTMIN);
	CHECK_EQ(si[0].ssi_int, 77);
	CHECK_EQ(si[0].ssi_pid, pid);
	tell(go[1]);
	CHECK_EQ(read(fd, si, sizeof *si), (ssize_t)sizeof *si); /* blocks until the child ends */
	CHECK_EQ(si[0].ssi_signo, SIGCHLD);
	CHECK_EQ(si[0].ssi_pid, pid);
	CHECK_EQ(si[0].ssi_code, CLD_EXITED);
	CHECK_EXIT(pid, 0);

	raise(SIGUSR1);
	OK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1}));
	OK(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 2}));
	CHECK_EQ(read(fd, si, sizeof si), 3 * (ssize_t)sizeof *si);
	CHECK_EQ(si[2].ssi_int, 2);

	set_nonblock(fd);
	CHECK_ERR(read(fd, si, sizeof si), EAGAIN);
	CHECK_ERR(read(fd, si, 10), EINVAL);
	sigdelset(&set, SIGUSR1);
	CHECK_EQ(signalfd(fd, &set, 0), fd);
	raise(SIGUSR1);
	CHECK_ERR(read(fd, si, sizeof si), EAGAIN);
	CHECK_ERR(signalfd(1, &set, 0), EINVAL);
	return guest_ok();
}
