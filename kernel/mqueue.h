/* POSIX message queues (mq_overview(7)). After ipc/mqueue.c of Linux. */
#ifndef KERNEL_MQUEUE_H
#define KERNEL_MQUEUE_H

#include "kernel/file.h"
#include "kernel/task.h"

enum { MQ_NAME_MAX = 255, MQ_PRIORITIES = 32768 };
enum { MQ_SIGEV_SIGNAL = 0, MQ_SIGEV_NONE = 1 }; /* sigev_notify */

/* struct mq_attr of the ABI, without its reserved part. */
struct mq_limits {
	int64_t flags, maxmsg, msgsize, curmsgs;
};

struct mqueue;

/* NULL attributes: the defaults. 0 or -errno; the flags are open(2)'s. */
int mq_open_queue(struct kern *k, struct proc *p, const char *name, uint32_t flags, uint32_t mode, const struct mq_limits *attr,
		  struct file **out);
int mq_unlink_queue(struct kern *k, struct proc *p, const char *name);
struct mqueue *mq_of(const struct file *f); /* NULL: f is no queue */
const char *mq_name(const struct mqueue *q);
uint32_t mq_mode(const struct mqueue *q, uint32_t *uid, uint32_t *gid);
struct mq_limits mq_attr_of(const struct file *f);

/* 0 or -EMSGSIZE, -EAGAIN when it is full. */
int mq_send_message(struct kern *k, struct proc *p, struct mqueue *q, const void *text, size_t len, unsigned prio);
/* The length, -EMSGSIZE when more than len bytes may come, -EAGAIN when it is empty. */
int64_t mq_receive_message(struct kern *k, struct mqueue *q, void *buf, size_t len, unsigned *prio);
struct waitq *mq_waitq(struct mqueue *q, bool senders);
/* Registers p (sig and value count with MQ_SIGEV_SIGNAL). 0, -EBUSY. */
int mq_register(struct kern *k, struct proc *p, struct mqueue *q, int how, int sig, int64_t value);
void mq_unregister(struct kern *k, struct proc *p, struct mqueue *q); /* if it is p that is registered */

#endif
