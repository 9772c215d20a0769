/* Waiting for System V semaphores: hand-over in order, counts of waiters, timeouts, signals, removal, SEM_UNDO. */
#include "guest.h"

#include <sys/ipc.h>
#include <sys/sem.h>

union semun {
	int val;
	struct semid_ds *buf;
	unsigned short *array;
};

static int id;

static int op(int num, int by, int flags)
{
	struct sembuf b = {.sem_num = (unsigned short)num, .sem_op = (short)by, .sem_flg = (short)flags};

	return semop(id, &b, 1);
}

static int value(int num)
{
	return OK(semctl(id, num, GETVAL));
}

static void await_waiters(int num, int cmd, int n)
{
	while (OK(semctl(id, num, cmd)) != n)
		nap_ms(5);
}

static void *down_by(void *arg)
{
	OK(op(0, -(int)(intptr_t)arg, 0));
	return NULL;
}

static void *wait_zero(void *arg)
{
	OK(op(0, 0, 0));
	return NULL;
}

static void threads(void)
{
	pthread_t a, b, z;

	a = thread(down_by, (void *)3);
	await_waiters(0, GETNCNT, 1);
	b = thread(down_by, (void *)1);
	await_waiters(0, GETNCNT, 2);
	OK(op(0, 2, 0));
	/* The second one did not have to wait for the first. */
	join(b);
	CHECK_EQ(value(0), 1);
	OK(op(0, 2, 0));
	/* Given to the waiter at once, not when it comes to run. */
	CHECK_EQ(value(0), 0);
	join(a);
	OK(op(0, 1, 0));
	z = thread(wait_zero, NULL);
	await_waiters(0, GETZCNT, 1);
	CHECK_EQ(OK(semctl(id, 0, GETNCNT)), 0);
	OK(op(0, -1, 0));
	join(z);
	CHECK_EQ(OK(semctl(id, 0, GETZCNT)), 0);
}

static void timeouts(void)
{
	struct sembuf b = {0, -1, 0};
	struct timespec t = {0, 50000000}, bad = {0, 1000000000};
	int64_t from = mono_ns();

	CHECK_ERR(semtimedop(id, &b, 1, &t), EAGAIN);
	CHECK(mono_ns() - from >= 49 * NS_PER_MS);
	t = (struct timespec){0};
	CHECK_ERR(semtimedop(id, &b, 1, &t), EAGAIN);
	CHECK_ERR(semtimedop(id, &b, 1, &bad), EINVAL);
	CHECK_ERR(semtimedop(id, &b, 1, (void *)8), EFAULT);
	OK(op(0, 1, 0));
	OK(semtimedop(id, &b, 1, &t));
	CHECK_EQ(OK(semctl(id, 0, GETNCNT)), 0);
}

static void handler(int sig)
{
}

static void interrupted(void)
{
	pid_t pid;
	pid_t me = getpid();

	on_signal(SIGUSR1, handler, SA_RESTART); /* never restarted all the same */
	pid = OK(fork());
	if (!pid) {
		await_waiters(0, GETNCNT, 1);
		kill(me, SIGUSR1);
		_exit(0);
	}
	CHECK_ERR(op(0, -1, 0), EINTR);
	CHECK_EQ(OK(semctl(id, 0, GETNCNT)), 0);
	CHECK_EXIT(pid, 0);
	OK(op(0, 1, 0));
	CHECK_EQ(value(0), 1);
	OK(op(0, -1, 0));
}

static void undo(void)
{
	union semun u = {.val = 5};
	pid_t pid;

	OK(semctl(id, 1, SETVAL, u));
	pid = OK(fork());
	if (!pid) {
		OK(op(1, -3, SEM_UNDO));
		OK(op(1, 1, SEM_UNDO));
		OK(op(1, -1, 0));
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	CHECK_EQ(value(1), 4);
	CHECK_EQ(OK(semctl(id, 1, GETPID)), pid);
	/* A killed process gives its lock back, and the one that waits for it gets it. */
	u.val = 1;
	OK(semctl(id, 1, SETVAL, u));
	pid = OK(fork());
	if (!pid) {
		OK(op(1, -1, SEM_UNDO));
		OK(op(2, 1, 0));
		sleep_forever();
	}
	OK(op(2, -1, 0));
	CHECK_EQ(value(1), 0);
	OK(kill(pid, SIGKILL));
	OK(op(1, -1, 0));
	CHECK_KILLED(pid, SIGKILL);
	/* SETVAL forgets adjustments. */
	OK(op(1, 1, 0));
	pid = OK(fork());
	if (!pid) {
		OK(op(1, -1, SEM_UNDO));
		OK(semctl(id, 1, SETVAL, u));
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	CHECK_EQ(value(1), 1);
}

static void *expects_removal(void *arg)
{
	CHECK_ERR(op(0, -1, 0), EIDRM);
	return NULL;
}

/* A killed waiter is none any more. */
static void killed_waiter(void)
{
	pid_t pid = OK(fork());

	if (!pid) {
		op(0, -1, 0);
		_exit(0);
	}
	await_waiters(0, GETNCNT, 1);
	OK(kill(pid, SIGKILL));
	CHECK_KILLED(pid, SIGKILL);
	CHECK_EQ(OK(semctl(id, 0, GETNCNT)), 0);
	OK(op(0, 1, 0));
	CHECK_EQ(value(0), 1);
	OK(op(0, -1, 0));
}

int main(void)
{
	pthread_t t;

	id = OK(semget(IPC_PRIVATE, 3, 0600));
	threads();
	timeouts();
	interrupted();
	undo();
	killed_waiter();
	t = thread(expects_removal, NULL);
	await_waiters(0, GETNCNT, 1);
	OK(semctl(id, 0, IPC_RMID));
	join(t);
	return guest_ok();
}
