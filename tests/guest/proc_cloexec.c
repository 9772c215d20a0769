/* O_CLOEXEC descriptors are closed by exec, the others stay, with their offset. */
#include "guest.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

static int after(char **argv)
{
	char buf[8];

	for (int i = 1; i <= 5; i++)
		CHECK_ERR(fcntl(atoi(argv[i]), F_GETFD), EBADF);
	int file = atoi(argv[6]), out = atoi(argv[7]), event = atoi(argv[8]);
	CHECK_EQ(fcntl(file, F_GETFD), 0);
	CHECK_EQ(read(file, buf, 3), 3);
	CHECK(memcmp(buf, "def", 3) == 0);
	CHECK_EQ(write(out, "ok", 2), 2);
	uint64_t v;
	CHECK_EQ(read(event, &v, 8), 8);
	CHECK_EQ(v, 7);
	/* The lowest free numbers are those that were closed. */
	CHECK_EQ(dup(file), atoi(argv[1]));
	return 0;
}

int main(int argc, char **argv)
{
	char num[9][16], *args[10] = {"x"};
	int fd[9], p[2], sv[2];

	if (argc > 1)
		return after(argv);
	workdir();
	OK(pipe2(p, O_CLOEXEC));
	OK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv));
	fd[1] = p[0];
	fd[2] = p[1];
	fd[3] = sv[0];
	fd[4] = sv[1];
	fd[5] = OK(epoll_create1(EPOLL_CLOEXEC));
	fd[6] = file_with("f", "abcdef");
	char buf[8];
	CHECK_EQ(read(fd[6], buf, 3), 3);
	int q[2];
	OK(pipe(q));
	fd[7] = q[1];
	fd[8] = OK(eventfd(7, 0));
	for (int i = 1; i <= 8; i++) {
		snprintf(num[i], sizeof num[i], "%d", fd[i]);
		args[i] = num[i];
	}
	args[9] = NULL;
	pid_t pid = OK(fork());
	if (pid == 0) {
		execv("/proc/self/exe", args);
		_exit(127);
	}
	CHECK_EXIT(pid, 0);
	CHECK_EQ(read(q[0], buf, 8), 2);
	CHECK_EQ(fcntl(p[0], F_GETFD), FD_CLOEXEC); /* the parent's are untouched */
	return guest_ok();
}
