#include "tests/unit/kern_fixture.h"

#include "kernel/mqueue.h"

#include <string.h>

static struct file *open_queue(struct fixture *x, const char *name, int64_t maxmsg, int64_t size)
{
	struct mq_limits a = {0, maxmsg, size, 0};
	struct file *f;

	assert_int_equal(mq_open_queue(&x->k, x->p, name, O_RDWR | O_CREAT, 0600, &a, &f), 0);
	assert_int_equal(fdtab_add(&x->k, x->p->fds, f, 0, 100, true) >= 0, 1);
	return f;
}

static void order(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	struct file *f = open_queue(x, "q", 4, 10);
	struct mqueue *q = mq_of(f);
	unsigned prio;
	char buf[10];

	assert_int_equal(mq_receive_message(k, q, buf, 9, &prio), -EMSGSIZE);
	assert_int_equal(mq_receive_message(k, q, buf, 10, &prio), -EAGAIN);
	assert_int_equal(file_poll(k, f), K_EPOLLOUT | K_EPOLLWRNORM);
	assert_int_equal(mq_send_message(k, x->p, q, "a", 1, 1), 0);
	assert_int_equal(mq_send_message(k, x->p, q, "b", 1, 2), 0);
	assert_int_equal(mq_send_message(k, x->p, q, "c", 1, 1), 0);
	assert_int_equal(mq_send_message(k, x->p, q, "d", 1, 2), 0);
	assert_int_equal(mq_send_message(k, x->p, q, "e", 1, 9), -EAGAIN);
	assert_int_equal(mq_send_message(k, x->p, q, "12345678901", 11, 9), -EMSGSIZE);
	assert_int_equal(file_poll(k, f), K_EPOLLIN | K_EPOLLRDNORM);
	assert_int_equal(mq_attr_of(f).curmsgs, 4);
	for (const char *want = "bdac"; *want; want++) {
		assert_int_equal(mq_receive_message(k, q, buf, 10, &prio), 1);
		assert_int_equal(buf[0], *want);
		assert_int_equal(prio, *want == 'b' || *want == 'd' ? 2 : 1);
	}
}

static void names_and_limits(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	struct mq_limits a = {0, 11, 100, 0};
	struct file *f;

	assert_int_equal(mq_open_queue(k, x->p, "", O_RDWR | O_CREAT, 0600, NULL, &f), -ENOENT);
	assert_int_equal(mq_open_queue(k, x->p, "a/b", O_RDWR | O_CREAT, 0600, NULL, &f), -EACCES);
	assert_int_equal(mq_open_queue(k, x->p, "q", O_RDWR, 0600, NULL, &f), -ENOENT);
	x->p->uid = x->p->euid = 1000;
	assert_int_equal(mq_open_queue(k, x->p, "q", O_RDWR | O_CREAT, 0600, &a, &f), -EINVAL);
	x->p->rlim[12][0] = 1000;
	a.maxmsg = 10;
	assert_int_equal(mq_open_queue(k, x->p, "q", O_RDWR | O_CREAT, 0600, &a, &f), -EMFILE);
	x->p->rlim[12][0] = 819200;
	f = open_queue(x, "q", 10, 100);
	assert_string_equal(mq_name(mq_of(f)), "q");
	assert_int_equal(mq_unlink_queue(k, x->p, "q"), 0);
	assert_int_equal(mq_unlink_queue(k, x->p, "q"), -ENOENT);
	assert_int_equal(mq_send_message(k, x->p, mq_of(f), "x", 1, 0), 0); /* open still */
}

static void notification(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	struct file *f = open_queue(x, "q", 4, 10);
	struct mqueue *q = mq_of(f);
	struct sigitem it;

	x->t->sigmask = K_SIGBIT(SIGUSR1);
	assert_int_equal(mq_register(k, x->p, q, MQ_SIGEV_SIGNAL, SIGUSR1, 5), 0);
	assert_int_equal(mq_register(k, x->p, q, MQ_SIGEV_NONE, 0, 0), -EBUSY);
	mq_send_message(k, x->p, q, "a", 1, 0);
	assert_true(sig_take_from_set(k, x->t, K_SIGBIT(SIGUSR1), &it));
	assert_int_equal(it.code, SI_MESGQ);
	assert_int_equal(it.value, 5);
	/* Once, and only for a message in an empty queue. */
	assert_int_equal(mq_register(k, x->p, q, MQ_SIGEV_SIGNAL, SIGUSR1, 5), 0);
	mq_send_message(k, x->p, q, "b", 1, 0);
	assert_false(sig_take_from_set(k, x->t, K_SIGBIT(SIGUSR1), &it));
	fdtab_close(k, x->p->fds, x->p, 0); /* closing ends it */
	f = open_queue(x, "q", 4, 10);
	assert_int_equal(mq_register(k, x->p, mq_of(f), MQ_SIGEV_NONE, 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {UNIT(order), UNIT(names_and_limits), UNIT(notification)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
