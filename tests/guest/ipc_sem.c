/* System V semaphores without waiting: sets, values, atomic operations, errors, what IPC_STAT shows. */
#include "guest.h"

#include <sys/ipc.h>
#include <sys/sem.h>

union semun {
	int val;
	struct semid_ds *buf;
	unsigned short *array;
	struct seminfo *info;
};

static int op(int id, int num, int by, int flags)
{
	struct sembuf b = {.sem_num = (unsigned short)num, .sem_op = (short)by, .sem_flg = (short)flags};

	return semop(id, &b, 1);
}

static int value(int id, int num)
{
	return OK(semctl(id, num, GETVAL));
}

static void keys(void)
{
	key_t key = OK(ftok(".", 's'));
	int id = OK(semget(key, 3, IPC_CREAT | IPC_EXCL | 0600));

	CHECK_EQ(semget(key, 0, 0), id);
	CHECK_EQ(semget(key, 2, 0), id);
	CHECK_ERR(semget(key, 4, 0), EINVAL);
	CHECK_ERR(semget(key, 3, IPC_CREAT | IPC_EXCL), EEXIST);
	CHECK_ERR(semget(key + 1, 3, 0), ENOENT);
	CHECK_ERR(semget(IPC_PRIVATE, 0, 0600), EINVAL);
	CHECK_ERR(semget(IPC_PRIVATE, -1, 0600), EINVAL);
	CHECK_ERR(semget(IPC_PRIVATE, 40000, 0600), EINVAL);
	OK(semctl(id, 0, IPC_RMID));
	CHECK(semctl(id, 0, GETVAL) == -1 && (errno == EINVAL || errno == EIDRM));
}

static void values(void)
{
	int id = OK(semget(IPC_PRIVATE, 3, 0600));
	unsigned short all[3] = {1, 2, 3}, got[3];
	union semun u = {.array = all};

	CHECK_EQ(value(id, 0), 0);
	CHECK_EQ(semctl(id, 0, GETPID), 0);
	OK(semctl(id, 0, SETALL, u));
	u.array = got;
	OK(semctl(id, 0, GETALL, u));
	CHECK(!memcmp(all, got, sizeof all));
	CHECK_EQ(semctl(id, 2, GETPID), getpid());
	u.val = 32767;
	OK(semctl(id, 1, SETVAL, u));
	CHECK_ERR(op(id, 1, 1, 0), ERANGE);
	u.val = 32768;
	CHECK_ERR(semctl(id, 1, SETVAL, u), ERANGE);
	u.val = -1;
	CHECK_ERR(semctl(id, 1, SETVAL, u), ERANGE);
	u.val = 0;
	CHECK_ERR(semctl(id, 3, SETVAL, u), EINVAL);
	CHECK_ERR(semctl(id, -1, GETVAL), EINVAL);
	all[1] = 40000;
	u.array = all;
	CHECK_ERR(semctl(id, 0, SETALL, u), ERANGE);
	CHECK_EQ(value(id, 0), 1);
	u.array = NULL;
	CHECK_ERR(semctl(id, 0, GETALL, u), EFAULT);
	CHECK_ERR(semctl(id, 0, 999), EINVAL);
	OK(semctl(id, 0, IPC_RMID));
}

/* All operations of a call, or none. */
static void atomic(void)
{
	int id = OK(semget(IPC_PRIVATE, 2, 0600));
	struct sembuf up2[2] = {{0, 1, 0}, {1, 2, 0}}, mixed[2] = {{0, -1, IPC_NOWAIT}, {1, -3, IPC_NOWAIT}};
	struct sembuf same[3] = {{0, -1, IPC_NOWAIT}, {0, 0, IPC_NOWAIT}, {0, 5, 0}}, many[501] = {{0}};

	OK(semop(id, up2, 2));
	CHECK_EQ(value(id, 0), 1);
	CHECK_EQ(value(id, 1), 2);
	CHECK_ERR(semop(id, mixed, 2), EAGAIN);
	CHECK_EQ(value(id, 0), 1);
	CHECK_EQ(value(id, 1), 2);
	OK(semop(id, same, 3)); /* down to zero, which is waited for, and up */
	CHECK_EQ(value(id, 0), 5);
	CHECK_ERR(op(id, 0, 0, IPC_NOWAIT), EAGAIN);
	CHECK_ERR(op(id, 0, -6, IPC_NOWAIT), EAGAIN);
	OK(op(id, 0, -5, 0));
	OK(op(id, 0, 0, 0));
	CHECK_ERR(op(id, 2, 1, 0), EFBIG);
	CHECK_ERR(semop(id, up2, 0), EINVAL);
	CHECK_ERR(semop(id, many, 501), E2BIG);
	CHECK_ERR(semop(-1, up2, 1), EINVAL);
	CHECK_ERR(semop(id, NULL, 1), EFAULT);
	OK(semctl(id, 0, IPC_RMID));
}

static void shown(void)
{
	int id = OK(semget(IPC_PRIVATE, 4, 0640));
	struct semid_ds ds;
	struct seminfo info;
	union semun u = {.buf = &ds};

	OK(semctl(id, 0, IPC_STAT, u));
	CHECK_EQ(ds.sem_nsems, 4);
	CHECK_EQ(ds.sem_otime, 0);
	CHECK_EQ(ds.sem_perm.mode, 0640);
	CHECK_EQ(ds.sem_perm.cuid, geteuid());
	CHECK(llabs((long long)ds.sem_ctime - time(NULL)) <= 2);
	OK(op(id, 0, 1, 0));
	OK(semctl(id, 0, IPC_STAT, u));
	CHECK(llabs((long long)ds.sem_otime - time(NULL)) <= 2);
	ds.sem_perm.mode = 0600;
	OK(semctl(id, 0, IPC_SET, u));
	OK(semctl(id, 0, IPC_STAT, u));
	CHECK_EQ(ds.sem_perm.mode, 0600);
	u.info = &info;
	CHECK(semctl(0, 0, IPC_INFO, u) >= 0);
	CHECK_EQ(info.semvmx, 32767);
	CHECK_EQ(info.semopm, 500);
	CHECK(semctl(0, 0, SEM_INFO, u) >= 0);
	CHECK(info.semusz >= 1 && info.semaem >= 4);
	OK(semctl(id, 0, IPC_RMID));
}

int main(void)
{
	workdir();
	keys();
	values();
	atomic();
	shown();
	return guest_ok();
}
