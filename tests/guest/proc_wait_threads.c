/* Children belong to the process: any thread may wait for one that another thread forked; several wait at once. */
#include "guest.h"

enum { N = 6 };

static pid_t made;
static int sum;

static void *forks(void *arg)
{
	pid_t pid = OK(fork());

	if (pid == 0) {
		nap_ms(5);
		_exit(9);
	}
	made = pid;
	return NULL;
}

static void *waits_any(void *arg)
{
	int st;

	OK(waitpid(-1, &st, 0));
	CHECK(WIFEXITED(st));
	__atomic_add_fetch(&sum, WEXITSTATUS(st), __ATOMIC_SEQ_CST);
	return NULL;
}

int main(void)
{
	pthread_t t[N];

	join(thread(forks, NULL)); /* the thread is gone, its child stays ours */
	CHECK_EXIT(made, 9);
	for (int i = 0; i < N; i++)
		if (OK(fork()) == 0) {
			usleep((useconds_t)(i * 2000));
			_exit(1 << i);
		}
	for (int i = 0; i < N; i++)
		t[i] = thread(waits_any, NULL);
	for (int i = 0; i < N; i++)
		join(t[i]);
	CHECK_EQ(sum, (1 << N) - 1);
	CHECK_ERR(wait(NULL), ECHILD);
	return guest_ok();
}
