/* A tree of processes that fork, exec, write and lock all the time is killed by its group: nothing of it is left. */
#include "guest.h"

#include <sys/file.h>
#include <sys/prctl.h>

static void busy(void *arg)
{
	OK(setpgid(0, 0));
	for (int i = 0; i < 3; i++)
		if (OK(fork()) == 0) {
			int fd = OK(open("lock", O_RDWR));

			for (;;) {
				flock(fd, LOCK_EX);
				if (OK(fork()) == 0) {
					execl("/bin/true", "true", (char *)NULL);
					_exit(1);
				}
				wait(NULL);
				flock(fd, LOCK_UN);
				usleep(3000);
			}
		}
	sleep_forever();
}

int main(void)
{
	workdir();
	OK(prctl(PR_SET_CHILD_SUBREAPER, 1));
	close(file_with("lock", ""));
	for (int round = 0; round < 3; round++) {
		pid_t pid = child(busy, NULL);

		nap_ms(20 + round * 7);
		CHECK_EQ(getpgid(pid), pid);
		/* A fork may be under way: until nobody is left. */
		while (kill(-pid, SIGKILL) == 0) {
			while (waitpid(-pid, NULL, WNOHANG) > 0)
				;
			usleep(1000);
		}
		CHECK_EQ(errno, ESRCH);
		int fd = OK(open("lock", O_RDWR));
		OK(flock(fd, LOCK_EX | LOCK_NB));
		OK(close(fd));
	}
	return guest_ok();
}
