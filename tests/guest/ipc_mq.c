/* POSIX message queues: names, attributes, priorities, waiting, timeouts, notification, poll. */
#include "guest.h"

#include <mqueue.h>
#include <poll.h>

static char name[64];

static void put(mqd_t q, const char *s, unsigned prio)
{
	CHECK_EQ(mq_send(q, s, strlen(s), prio), 0);
}

static void get(mqd_t q, const char *s, unsigned want)
{
	char buf[100];
	unsigned prio;
	ssize_t n = mq_receive(q, buf, sizeof buf, &prio);

	CHECK_EQ(n, (ssize_t)strlen(s));
	CHECK(!memcmp(buf, s, (size_t)n));
	CHECK_EQ(prio, want);
}

static mqd_t new_queue(int flags)
{
	struct mq_attr a = {.mq_maxmsg = 3, .mq_msgsize = 100};

	return (mqd_t)OK(mq_open(name, O_RDWR | O_CREAT | O_EXCL | flags, 0600, &a));
}

static void names(void)
{
	struct mq_attr a = {.mq_maxmsg = 3, .mq_msgsize = 100};
	mqd_t q, r;
	char buf[100];

	CHECK_ERR(mq_open(name, O_RDWR), ENOENT);
	a.mq_maxmsg = 0;
	CHECK_ERR(mq_open(name, O_RDWR | O_CREAT, 0600, &a), EINVAL);
	q = new_queue(0);
	CHECK_ERR(mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, NULL), EEXIST);
	OK(mq_getattr(q, &a));
	CHECK(a.mq_maxmsg == 3 && a.mq_msgsize == 100 && a.mq_curmsgs == 0 && a.mq_flags == 0);
	CHECK_EQ(fcntl(q, F_GETFD), FD_CLOEXEC);
	r = (mqd_t)OK(mq_open(name, O_RDONLY | O_NONBLOCK));
	CHECK_ERR(mq_send(r, "x", 1, 0), EBADF);
	CHECK_ERR(mq_receive(r, buf, sizeof buf, NULL), EAGAIN);
	CHECK_ERR(mq_receive(r, buf, 99, NULL), EMSGSIZE);
	CHECK_ERR(mq_send(q, name, 101, 0), EMSGSIZE);
	CHECK_ERR(mq_send(q, "x", 1, 32768), EINVAL);
	CHECK_ERR(mq_send(0, "x", 1, 0), EBADF);
	/* Unlinked, it goes on until it is closed. */
	put(q, "hello", 1);
	OK(mq_unlink(name));
	CHECK_ERR(mq_unlink(name), ENOENT);
	CHECK_ERR(mq_open(name, O_RDWR), ENOENT);
	get(r, "hello", 1);
	OK(mq_close(r));
	OK(mq_close(q));
	q = (mqd_t)OK(mq_open(name, O_WRONLY | O_CREAT, 0600, NULL));
	OK(mq_getattr(q, &a));
	CHECK(a.mq_maxmsg == 10 && a.mq_msgsize == 8192);
	OK(mq_close(q));
	OK(mq_unlink(name));
}

static void *receives_later(void *arg)
{
	nap_ms(20);
	get(*(mqd_t *)arg, "b", 9);
	return NULL;
}

static void *sends_later(void *arg)
{
	nap_ms(20);
	put(*(mqd_t *)arg, "late", 0);
	return NULL;
}

static void handler(int sig)
{
}

static void waiting(void)
{
	mqd_t q = new_queue(0);
	struct pollfd p = {.fd = q, .events = POLLIN | POLLOUT};
	struct timespec t;
	struct mq_attr nonblock = {.mq_flags = O_NONBLOCK}, old;
	char buf[100];
	pthread_t th;

	CHECK_EQ(poll(&p, 1, 0), 1);
	CHECK_EQ(p.revents, POLLOUT);
	put(q, "a", 1);
	put(q, "b", 9);
	put(q, "c", 1);
	CHECK_EQ(poll(&p, 1, 0), 1);
	CHECK_EQ(p.revents, POLLIN);
	OK(clock_gettime(CLOCK_REALTIME, &t));
	CHECK_ERR(mq_timedsend(q, "d", 1, 0, &t), ETIMEDOUT);
	t.tv_nsec = 1000000000;
	CHECK_ERR(mq_timedsend(q, "d", 1, 0, &t), EINVAL);
	th = thread(receives_later, &q);
	put(q, "d", 5);
	join(th);
	get(q, "d", 5);
	get(q, "a", 1);
	get(q, "c", 1);
	OK(clock_gettime(CLOCK_REALTIME, &t));
	t.tv_sec += t.tv_nsec >= 900000000;
	t.tv_nsec = (t.tv_nsec + 100000000) % 1000000000;
	CHECK_ERR(mq_timedreceive(q, buf, sizeof buf, NULL, &t), ETIMEDOUT);
	th = thread(sends_later, &q);
	get(q, "late", 0);
	join(th);
	on_signal(SIGALRM, handler, 0);
	alarm(1);
	CHECK_ERR(mq_receive(q, buf, sizeof buf, NULL), EINTR);
	OK(mq_setattr(q, &nonblock, &old));
	CHECK_EQ(old.mq_flags, 0);
	CHECK_ERR(mq_receive(q, buf, sizeof buf, NULL), EAGAIN);
	OK(mq_close(q));
	OK(mq_unlink(name));
}

static void *notify_thread_waits(void *arg)
{
	get(*(mqd_t *)arg, "for the waiter", 0);
	return NULL;
}

static void notification(void)
{
	mqd_t q = new_queue(0);
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 77};
	sigset_t set = sigset_of(SIGUSR1);
	siginfo_t si;
	pthread_t th;
	pid_t pid;

	block_signal(SIGUSR1);
	OK(mq_notify(q, &ev));
	pid = OK(fork());
	if (!pid) {
		CHECK_ERR(mq_notify(q, &ev), EBUSY);
		put(q, "first", 0);
		put(q, "second", 0);
		_exit(0);
	}
	CHECK_EQ(sigwaitinfo(&set, &si), SIGUSR1);
	CHECK_EQ(si.si_code, SI_MESGQ);
	CHECK_EQ(si.si_pid, pid);
	CHECK_EQ(si.si_value.sival_int, 77);
	CHECK_EXIT(pid, 0);
	get(q, "first", 0);
	get(q, "second", 0);
	/* Once only. */
	put(q, "third", 0);
	get(q, "third", 0);
	sigpending(&set);
	CHECK(!sigismember(&set, SIGUSR1));
	/* Somebody who waits gets it without a notification. */
	OK(mq_notify(q, &ev));
	th = thread(notify_thread_waits, &q);
	nap_ms(50);
	put(q, "for the waiter", 0);
	join(th);
	sigpending(&set);
	CHECK(!sigismember(&set, SIGUSR1));
	OK(mq_notify(q, NULL));
	OK(mq_notify(q, &ev));
	OK(mq_close(q));
	OK(mq_unlink(name));
}

int main(void)
{
	snprintf(name, sizeof name, "/guest-%d", getpid());
	names();
	waiting();
	notification();
	return guest_ok();
}
