/* abort: the status is SIGABRT, also when it is ignored or blocked; a handler may leave by siglongjmp. */
#include "guest.h"

#include <setjmp.h>
#include <sys/resource.h>

static sigjmp_buf back;

static void handler(int sig)
{
	siglongjmp(back, 1);
}

static void aborts(void *arg)
{
	struct rlimit none = {0, 0};

	OK(setrlimit(RLIMIT_CORE, &none));
	if (arg) {
		signal(SIGABRT, SIG_IGN);
		block_signal(SIGABRT);
	}
	abort();
}

int main(void)
{
	CHECK_KILLED(child(aborts, NULL), SIGABRT);
	CHECK_KILLED(child(aborts, (void *)1), SIGABRT);
	on_signal(SIGABRT, handler, 0);
	if (sigsetjmp(back, 1) == 0)
		abort();
	return guest_ok();
}
