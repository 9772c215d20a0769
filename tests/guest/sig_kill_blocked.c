/* SIGKILL ends a process wherever it is blocked; SIGTERM with a default action does so as well. */
#include "guest.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>

static int p[2], ready[2], lock_fd;

static void blocks(void *arg)
{
	char c;
	uint64_t v;
	struct epoll_event ev;
	struct pollfd pf = {.fd = p[0], .events = POLLIN};
	static char big[200000];
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	ssize_t n = 0;

	tell(ready[1]);
	switch ((intptr_t)arg) {
	case 0:
		n = read(p[0], &c, 1);
		break;
	case 1:
		poll(&pf, 1, -1);
		break;
	case 2:
		epoll_wait(epoll_create1(0), &ev, 1, -1);
		break;
	case 3:
		n = read(eventfd(0, 0), &v, 8);
		break;
	case 4:
		flock(open("lock", O_RDWR), LOCK_EX);
		break;
	case 5:
		pthread_mutex_lock(&m);
		pthread_mutex_lock(&m);
		break;
	case 6:
		n = write(p[1], big, sizeof big);
		break;
	case 7:
		sleep(1000000);
		break;
	case 8:
		if (fork() == 0) {
			close(ready[1]);
			nap_ms(100);
			_exit(0);
		}
		wait(NULL);
	}
	_exit(n ? 98 : 99);
}

int main(void)
{
	workdir();
	lock_fd = file_with("lock", "");
	OK(flock(lock_fd, LOCK_EX));
	OK(pipe(p));
	OK(pipe(ready));
	for (intptr_t how = 0; how < 9; how++) {
		int sig = how % 2 ? SIGKILL : SIGTERM;
		pid_t pid = child(blocks, (void *)how);

		await(ready[0]);
		nap_ms(10);
		OK(kill(pid, sig));
		CHECK_KILLED(pid, sig);
	}
	return guest_ok();
}
