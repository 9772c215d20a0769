#include "tests/unit/kern_fixture.h"

#include "kernel/epoll.h"
#include "kernel/signalfd.h"

#include <string.h>
#include <sys/signalfd.h>

_Static_assert(sizeof(struct signalfd_siginfo) == 128, "the C library agrees on the size");

static uint64_t set_of(int a, int b)
{
	return K_SIGBIT(a) | (b ? K_SIGBIT(b) : 0);
}

static void reads_what_is_pending(void **state)
{
	struct fixture *x = *state;
	struct signalfd_siginfo si[3];
	struct file *f;
	struct probe p;

	sig_set_mask(&x->k, x->t, set_of(SIGUSR1, SIGUSR2));
	f = signalfd_new(&x->k, set_of(SIGUSR1, 0), 0);
	assert_int_equal(f_read(x, f, si, sizeof si), -EAGAIN);
	assert_int_equal(f_read(x, f, si, sizeof *si - 1), -EINVAL);
	assert_int_equal(file_poll(&x->k, f), 0);
	probe_on(&p, f);
	sig_send_simple(&x->k, x->p, NULL, SIGUSR2, SI_USER, 55); /* not in the set */
	assert_int_equal(file_poll(&x->k, f), 0);
	sig_send_simple(&x->k, x->p, NULL, SIGUSR1, SI_USER, 55);
	assert_true(p.woken > 0);
	assert_int_equal(file_poll(&x->k, f), K_EPOLLIN);
	assert_int_equal(f_read(x, f, si, sizeof si), sizeof *si);
	assert_int_equal(si[0].ssi_signo, SIGUSR1);
	assert_int_equal(si[0].ssi_code, SI_USER);
	assert_int_equal(si[0].ssi_pid, 55);
	assert_int_equal(file_poll(&x->k, f), 0);
	signalfd_set_mask(f, set_of(SIGUSR1, SIGUSR2) | K_SIGBIT(SIGKILL));
	assert_int_equal(f_read(x, f, si, sizeof si), sizeof *si);
	assert_int_equal(si[0].ssi_signo, SIGUSR2);
	list_del(&p.w.link);
	file_unref(&x->k, f);
	assert_nothing_leaked(x);
}

static void several_at_once(void **state)
{
	struct fixture *x = *state;
	struct signalfd_siginfo si[3];
	struct sigitem rt = {.sig = 40, .code = SI_QUEUE, .pid = 9, .uid = 3, .value = 0x123456789};
	struct file *f;

	sig_set_mask(&x->k, x->t, set_of(SIGUSR1, 40));
	f = signalfd_new(&x->k, set_of(SIGUSR1, 40), 0);
	sig_send(&x->k, x->p, x->t, &rt);
	sig_send(&x->k, x->p, x->t, &rt);
	sig_send_simple(&x->k, x->p, x->t, SIGUSR1, SI_TKILL, 9);
	assert_int_equal(f_read(x, f, si, 2 * sizeof *si + 5), 2 * sizeof *si);
	assert_int_equal(si[0].ssi_signo, SIGUSR1); /* lower numbers first */
	assert_int_equal(si[1].ssi_signo, 40);
	assert_int_equal(si[1].ssi_ptr, 0x123456789);
	assert_int_equal(si[1].ssi_int, 0x23456789);
	assert_int_equal(si[1].ssi_uid, 3);
	assert_int_equal(f_read(x, f, si, sizeof si), sizeof *si);
}

static void through_epoll(void **state)
{
	struct fixture *x = *state;
	struct file *ep, *f;
	struct k_epoll_event ev = {K_EPOLLIN, 0};
	struct probe p;
	int fds[1];

	sig_set_mask(&x->k, x->t, set_of(SIGUSR1, 0));
	f = signalfd_new(&x->k, set_of(SIGUSR1, 0), 0);
	ep = epoll_new(&x->k, 0);
	epoll_ctl_file(&x->k, ep, K_EPOLL_CTL_ADD, 4, f, &ev);
	probe_on(&p, ep);
	sig_send_simple(&x->k, x->p, NULL, SIGUSR1, SI_USER, 1);
	assert_true(p.woken > 0);
	assert_int_equal(epoll_collect(&x->k, ep, &ev, fds, 1), 1);
	assert_int_equal(ev.events, K_EPOLLIN);
	list_del(&p.w.link);
	file_unref(&x->k, f);
	file_unref(&x->k, ep);
}

/* Each process reads its own signals, and one that ends leaves nothing behind. */
static void shared_after_fork(void **state)
{
	struct fixture *x = *state;
	struct proc *child = proc_fork(&x->k, x->p, 101, false, false, false);
	struct thread *ct = thread_new(&x->k, child, 101);
	struct signalfd_siginfo si;
	struct file *f;

	sig_set_mask(&x->k, x->t, set_of(SIGUSR1, 0));
	sig_set_mask(&x->k, ct, set_of(SIGUSR1, 0));
	f = signalfd_new(&x->k, set_of(SIGUSR1, 0), 0);
	sig_send_simple(&x->k, child, NULL, SIGUSR1, SI_USER, 7);
	assert_int_equal(f_read(x, f, &si, sizeof si), -EAGAIN);
	x->k.current = ct;
	assert_int_equal(f_read(x, f, &si, sizeof si), sizeof si);
	assert_int_equal(si.ssi_pid, 7);
	assert_false(list_empty(&child->sig_wq.waiters));
	signalfd_forget(&x->k, child);
	assert_true(list_empty(&child->sig_wq.waiters));
	assert_false(list_empty(&x->p->sig_wq.waiters));
	file_unref(&x->k, f);
	assert_true(list_empty(&x->p->sig_wq.waiters));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(reads_what_is_pending),
		UNIT(several_at_once),
		UNIT(through_epoll),
		UNIT(shared_after_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
