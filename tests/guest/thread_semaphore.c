/* POSIX semaphores: unnamed between threads, timeouts, named ones by two opens. */
#include "guest.h"

#include <semaphore.h>

static sem_t items, space;
static int buffer[4], sum;

static void *consumer(void *arg)
{
	for (int i = 0; i < 200; i++) {
		OK(sem_wait(&items));
		sum += buffer[i % 4];
		OK(sem_post(&space));
	}
	return NULL;
}

int main(void)
{
	OK(sem_init(&items, 0, 0));
	OK(sem_init(&space, 0, 4));
	pthread_t t = thread(consumer, NULL);
	for (int i = 0; i < 200; i++) {
		OK(sem_wait(&space));
		buffer[i % 4] = i;
		OK(sem_post(&items));
	}
	join(t);
	CHECK_EQ(sum, 199 * 200 / 2);

	int v;
	OK(sem_getvalue(&items, &v));
	CHECK_EQ(v, 0);
	CHECK_ERR(sem_trywait(&items), EAGAIN);
	struct timespec at = timespec_of(clock_ns(CLOCK_REALTIME) + 20 * NS_PER_MS);
	CHECK_ERR(sem_timedwait(&items, &at), ETIMEDOUT);
	CHECK(clock_ns(CLOCK_REALTIME) >= at.tv_sec * NS_PER_S + at.tv_nsec);

	char name[64];
	snprintf(name, sizeof name, "/guest-sem-%d", getpid());
	CHECK(sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
	sem_t *a = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
	CHECK(a != SEM_FAILED);
	pid_t pid = OK(fork());
	if (pid == 0) {
		sem_t *b = sem_open(name, 0);
		CHECK(b != SEM_FAILED);
		OK(sem_wait(b));
		OK(sem_wait(b)); /* until the parent posts */
		_exit(0);
	}
	OK(sem_post(a));
	CHECK_EXIT(pid, 0);
	OK(sem_close(a));
	OK(sem_unlink(name));
	return guest_ok();
}
