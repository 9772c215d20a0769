/* Big stacks: the main thread's grows to its limit, which exec applies; a thread's as large as asked. */
#include "guest.h"

#include <sys/resource.h>

static int deep(int n)
{
	volatile char frame[4000];

	frame[n % 4000] = 1;
	return n == 0 ? 0 : deep(n - 1) + frame[n % 4000];
}

static void *in_thread(void *arg)
{
	CHECK_EQ(deep(5000), 5000); /* 20 MB */
	return NULL;
}

static void overflows(void *arg)
{
	OK(setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}));
	deep(100000000);
}

int main(int argc, char **argv)
{
	struct rlimit rl;

	if (argc > 1)
		return deep(7000) == 7000 ? 0 : 1; /* 28 MB */
	CHECK_EQ(deep(1500), 1500); /* 6 MB of 8 */
	pthread_attr_t a;
	pthread_t t;
	PT(pthread_attr_init(&a));
	PT(pthread_attr_setstacksize(&a, 32 << 20));
	PT(pthread_create(&t, &a, in_thread, NULL));
	join(t);

	OK(getrlimit(RLIMIT_STACK, &rl));
	if (rl.rlim_max == RLIM_INFINITY || rl.rlim_max >= 40 << 20) {
		pid_t pid = OK(fork());
		if (pid == 0) {
			rl.rlim_cur = 40 << 20;
			OK(setrlimit(RLIMIT_STACK, &rl));
			execl("/proc/self/exe", "x", "deep", (char *)NULL);
			_exit(127);
		}
		CHECK_EXIT(pid, 0);
	}
	CHECK_KILLED(child(overflows, NULL), SIGSEGV);
	return guest_ok();
}
