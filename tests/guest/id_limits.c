/* getrlimit, setrlimit, prlimit: values are kept, inherited, checked; RLIMIT_FSIZE acts. */
#include "guest.h"

#include <sys/resource.h>

int main(void)
{
	struct rlimit rl, old;

	for (int r = 0; r < RLIM_NLIMITS; r++) {
		OK(getrlimit(r, &rl));
		CHECK(rl.rlim_cur <= rl.rlim_max);
	}
	CHECK_ERR(getrlimit(99, &rl), EINVAL);
	rl = (struct rlimit){100, 200};
	OK(prlimit(0, RLIMIT_NOFILE, &rl, &old));
	CHECK(old.rlim_cur >= 200);
	OK(getrlimit(RLIMIT_NOFILE, &rl));
	CHECK(rl.rlim_cur == 100 && rl.rlim_max == 200);
	CHECK_EQ(sysconf(_SC_OPEN_MAX), 100);
	rl = (struct rlimit){201, 200};
	CHECK_ERR(setrlimit(RLIMIT_NOFILE, &rl), EINVAL);

	workdir();
	signal(SIGXFSZ, SIG_IGN);
	rl = (struct rlimit){1000, 1000};
	OK(setrlimit(RLIMIT_FSIZE, &rl));
	static char buf[2000];
	int fd = file_with("f", "");
	CHECK_EQ(write(fd, buf, 2000), 1000);
	CHECK_ERR(write(fd, buf, 1), EFBIG);
	CHECK_ERR(ftruncate(fd, 1001), EFBIG);
	pid_t pid = OK(fork());
	if (pid == 0) {
		OK(getrlimit(RLIMIT_FSIZE, &rl));
		CHECK_EQ(rl.rlim_cur, 1000);
		signal(SIGXFSZ, SIG_DFL);
		OK(setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}));
		OK(write(fd, buf, 1));
		_exit(1);
	}
	CHECK_KILLED(pid, SIGXFSZ);
	return guest_ok();
}
