/* A robust mutex whose owner died: the next one gets EOWNERDEAD, makes it consistent or not. */
#include "guest.h"

#include <sys/mman.h>

static pthread_mutex_t *m;
static int locked[2];

static void *dies(void *arg)
{
	PT(pthread_mutex_lock(m));
	return NULL;
}

static void *waits(void *arg)
{
	PT_ERR(pthread_mutex_lock(m), EOWNERDEAD);
	PT(pthread_mutex_consistent(m));
	PT(pthread_mutex_unlock(m));
	return NULL;
}

static void *dies_later(void *arg)
{
	PT(pthread_mutex_lock(m));
	tell(locked[1]);
	nap_ms(20);
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;

	m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(m != MAP_FAILED);
	PT(pthread_mutexattr_init(&a));
	PT(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	PT(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	PT(pthread_mutex_init(m, &a));

	join(thread(dies, NULL));
	PT_ERR(pthread_mutex_lock(m), EOWNERDEAD);
	PT(pthread_mutex_consistent(m));
	PT(pthread_mutex_unlock(m));
	PT(pthread_mutex_lock(m));
	PT(pthread_mutex_unlock(m));

	/* A waiter is woken by the death. */
	OK(pipe(locked));
	pthread_t t = thread(dies_later, NULL);
	await(locked[0]);
	pthread_t w = thread(waits, NULL);
	join(t);
	join(w);

	/* A process dies with it, killed. */
	int p[2];
	OK(pipe(p));
	pid_t pid = OK(fork());
	if (pid == 0) {
		PT(pthread_mutex_lock(m));
		tell(p[1]);
		pause();
	}
	await(p[0]);
	OK(kill(pid, SIGKILL));
	PT_ERR(pthread_mutex_lock(m), EOWNERDEAD);
	CHECK_KILLED(pid, SIGKILL);

	/* Unlocked without being made consistent, it is lost. */
	PT(pthread_mutex_unlock(m));
	PT_ERR(pthread_mutex_lock(m), ENOTRECOVERABLE);
	return guest_ok();
}
