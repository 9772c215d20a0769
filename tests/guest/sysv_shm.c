/* System V shared memory: attached by two processes, kept across fork, removed at the last detach. */
#include "guest.h"

#include <sys/shm.h>

int main(void)
{
	struct shmid_ds ds;

	int id = OK(shmget(IPC_PRIVATE, 10000, IPC_CREAT | 0600));
	int *p = shmat(id, NULL, 0);
	CHECK(p != (void *)-1);
	CHECK_EQ(p[0], 0);
	p[0] = 5;
	pid_t pid = OK(fork());
	if (pid == 0) {
		int *q = shmat(id, NULL, SHM_RDONLY);
		CHECK(q != (void *)-1 && q != p);
		CHECK_EQ(q[0], 5);
		p[1] = 6; /* inherited, writable */
		CHECK_EQ(q[1], 6);
		OK(shmctl(id, IPC_STAT, &ds));
		CHECK_EQ(ds.shm_nattch, 3);
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	CHECK_EQ(p[1], 6);
	OK(shmctl(id, IPC_STAT, &ds));
	CHECK_EQ(ds.shm_nattch, 1);
	CHECK_EQ(ds.shm_segsz, 10000);
	CHECK_EQ(ds.shm_cpid, getpid());
	OK(shmctl(id, IPC_RMID, NULL));
	p[2] = 7; /* still attached */
	OK(shmdt(p));
	CHECK_ERR(shmctl(id, IPC_STAT, &ds), EINVAL);
	CHECK_ERR(shmdt(p), EINVAL);

	key_t key = 0x5eed0000 + getpid();
	CHECK_ERR(shmget(key, 100, 0), ENOENT);
	id = OK(shmget(key, 100, IPC_CREAT | IPC_EXCL | 0600));
	CHECK_ERR(shmget(key, 100, IPC_CREAT | IPC_EXCL | 0600), EEXIST);
	CHECK_EQ(shmget(key, 0, 0), id);
	CHECK_ERR(shmget(key, 99999, 0), EINVAL);
	OK(shmctl(id, IPC_RMID, NULL));
	return guest_ok();
}
