/*
 * EMFILE at RLIMIT_NOFILE, from each call that makes descriptors; dup2 beyond it is EBADF; what is open stays usable.
 */
#include "guest.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

int main(void)
{
	struct rlimit rl = {.rlim_cur = 40, .rlim_max = 60};
	int p[2], last = -1, fd;

	closefrom(3); /* whatever was inherited */
	OK(setrlimit(RLIMIT_NOFILE, &rl));
	while ((fd = open("/dev/null", O_RDWR)) != -1)
		last = fd;
	CHECK_EQ(errno, EMFILE);
	CHECK_EQ(last, 39);
	CHECK_ERR(dup(1), EMFILE);
	CHECK_ERR(pipe(p), EMFILE);
	CHECK_ERR(socket(AF_INET, SOCK_STREAM, 0), EMFILE);
	CHECK_ERR(eventfd(0, 0), EMFILE);
	CHECK_ERR(epoll_create1(0), EMFILE);
	CHECK_ERR(fcntl(1, F_DUPFD, 0), EMFILE);
	CHECK_ERR(fcntl(1, F_DUPFD, 40), EINVAL);
	CHECK_ERR(dup2(1, 40), EBADF);
	CHECK_EQ(dup2(1, 39), 39);
	OK(close(38));
	CHECK_ERR(pipe(p), EMFILE); /* needs two */
	CHECK_EQ(dup(1), 38);

	rl.rlim_cur = 30; /* below what is open */
	OK(setrlimit(RLIMIT_NOFILE, &rl));
	OK(fcntl(39, F_GETFD));
	OK(close(5));
	CHECK_EQ(dup(1), 5);
	CHECK_ERR(dup(1), EMFILE);
	rl.rlim_cur = 61;
	CHECK_ERR(setrlimit(RLIMIT_NOFILE, &rl), EINVAL);
	return guest_ok();
}
