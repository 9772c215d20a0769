/* System V message queues: order and types, sizes, waiting, signals, removal. */
#include "guest.h"

#include <sys/ipc.h>
#include <sys/msg.h>

#ifndef MSG_COPY
#define MSG_COPY 040000
#endif
#ifndef MSG_EXCEPT
#define MSG_EXCEPT 020000
#endif

struct message {
	long type;
	char text[9000];
};

static int id;

static int put(long type, const char *text, int flags)
{
	struct message m = {.type = type};

	strcpy(m.text, text);
	return msgsnd(id, &m, strlen(text), flags);
}

static void get(long type, int flags, long want_type, const char *want)
{
	struct message m = {0};

	CHECK_EQ(msgrcv(id, &m, sizeof m.text, type, flags), (ssize_t)strlen(want));
	CHECK_EQ(m.type, want_type);
	CHECK(!memcmp(m.text, want, strlen(want)));
}

static struct msqid_ds stat_of(void)
{
	struct msqid_ds ds;

	OK(msgctl(id, IPC_STAT, &ds));
	return ds;
}

static void types(void)
{
	struct message m;

	OK(put(3, "three", 0));
	OK(put(1, "one", 0));
	OK(put(2, "two", 0));
	OK(put(1, "one again", 0));
	CHECK_EQ(stat_of().msg_qnum, 4);
	CHECK_EQ(stat_of().msg_lspid, getpid());
	CHECK_EQ(stat_of().msg_lrpid, 0);
	CHECK_ERR(msgrcv(id, &m, sizeof m.text, 9, IPC_NOWAIT), ENOMSG);
	CHECK_ERR(msgrcv(id, &m, 2, 3, 0), E2BIG);
	get(1, 0, 1, "one");
	get(-2, 0, 1, "one again");
	get(3, MSG_EXCEPT, 2, "two");
	CHECK_EQ(msgrcv(id, &m, 2, 0, MSG_NOERROR), 2);
	CHECK(!memcmp(m.text, "th", 2));
	CHECK_EQ(stat_of().msg_qnum, 0);
	CHECK_EQ(stat_of().msg_lrpid, getpid());
	CHECK_ERR(put(0, "x", 0), EINVAL);
	CHECK_ERR(put(-1, "x", 0), EINVAL);
	m.type = 1;
	CHECK_ERR(msgsnd(id, &m, 8193, 0), EINVAL);
	CHECK_ERR(msgsnd(id, &m, (size_t)-1, 0), EINVAL);
	CHECK_ERR(msgrcv(id, &m, (size_t)-1, 0, 0), EINVAL);
	CHECK_ERR(msgsnd(id, NULL, 1, 0), EFAULT);
	OK(msgsnd(id, &m, 0, 0));
	CHECK_EQ(msgrcv(id, &m, 10, 0, 0), 0);
}

static void *fills_later(void *arg)
{
	nap_ms(20);
	OK(put(7, "late", 0));
	return NULL;
}

static void *drains_later(void *arg)
{
	struct message m;

	nap_ms(20);
	CHECK_EQ(msgrcv(id, &m, sizeof m.text, 0, 0), 8000);
	return NULL;
}

static void waiting(void)
{
	struct message m = {.type = 1};
	pthread_t t = thread(fills_later, NULL);

	get(7, 0, 7, "late");
	join(t);
	OK(msgsnd(id, &m, 8000, 0));
	OK(msgsnd(id, &m, 8000, 0));
	CHECK_ERR(msgsnd(id, &m, 8000, IPC_NOWAIT), EAGAIN);
	CHECK_EQ(stat_of().__msg_cbytes, 16000);
	t = thread(drains_later, NULL);
	OK(msgsnd(id, &m, 8000, 0));
	join(t);
	CHECK_EQ(msgrcv(id, &m, sizeof m.text, 0, 0), 8000);
	CHECK_EQ(msgrcv(id, &m, sizeof m.text, 0, 0), 8000);
}

static void handler(int sig)
{
}

static void interrupted(void)
{
	struct message m;

	on_signal(SIGALRM, handler, SA_RESTART);
	alarm(1);
	CHECK_ERR(msgrcv(id, &m, sizeof m.text, 0, 0), EINTR);
}

static void *expects_removal(void *arg)
{
	struct message m;

	tell(*(int *)arg);
	CHECK_ERR(msgrcv(id, &m, sizeof m.text, 0, 0), EIDRM);
	return NULL;
}

static void *producer(void *arg)
{
	char text[32];

	for (int i = 0; i < 200; i++) {
		snprintf(text, sizeof text, "%d", i);
		OK(put(1 + (long)(intptr_t)arg, text, 0));
	}
	return NULL;
}

static void many(void)
{
	pthread_t t[3];
	int next[3] = {0};

	for (intptr_t i = 0; i < 3; i++)
		t[i] = thread(producer, (void *)i);
	for (int i = 0; i < 600; i++) {
		struct message m = {0};
		CHECK(msgrcv(id, &m, sizeof m.text, 0, 0) > 0);
		CHECK_EQ(atoi(m.text), next[m.type - 1]++);
	}
	for (int i = 0; i < 3; i++)
		join(t[i]);
}

int main(void)
{
	pthread_t t;
	int fd[2];
	key_t key;

	workdir();
	key = OK(ftok(".", 'm'));
	CHECK_ERR(msgget(key, 0600), ENOENT);
	id = OK(msgget(key, IPC_CREAT | IPC_EXCL | 0600));
	CHECK_ERR(msgget(key, IPC_CREAT | IPC_EXCL | 0600), EEXIST);
	CHECK_EQ(msgget(key, 0), id);
	CHECK_EQ(stat_of().msg_qbytes, 16384);
	types();
	waiting();
	interrupted();
	many();
	OK(pipe(fd));
	t = thread(expects_removal, &fd[1]);
	await(fd[0]);
	nap_ms(20);
	OK(msgctl(id, IPC_RMID, NULL));
	join(t);
	CHECK(put(1, "x", 0) == -1 && (errno == EINVAL || errno == EIDRM));
	return guest_ok();
}
