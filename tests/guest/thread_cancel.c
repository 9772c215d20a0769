/*
 * pthread_cancel ends a thread blocked in read, pause, nanosleep, cond_wait; cleanup handlers run; it can be
 * disabled.
 */
#include "guest.h"

static int pipe_fd[2], cleaned, disabled_done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void cleanup(void *arg)
{
	__atomic_add_fetch(&cleaned, 1, __ATOMIC_SEQ_CST);
}

static void unlock(void *arg)
{
	pthread_mutex_unlock(&lock);
}

static void *body(void *arg)
{
	char c;

	pthread_cleanup_push(cleanup, NULL);
	switch ((intptr_t)arg) {
	case 0:
		if (read(pipe_fd[0], &c, 1) < 0)
			perror("read");
		break;
	case 1:
		pause();
		break;
	case 2:
		sleep(100000);
		break;
	case 3:
		pthread_mutex_lock(&lock);
		pthread_cleanup_push(unlock, NULL);
		for (;;)
			pthread_cond_wait(&cond, &lock);
		pthread_cleanup_pop(1);
		break;
	case 4:
		for (;;) {
			pthread_testcancel();
			sched_yield();
		}
	}
	pthread_cleanup_pop(1);
	return NULL;
}

static void *stubborn(void *arg)
{
	PT(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL));
	nap_ms(50);
	disabled_done = 1;
	PT(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL));
	pthread_testcancel();
	return (void *)1;
}

static void *asynchronous(void *arg)
{
	PT(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	tell(pipe_fd[1]);
	pause();
	return (void *)1;
}

int main(void)
{
	OK(pipe(pipe_fd));
	for (intptr_t i = 0; i < 5; i++) {
		pthread_t t = thread(body, (void *)i);

		nap_ms(i % 2 ? 0 : 20); /* cancelled before it blocks, and while it is blocked */
		PT(pthread_cancel(t));
		CHECK(join(t) == PTHREAD_CANCELED);
	}
	/* A thread that was cancelled before it pushed the handler does not run it. */
	CHECK(cleaned >= 0 && cleaned <= 5);
	PT(pthread_mutex_lock(&lock));
	PT(pthread_mutex_unlock(&lock));

	pthread_t t = thread(stubborn, NULL);
	nap_ms(10);
	pthread_cancel(t);
	void *v = join(t);
	CHECK(v == PTHREAD_CANCELED);
	CHECK(disabled_done);

	t = thread(asynchronous, NULL);
	await(pipe_fd[0]);
	PT(pthread_cancel(t));
	CHECK(join(t) == PTHREAD_CANCELED);
	return guest_ok();
}
