/* A fatal signal in any thread ends the whole process; the status names it. */
#include "guest.h"

#include <sys/resource.h>

static int how;

static void *victim(void *arg)
{
	nap_ms(5);
	if (how == 0)
		*(volatile int *)16 = 1;
	if (how == 1)
		abort();
	if (how == 2)
		pthread_kill(pthread_self(), SIGTERM);
	if (how == 3)
		__asm__ volatile("ud2");
	sleep_forever();
	return NULL;
}

static void *bystander(void *arg)
{
	while (usleep(100) == 0)
		;
	return NULL;
}

static void body(void *arg)
{
	OK(setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}));
	thread(bystander, NULL);
	thread(victim, NULL);
	sleep_forever();
}

int main(void)
{
	const int want[] = {SIGSEGV, SIGABRT, SIGTERM, SIGILL};

	for (how = 0; how < 4; how++)
		CHECK_KILLED(child(body, NULL), want[how]);
	return guest_ok();
}
