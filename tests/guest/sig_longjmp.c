/* siglongjmp out of a handler restores the mask; out of a blocked call, too. */
#include "guest.h"

#include <setjmp.h>
#include <sys/time.h>

static sigjmp_buf back;

static void handler(int sig)
{
	siglongjmp(back, 1);
}

int main(void)
{
	sigset_t set;
	int p[2];
	struct itimerval it = {.it_value.tv_usec = 10000};

	on_signal(SIGUSR1, handler, 0);
	on_signal(SIGALRM, handler, 0);
	for (volatile int i = 0; i < 3; i++) {
		if (sigsetjmp(back, 1) == 0) {
			raise(SIGUSR1);
			CHECK(!"reached");
		}
		OK(sigprocmask(SIG_BLOCK, NULL, &set));
		CHECK(!sigismember(&set, SIGUSR1));
	}
	if (sigsetjmp(back, 0) == 0)
		raise(SIGUSR1);
	OK(sigprocmask(SIG_BLOCK, NULL, &set));
	CHECK(sigismember(&set, SIGUSR1)); /* not saved: still as in the handler */

	OK(pipe(p));
	if (sigsetjmp(back, 1) == 0) {
		char c;

		OK(setitimer(ITIMER_REAL, &it, NULL));
		CHECK_EQ(read(p[0], &c, 1), 77);
	}
	return guest_ok();
}
