#include "tests/unit/kern_fixture.h"

#include "base/rng.h"
#include "kernel/chardev.h"
#include "kernel/epoll.h"
#include "kernel/eventfd.h"
#include "kernel/pipe.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/*
 * The same seeded operations on an epoll instance of ours and on one of the kernel below. Events, their order, and the
 * errno of every epoll_ctl() must be equal. The files: eventfds and pipes, some of them duplicated.
 */
enum { FILES = 12, STEPS = 4000 };

struct twins {
	struct fixture *x;
	struct rng rng;
	struct file *ep, *file[FILES];
	int ep_fd, fd[FILES];
	bool pipe[FILES]; /* file[i] and file[i + 1] are its two ends */
	char room[70000];
};

static void make_files(struct twins *t)
{
	for (int i = 0; i < FILES; i += 2) {
		if (rng_below(&t->rng, 2)) {
			t->pipe[i] = true;
			pipe_new(&t->x->k, O_NONBLOCK, &t->file[i], &t->file[i + 1]);
			assert_int_equal(pipe2(&t->fd[i], O_NONBLOCK), 0);
			continue;
		}
		t->file[i] = eventfd_new(&t->x->k, 0, false, O_NONBLOCK);
		t->fd[i] = eventfd(0, EFD_NONBLOCK);
		/* the second one is a duplicate: the same file under another number */
		t->file[i + 1] = file_ref(t->file[i]);
		t->fd[i + 1] = dup(t->fd[i]);
	}
}

static uint32_t some_events(struct twins *t)
{
	static const uint32_t bits[] = {EPOLLIN, EPOLLOUT, EPOLLRDNORM, EPOLLET, EPOLLONESHOT, EPOLLPRI, EPOLLRDHUP};
	uint32_t e = 0;

	for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
		if (rng_below(&t->rng, 2))
			e |= bits[i];
	if (rng_below(&t->rng, 20) == 0)
		e |= EPOLLEXCLUSIVE;
	return e;
}

static void twin_ctl(struct twins *t)
{
	static const int ops[] = {EPOLL_CTL_ADD, EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL, 17};
	int op = ops[rng_below(&t->rng, sizeof ops / sizeof *ops)], i = (int)rng_below(&t->rng, FILES);
	struct epoll_event theirs = {.events = some_events(t), .data.u64 = rng_u64(&t->rng)};
	struct k_epoll_event mine = {theirs.events, theirs.data.u64};
	int rc;

	if (t->fd[i] < 0)
		return;
	rc = epoll_ctl(t->ep_fd, op, t->fd[i], &theirs);
	assert_int_equal(epoll_ctl_file(&t->x->k, t->ep, op, t->fd[i], t->file[i], &mine), rc < 0 ? -errno : 0);
}

static void twin_io(struct twins *t)
{
	int i = (int)rng_below(&t->rng, FILES / 2) * 2;
	uint64_t v = 1 + rng_below(&t->rng, 3);
	size_t n = sizeof v;
	int64_t rc;

	if (t->pipe[i] && rng_below(&t->rng, 3) == 0)
		n = sizeof t->room;
	memcpy(t->room, &v, sizeof v);
	if (rng_below(&t->rng, 2)) {
		if (t->fd[i + 1] < 0)
			return;
		rc = write(t->fd[i + 1], t->room, n);
		assert_int_equal(f_write(t->x, t->file[i + 1], t->room, n), rc < 0 ? -errno : rc);
	} else if (t->fd[i] >= 0) {
		rc = read(t->fd[i], t->room, n);
		assert_int_equal(f_read(t->x, t->file[i], t->room, n), rc < 0 ? -errno : rc);
	}
}

static void twin_wait(struct twins *t)
{
	int max = 1 + (int)rng_below(&t->rng, FILES), fds[FILES];
	struct epoll_event theirs[FILES];
	struct k_epoll_event mine[FILES];
	int n = epoll_wait(t->ep_fd, theirs, max, 0);

	assert_int_equal(epoll_collect(&t->x->k, t->ep, mine, fds, max), n);
	for (int i = 0; i < n; i++) {
		assert_int_equal(mine[i].events, theirs[i].events);
		assert_true(mine[i].data == theirs[i].data.u64);
	}
}

/* One end of a pipe goes, for good. */
static void twin_close(struct twins *t)
{
	int i = (int)rng_below(&t->rng, FILES);

	if (t->fd[i] < 0 || !t->pipe[i & ~1])
		return;
	file_unref(&t->x->k, t->file[i]);
	close(t->fd[i]);
	t->fd[i] = -1;
}

static void twin_run(struct fixture *x, uint64_t seed)
{
	struct twins *t = test_calloc(1, sizeof *t);

	t->x = x;
	rng_init(&t->rng, seed, "test");
	t->ep = epoll_new(&x->k, 0);
	t->ep_fd = epoll_create1(0);
	make_files(t);
	for (int i = 0; i < STEPS; i++) {
		uint64_t what = rng_below(&t->rng, 10);
		if (what < 3)
			twin_ctl(t);
		else if (what < 7)
			twin_io(t);
		else
			twin_wait(t);
		if (rng_below(&t->rng, 800) == 0)
			twin_close(t);
	}
	for (int i = 0; i < FILES; i++)
		if (t->fd[i] >= 0) {
			file_unref(&x->k, t->file[i]);
			close(t->fd[i]);
		}
	assert_int_equal(epoll_items(t->ep), 0); /* closed files leave the set */
	file_unref(&x->k, t->ep);
	close(t->ep_fd);
	test_free(t);
	assert_nothing_leaked(x);
}

static void same_as_linux(void **state)
{
	signal(SIGPIPE, SIG_IGN);
	for (uint64_t seed = 1; seed <= 40; seed++)
		twin_run(*state, seed);
}

/* ---- what two files cannot show ---- */

struct small {
	struct fixture *x;
	struct file *ep;
	struct k_epoll_event ev[8];
	int fds[8];
};

static int ctl(struct small *s, int op, int fd, struct file *f, uint32_t events)
{
	struct k_epoll_event ev = {events, (uint64_t)fd};

	return epoll_ctl_file(&s->x->k, s->ep, op, fd, f, &ev);
}

static int collect(struct small *s)
{
	return epoll_collect(&s->x->k, s->ep, s->ev, s->fds, 8);
}

static void bump(struct fixture *x, struct file *f)
{
	uint64_t one = 1;

	f_write(x, f, &one, sizeof one);
}

static void regular_files_and_itself(void **state)
{
	struct small s = {.x = *state, .ep = epoll_new(&s.x->k, 0)};
	struct file *null = chardev_open(&s.x->k, "null", O_RDWR), *e = eventfd_new(&s.x->k, 0, false, 0);
	struct k_epoll_event ev = {K_EPOLLIN, 0};

	assert_int_equal(ctl(&s, K_EPOLL_CTL_ADD, 1, null, K_EPOLLIN), -EPERM);
	assert_int_equal(ctl(&s, K_EPOLL_CTL_ADD, 1, s.ep, K_EPOLLIN), -EINVAL);
	assert_int_equal(epoll_ctl_file(&s.x->k, e, K_EPOLL_CTL_ADD, 1, s.ep, &ev), -EINVAL); /* not an instance */
	assert_int_equal(ctl(&s, K_EPOLL_CTL_ADD, 1, e, K_EPOLLIN | K_EPOLLEXCLUSIVE | K_EPOLLONESHOT), -EINVAL);
	assert_int_equal(ctl(&s, K_EPOLL_CTL_ADD, 1, e, K_EPOLLIN | K_EPOLLEXCLUSIVE), 0);
	assert_int_equal(ctl(&s, K_EPOLL_CTL_MOD, 1, e, K_EPOLLIN), -EINVAL);
	assert_int_equal(ctl(&s, K_EPOLL_CTL_ADD, 2, e, K_EPOLLIN), 0); /* the same file, another number */
	assert_int_equal(epoll_items(s.ep), 2);
	file_unref(&s.x->k, null);
	file_unref(&s.x->k, e);
	file_unref(&s.x->k, s.ep);
	assert_nothing_leaked(s.x);
}

static void nesting_as_deep_as_linux(void **state)
{
	struct fixture *x = *state;
	struct file *ep[7], *e = eventfd_new(&x->k, 0, false, 0);
	int kernel[7], e_fd = eventfd(0, 0);
	struct epoll_event theirs = {.events = EPOLLIN};
	struct k_epoll_event ev = {K_EPOLLIN, 5};
	int fds[2];

	/* each contains the one before, as far as Linux lets it */
	for (int i = 0; i < 7; i++) {
		ep[i] = epoll_new(&x->k, 0);
		kernel[i] = epoll_create1(0);
	}
	epoll_ctl_file(&x->k, ep[0], K_EPOLL_CTL_ADD, 9, e, &ev);
	epoll_ctl(kernel[0], EPOLL_CTL_ADD, e_fd, &theirs);
	for (int i = 1; i < 7; i++) {
		int rc = epoll_ctl(kernel[i], EPOLL_CTL_ADD, kernel[i - 1], &theirs);
		assert_int_equal(epoll_ctl_file(&x->k, ep[i], K_EPOLL_CTL_ADD, i, ep[i - 1], &ev), rc < 0 ? -errno : 0);
	}
	assert_int_equal(epoll_ctl_file(&x->k, ep[0], K_EPOLL_CTL_ADD, 9, ep[5], &ev), -ELOOP); /* too deep from above */
	assert_int_equal(epoll_ctl_file(&x->k, ep[0], K_EPOLL_CTL_ADD, 9, ep[3], &ev), -ELOOP); /* a circle */

	assert_int_equal(epoll_collect(&x->k, ep[4], &ev, fds, 1), 0);
	bump(x, e);
	assert_int_equal(file_poll(&x->k, ep[4]), K_EPOLLIN | K_EPOLLRDNORM);
	assert_int_equal(epoll_collect(&x->k, ep[4], &ev, fds, 1), 1);
	assert_int_equal(fds[0], 4);
	f_read(x, e, &(uint64_t){0}, 8);
	assert_int_equal(file_poll(&x->k, ep[4]), 0);
	for (int i = 0; i < 7; i++) {
		file_unref(&x->k, ep[i]);
		close(kernel[i]);
	}
	file_unref(&x->k, e);
	close(e_fd);
	assert_nothing_leaked(x);
}

static void a_descriptor_closed_while_its_file_lives(void **state)
{
	struct small s = {.x = *state, .ep = epoll_new(&s.x->k, 0)};
	struct file *e = eventfd_new(&s.x->k, 0, false, 0);

	file_ref(e); /* a duplicate */
	ctl(&s, K_EPOLL_CTL_ADD, 3, e, K_EPOLLIN);
	file_unref(&s.x->k, e);
	bump(s.x, e);
	assert_int_equal(collect(&s), 1); /* still watched, under its old number: epoll(7), question 6 */
	assert_int_equal(s.fds[0], 3);
	file_unref(&s.x->k, e);
	assert_int_equal(collect(&s), 0);
	assert_int_equal(epoll_items(s.ep), 0);
}

static void a_waiter_is_woken(void **state)
{
	struct small s = {.x = *state, .ep = epoll_new(&s.x->k, 0)};
	struct file *rd, *wr;
	struct probe p;

	pipe_new(&s.x->k, 0, &rd, &wr);
	ctl(&s, K_EPOLL_CTL_ADD, 3, rd, K_EPOLLIN | K_EPOLLET);
	probe_on(&p, s.ep);
	f_write(s.x, wr, "a", 1);
	assert_int_equal(p.woken, 1);
	assert_int_equal(collect(&s), 1);
	assert_int_equal(collect(&s), 0);
	f_write(s.x, wr, "b", 1); /* a new edge, with the old byte still unread */
	assert_int_equal(p.woken, 2);
	assert_int_equal(collect(&s), 1);
	ctl(&s, K_EPOLL_CTL_MOD, 3, rd, K_EPOLLIN | K_EPOLLET); /* looks again */
	assert_int_equal(p.woken, 3);
	assert_int_equal(collect(&s), 1);
	file_unref(&s.x->k, wr);
	assert_int_equal(p.woken, 4);
	assert_int_equal(collect(&s), 1);
	assert_int_equal(s.ev[0].events, K_EPOLLIN | K_EPOLLHUP);
}

static void exclusive_wakes_one(void **state)
{
	struct fixture *x = *state;
	struct file *e = eventfd_new(&x->k, 0, false, 0), *ep[3];
	struct k_epoll_event ev = {K_EPOLLIN | K_EPOLLEXCLUSIVE, 0};
	struct probe p[3];
	int fds[1];

	for (int i = 0; i < 3; i++) {
		ep[i] = epoll_new(&x->k, 0);
		epoll_ctl_file(&x->k, ep[i], K_EPOLL_CTL_ADD, 3, e, &ev);
	}
	/* nobody waits on the first: it is passed over, but keeps the event */
	probe_on(&p[1], ep[1]);
	probe_on(&p[2], ep[2]);
	bump(x, e);
	assert_int_equal(p[1].woken, 1);
	assert_int_equal(p[2].woken, 0);
	assert_int_equal(epoll_collect(&x->k, ep[0], &ev, fds, 1), 1);
	assert_int_equal(epoll_collect(&x->k, ep[1], &ev, fds, 1), 1);
	assert_int_equal(epoll_collect(&x->k, ep[2], &ev, fds, 1), 0);
	file_notify(e, 0); /* "look again" is for all */
	assert_int_equal(p[1].woken, 2);
	assert_int_equal(p[2].woken, 1);
}

static void many_items(void **state)
{
	struct small s = {.x = *state, .ep = epoll_new(&s.x->k, 0)};
	struct file *f[1000];

	for (int i = 0; i < 1000; i++) {
		f[i] = eventfd_new(&s.x->k, 0, false, 0);
		assert_int_equal(ctl(&s, K_EPOLL_CTL_ADD, i, f[i], K_EPOLLIN | K_EPOLLET), 0);
	}
	for (int i = 0; i < 1000; i += 2)
		assert_int_equal(ctl(&s, K_EPOLL_CTL_DEL, i, f[i], 0), 0);
	for (int i = 0; i < 1000; i += 2)
		assert_int_equal(ctl(&s, K_EPOLL_CTL_DEL, i, f[i], 0), -ENOENT);
	for (int i = 999; i > 0; i -= 2)
		bump(s.x, f[i]);
	for (int want = 999; want > 0; want -= 16) { /* in the order in which they became ready */
		int n = collect(&s);
		assert_int_equal(n, want > 8 ? 8 : (want + 1) / 2);
		for (int i = 0; i < n; i++)
			assert_int_equal(s.fds[i], want - 2 * i);
	}
	file_unref(&s.x->k, s.ep);
	for (int i = 0; i < 1000; i++)
		file_unref(&s.x->k, f[i]);
	assert_nothing_leaked(s.x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(same_as_linux),
		UNIT(regular_files_and_itself),
		UNIT(nesting_as_deep_as_linux),
		UNIT(a_descriptor_closed_while_its_file_lives),
		UNIT(a_waiter_is_woken),
		UNIT(exclusive_wakes_one),
		UNIT(many_items),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
