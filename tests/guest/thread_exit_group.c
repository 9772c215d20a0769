/* exit from any thread ends all threads, wherever they are blocked. */
#include "guest.h"

#include <sys/syscall.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int p[2];

static void *blocked(void *arg)
{
	char c;

	switch ((intptr_t)arg) {
	case 0:
		pthread_mutex_lock(&lock);
		break;
	case 1:
		sleep(1000000);
		break;
	case 2:
		if (read(p[0], &c, 1) != 1)
			_exit(99);
		break;
	case 3:
		for (;;)
			sched_yield();
	}
	_exit(98);
}

static void *ender(void *arg)
{
	nap_ms(20);
	_exit(7);
}

static void *main_returns(void *arg)
{
	pause();
	return NULL;
}

int main(void)
{
	OK(pipe(p));
	pid_t pid = OK(fork());
	if (pid == 0) {
		pthread_mutex_lock(&lock);
		for (intptr_t i = 0; i < 4; i++)
			thread(blocked, (void *)i);
		thread(ender, NULL);
		pause();
		_exit(97);
	}
	CHECK_EXIT(pid, 7);

	pid = OK(fork());
	if (pid == 0) {
		for (int i = 0; i < 3; i++)
			thread(main_returns, NULL);
		exit(3);
	}
	CHECK_EXIT(pid, 3);

	/* SYS_exit ends only the one thread. */
	pid = OK(fork());
	if (pid == 0) {
		thread(ender, NULL);
		syscall(SYS_exit, 55);
	}
	CHECK_EXIT(pid, 7);
	return guest_ok();
}
