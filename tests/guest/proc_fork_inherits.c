/* What fork keeps and what it does not: mask, handlers, cwd, umask, limits; no pending signals, no timers, no locks. */
#include "guest.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>

static volatile sig_atomic_t hits;

static void handler(int sig)
{
	hits++;
}

int main(void)
{
	char cwd[PATH_MAX];
	sigset_t set;
	struct itimerval it = {.it_value.tv_sec = 100}, cur;

	workdir();
	umask(027);
	struct rlimit rl = {.rlim_cur = 55, .rlim_max = 100};
	OK(setrlimit(RLIMIT_NOFILE, &rl));
	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR2);
	raise(SIGUSR2);
	OK(setitimer(ITIMER_REAL, &it, NULL));
	pid_t pid = OK(fork());
	if (pid == 0) {
		CHECK(getcwd(cwd, sizeof cwd) && strcmp(cwd, guest_dir) == 0);
		CHECK_EQ(umask(0), 027);
		OK(getrlimit(RLIMIT_NOFILE, &rl));
		CHECK_EQ(rl.rlim_cur, 55);
		raise(SIGUSR1);
		CHECK_EQ(hits, 1);
		OK(sigprocmask(SIG_BLOCK, NULL, &set));
		CHECK(sigismember(&set, SIGUSR2));
		OK(sigpending(&set));
		CHECK(!sigismember(&set, SIGUSR2));
		OK(getitimer(ITIMER_REAL, &cur));
		CHECK_EQ(cur.it_value.tv_sec, 0);
		CHECK_EQ(cur.it_value.tv_usec, 0);
		struct tms tm;
		times(&tm);
		CHECK(tm.tms_utime < 100);
		OK(chdir("/"));
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	CHECK(getcwd(cwd, sizeof cwd) && strcmp(cwd, guest_dir) == 0);
	OK(sigpending(&set));
	CHECK(sigismember(&set, SIGUSR2));
	OK(getitimer(ITIMER_REAL, &cur));
	CHECK(cur.it_value.tv_sec > 50);
	return guest_ok();
}
