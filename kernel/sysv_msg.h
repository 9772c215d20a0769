/* System V message queues (msgop(2), msgctl(2)). After ipc/msg.c of Linux. */
#ifndef KERNEL_SYSV_MSG_H
#define KERNEL_SYSV_MSG_H

#include "kernel/sysv_ipc.h"

enum {
	SYSV_MSG_MNI = 32000,
	SYSV_MSG_MAX = 8192,  /* bytes of a message */
	SYSV_MSG_MNB = 16384, /* bytes of a queue, unless root says otherwise */
	SYSV_MSG_NOERROR = 010000,
	SYSV_MSG_EXCEPT = 020000,
	SYSV_MSG_COPY = 040000,
};

struct msg {
	struct list link;
	int64_t type;
	size_t len;
	char *text;
};

struct msg_queue {
	struct sysv_perm perm;
	int64_t stime, rtime, ctime;
	uint64_t bytes, count, bytes_max;
	int sender, receiver; /* pids of the last ones */
	struct list messages;
	struct waitq senders, receivers;
};

int msg_get(struct kern *k, struct proc *p, int key, uint32_t flags); /* the identifier or -errno */
struct msg_queue *msg_by_id(struct kern *k, int id, int *e);
/* 0, or -errno; -EAGAIN: it does not fit now. */
int msg_send(struct kern *k, struct proc *p, struct msg_queue *q, int64_t type, const void *text, size_t len);
/* The message that a receiver of this type and flags gets; NULL: none now. */
struct msg *msg_find(struct msg_queue *q, int64_t type, uint32_t flags);
struct msg *msg_at(struct msg_queue *q, int64_t n); /* MSG_COPY */
void msg_take(struct kern *k, struct proc *p, struct msg_queue *q, struct msg *m); /* out of the queue, and frees it */
void msg_changed(struct kern *k, struct msg_queue *q); /* IPC_SET: those that wait look again */
void msg_remove(struct kern *k, struct msg_queue *q);

#endif
