/* System V shared memory: keys, sizes, attaching, detaching, removal, what IPC_STAT shows. */
#include "guest.h"

#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

static struct shmid_ds stat_of(int id)
{
	struct shmid_ds ds;

	CHECK_EQ(shmctl(id, IPC_STAT, &ds), 0);
	return ds;
}

static void keys(void)
{
	key_t key = OK(ftok(".", 'k'));
	int a = OK(shmget(key, 1000, IPC_CREAT | IPC_EXCL | 0600)), b;

	CHECK_EQ(shmget(key, 0, 0), a);
	CHECK_EQ(shmget(key, 1000, IPC_CREAT), a);
	CHECK_ERR(shmget(key, 1001, 0), EINVAL);
	CHECK_ERR(shmget(key, 1000, IPC_CREAT | IPC_EXCL), EEXIST);
	CHECK_ERR(shmget(key + 1, 1000, 0600), ENOENT);
	CHECK_ERR(shmget(IPC_PRIVATE, 0, 0600), EINVAL);
	b = OK(shmget(IPC_PRIVATE, 4096, 0600));
	CHECK(a != b);
	CHECK_EQ(stat_of(a).shm_segsz, 1000);
	CHECK_EQ(stat_of(a).shm_perm.__key, key);
	CHECK_EQ(stat_of(a).shm_perm.mode, 0600);
	CHECK_EQ(stat_of(a).shm_perm.uid, geteuid());
	CHECK_EQ(stat_of(a).shm_perm.cgid, getegid());
	CHECK_EQ(stat_of(a).shm_cpid, getpid());
	CHECK_EQ(stat_of(a).shm_lpid, 0);
	CHECK_EQ(stat_of(a).shm_atime, 0);
	CHECK(llabs((long long)stat_of(a).shm_ctime - time(NULL)) <= 2);
	CHECK_EQ(shmctl(a, IPC_RMID, NULL), 0);
	CHECK_EQ(shmctl(b, IPC_RMID, NULL), 0);
	CHECK_ERR(shmctl(b, IPC_RMID, NULL), EINVAL);
	CHECK_ERR(shmget(key, 0, 0), ENOENT);
	CHECK_ERR(shmctl(-1, IPC_STAT, NULL), EINVAL);
	CHECK_ERR(shmctl(a, 999, NULL), EINVAL);
}

static void attaching(void)
{
	int id = OK(shmget(IPC_PRIVATE, 10000, 0600));
	char *p = shmat(id, NULL, 0), *q;

	CHECK(p != (void *)-1);
	CHECK_EQ((uintptr_t)p % 4096, 0);
	for (int i = 0; i < 10000; i++)
		CHECK_EQ(p[i], 0);
	strcpy(p, "hello");
	p[9999] = 'x';
	q = shmat(id, NULL, SHM_RDONLY);
	CHECK(q != (void *)-1 && q != p);
	CHECK(!strcmp(q, "hello") && q[9999] == 'x');
	CHECK_ERR(mprotect(q, 4096, PROT_READ | PROT_WRITE), EACCES);
	CHECK_EQ(stat_of(id).shm_nattch, 2);
	CHECK_EQ(stat_of(id).shm_lpid, getpid());
	CHECK(stat_of(id).shm_atime != 0);
	CHECK_EQ(stat_of(id).shm_dtime, 0);
	CHECK_ERR(shmdt(p + 4096), EINVAL);
	CHECK_ERR(shmdt(p + 1), EINVAL);
	OK(shmdt(p));
	CHECK_ERR(shmdt(p), EINVAL);
	CHECK_EQ(stat_of(id).shm_nattch, 1);
	CHECK(stat_of(id).shm_dtime != 0);
	CHECK(!strcmp(q, "hello"));
	/* The address is gone. */
	CHECK_ERR(write(1, p, 1), EFAULT);

	/* At an address of our choice. */
	CHECK_EQ((intptr_t)shmat(id, p, 0), (intptr_t)p);
	CHECK(!strcmp(p, "hello"));
	CHECK_EQ((intptr_t)shmat(id, p, 0), -1);
	CHECK_EQ(errno, EINVAL);
	CHECK_EQ((intptr_t)shmat(id, p + 100, 0), -1);
	CHECK_EQ(errno, EINVAL);
	CHECK_EQ((intptr_t)shmat(id, p + 100, SHM_RND | SHM_REMAP), (intptr_t)p);
	CHECK_EQ((intptr_t)shmat(id, NULL, SHM_REMAP), -1);
	CHECK_EQ(errno, EINVAL);
	OK(shmdt(p));

	/* munmap detaches as well. */
	OK(munmap(q, 12288));
	CHECK_EQ(stat_of(id).shm_nattch, 0);
	OK(shmctl(id, IPC_RMID, NULL));
	CHECK_EQ((intptr_t)shmat(id, NULL, 0), -1);
	CHECK(errno == EINVAL || errno == EIDRM);
}

/* A removed segment lives on until the last detaches. */
static void removal(void)
{
	key_t key = OK(ftok(".", 'r'));
	int id = OK(shmget(key, 4096, IPC_CREAT | 0644)), other;
	char *p = shmat(id, NULL, 0);
	pid_t pid;

	CHECK(p != (void *)-1);
	OK(shmctl(id, IPC_RMID, NULL));
	CHECK_EQ(stat_of(id).shm_perm.mode & 01000, 01000);
	CHECK_EQ(stat_of(id).shm_perm.__key, 0);
	CHECK_ERR(shmget(key, 4096, 0), ENOENT);
	other = OK(shmget(key, 4096, IPC_CREAT | 0644));
	CHECK(other != id);
	OK(shmctl(other, IPC_RMID, NULL));
	*p = 7;
	pid = OK(fork());
	if (!pid) {
		struct shmid_ds ds;
		_exit(shmctl(id, IPC_STAT, &ds) == 0 && ds.shm_nattch == 2 && *p == 7 ? 0 : 1);
	}
	CHECK_EXIT(pid, 0);
	CHECK_EQ(stat_of(id).shm_nattch, 1);
	CHECK_EQ(stat_of(id).shm_lpid, pid);
	OK(shmdt(p));
	CHECK(shmctl(id, IPC_STAT, &(struct shmid_ds){0}) == -1 && (errno == EINVAL || errno == EIDRM));
}

static void settings(void)
{
	int id = OK(shmget(IPC_PRIVATE, 5000, 0600));
	struct shmid_ds ds = stat_of(id);
	struct shm_info used;
	struct shminfo limits;

	ds.shm_perm.mode = 0444;
	ds.shm_perm.uid = geteuid();
	OK(shmctl(id, IPC_SET, &ds));
	CHECK_EQ(stat_of(id).shm_perm.mode, 0444);
	CHECK(shmctl(0, SHM_INFO, (void *)&used) >= 0);
	CHECK(used.used_ids >= 1);
	CHECK(used.shm_tot >= 2);
	CHECK(shmctl(0, IPC_INFO, (void *)&limits) >= 0);
	CHECK_EQ(limits.shmmin, 1);
	CHECK_EQ(limits.shmmni, 4096);
	CHECK_ERR(shmctl(id, IPC_STAT, NULL), EFAULT);
	OK(shmctl(id, IPC_RMID, NULL));
}

int main(void)
{
	workdir();
	keys();
	attaching();
	removal();
	settings();
	return guest_ok();
}
