/* Attachments across fork, exec, exit and a kill; futexes and data in a segment that unrelated processes share. */
#include "guest.h"

#include <linux/futex.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/syscall.h>

struct area {
	uint32_t word;
	int count;
	char text[100];
};

static unsigned attached(int id)
{
	struct shmid_ds ds;

	OK(shmctl(id, IPC_STAT, &ds));
	return (unsigned)ds.shm_nattch;
}

static void partner(void *arg)
{
	/* Not inherited: attached by key, at another address. */
	int id = OK(shmget(*(key_t *)arg, 0, 0));
	struct area *a = shmat(id, NULL, 0);

	CHECK(a != (void *)-1);
	for (int i = 0; i < 100; i++) {
		while (__atomic_load_n(&a->word, __ATOMIC_SEQ_CST) == 0)
			if (syscall(SYS_futex, &a->word, FUTEX_WAIT, 0, NULL, NULL, 0) == -1)
				CHECK(errno == EAGAIN || errno == EINTR);
		a->count++;
		__atomic_store_n(&a->word, 0, __ATOMIC_SEQ_CST);
		OK(syscall(SYS_futex, &a->word, FUTEX_WAKE, 1, NULL, NULL, 0));
	}
	strcpy(a->text, "from the child");
}


static void ping_pong(void)
{
	key_t key = OK(ftok(".", 'p'));
	int id = OK(shmget(key, sizeof(struct area), IPC_CREAT | IPC_EXCL | 0600));
	pid_t pid = child(partner, &key);
	struct area *a = shmat(id, NULL, 0);

	CHECK(a != (void *)-1);
	for (int i = 0; i < 100; i++) {
		__atomic_store_n(&a->word, 1, __ATOMIC_SEQ_CST);
		OK(syscall(SYS_futex, &a->word, FUTEX_WAKE, 1, NULL, NULL, 0));
		while (__atomic_load_n(&a->word, __ATOMIC_SEQ_CST) == 1)
			if (syscall(SYS_futex, &a->word, FUTEX_WAIT, 1, NULL, NULL, 0) == -1)
				CHECK(errno == EAGAIN || errno == EINTR);
	}
	CHECK_EXIT(pid, 0);
	CHECK_EQ(a->count, 100);
	CHECK(!strcmp(a->text, "from the child"));
	CHECK_EQ(attached(id), 1);
	OK(shmctl(id, IPC_RMID, NULL));
	OK(shmdt(a));
}

static void ends(void)
{
	int id = OK(shmget(IPC_PRIVATE, 4096, 0600)), fd[2];
	char *p = shmat(id, NULL, 0);
	pid_t pid;

	CHECK(p != (void *)-1);
	OK(pipe(fd));
	pid = OK(fork());
	if (!pid) {
		*p = 1;
		tell(fd[1]);
		sleep_forever();
	}
	await(fd[0]);
	CHECK_EQ(*p, 1);
	CHECK_EQ(attached(id), 2);
	OK(kill(pid, SIGKILL));
	CHECK_KILLED(pid, SIGKILL);
	CHECK_EQ(attached(id), 1);
	/* exec detaches. */
	pid = OK(fork());
	if (!pid) {
		execl("/bin/sh", "sh", "-c", "sleep 1", NULL);
		_exit(1);
	}
	while (attached(id) != 1)
		nap_ms(20);
	CHECK_EXIT(pid, 0);
	/* A thread's end does not; vfork's child shares the attachments. */
	pid = vfork();
	if (!pid)
		_exit(0);
	CHECK_EXIT(pid, 0);
	CHECK_EQ(attached(id), 1);
	OK(shmctl(id, IPC_RMID, NULL));
}

int main(void)
{
	workdir();
	ping_pong();
	ends();
	return guest_ok();
}
