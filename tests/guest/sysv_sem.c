/* System V semaphores: waiting, several at once, SEM_UNDO at death, timeouts, removal wakes the waiters. */
#include "guest.h"

#include <sys/sem.h>

static int id;

static int op(unsigned short num, short by, short flags)
{
	struct sembuf b = {.sem_num = num, .sem_op = by, .sem_flg = flags};

	return semop(id, &b, 1);
}

static void releases_later(void *arg)
{
	nap_ms(20);
	OK(op(0, 1, 0));
}

static void dies_holding(void *arg)
{
	OK(op(0, -1, SEM_UNDO));
}

static void waits_removed(void *arg)
{
	CHECK_ERR(op(1, -1, 0), EIDRM);
}

int main(void)
{
	id = OK(semget(IPC_PRIVATE, 2, IPC_CREAT | 0600));
	CHECK_EQ(semctl(id, 0, GETVAL), 0);
	CHECK_ERR(op(0, -1, IPC_NOWAIT), EAGAIN);
	pid_t pid = child(releases_later, NULL);
	OK(op(0, -1, 0)); /* waits */
	CHECK_EXIT(pid, 0);
	CHECK_EQ(semctl(id, 0, GETPID), getpid());

	OK(semctl(id, 0, SETVAL, 1));
	CHECK_EXIT(child(dies_holding, NULL), 0);
	CHECK_EQ(semctl(id, 0, GETVAL), 1); /* given back */

	/* All or nothing. */
	struct sembuf two[2] = {{0, -1, 0}, {1, -1, IPC_NOWAIT}};
	CHECK_ERR(semop(id, two, 2), EAGAIN);
	CHECK_EQ(semctl(id, 0, GETVAL), 1);
	CHECK_ERR(op(0, 0, IPC_NOWAIT), EAGAIN); /* waits for zero */
	OK(op(0, -1, 0));
	OK(op(0, 0, 0));

	struct timespec t = {.tv_nsec = 20 * NS_PER_MS};
	struct sembuf one = {1, -1, 0};
	int64_t start = mono_ns();
	CHECK_ERR(semtimedop(id, &one, 1, &t), EAGAIN);
	CHECK(mono_ns() - start >= 20 * NS_PER_MS);
	pid = child(waits_removed, NULL);
	while (semctl(id, 1, GETNCNT) == 0)
		nap_ms(1);
	OK(semctl(id, 0, IPC_RMID));
	CHECK_EXIT(pid, 0);
	CHECK_ERR(semctl(id, 0, GETVAL), EINVAL);
	return guest_ok();
}
