#include "tests/unit/kern_fixture.h"

#include "base/rng.h"
#include "kernel/pipe.h"

#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static char data[1 << 20], back[1 << 20];

/*
 * The same seeded operations on a pipe of ours and on one of the kernel below: results, bytes and poll bits are equal.
 * That is how capacity by pages, merging, partial writes and packets are held to be Linux's own.
 */
struct twin {
	struct fixture *x;
	struct rng rng;
	struct file *rd, *wr;
	int fd[2];
};

static size_t some_length(struct twin *t)
{
	static const size_t special[] = {0, 1, 100, 4095, 4096, 4097, 8192, 8193, 65536, 70000, 200000};

	return rng_below(&t->rng, 2) ? special[rng_below(&t->rng, sizeof special / sizeof *special)] :
				       rng_below(&t->rng, 6000);
}

static int64_t result(int64_t rc)
{
	return rc < 0 ? -errno : rc;
}

static void twin_step(struct twin *t)
{
	struct kern *k = &t->x->k;
	size_t n = some_length(t);
	int64_t got;
	int avail;

	switch (rng_below(&t->rng, 16)) {
	default:
		for (size_t i = 0; i < n; i += 64)
			data[i] = (char)rng_u64(&t->rng);
		assert_int_equal(f_write(t->x, t->wr, data, n), result(write(t->fd[1], data, n)));
		break;
	case 0 ... 6:
		got = f_read(t->x, t->rd, back, n);
		assert_int_equal(got, result(read(t->fd[0], data, n)));
		if (got > 0)
			assert_memory_equal(back, data, (size_t)got);
		break;
	case 7:
		assert_int_equal(ioctl(t->fd[0], FIONREAD, &avail), 0);
		assert_int_equal(t->wr->ops->bytes_readable(k, t->wr), avail);
		break;
	case 8:
		n = rng_below(&t->rng, 100);
		assert_int_equal(pipe_set_size(k, file_pipe(t->rd), n * 4000),
				 result(fcntl(t->fd[0], F_SETPIPE_SZ, n * 4000)));
		assert_int_equal(pipe_size(file_pipe(t->rd)), fcntl(t->fd[1], F_GETPIPE_SZ));
		break;
	}
}

static void twin_compare_poll(struct twin *t)
{
	struct pollfd p[2] = {{.fd = t->fd[0], .events = POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM},
			      {.fd = t->fd[1], .events = POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM}};

	poll(p, 2, 0);
	assert_int_equal(file_poll(&t->x->k, t->rd), p[0].revents);
	assert_int_equal(file_poll(&t->x->k, t->wr), p[1].revents);
}

static void twins(struct fixture *x, uint64_t seed, int flags)
{
	struct twin t = {.x = x};

	rng_init(&t.rng, seed, "test");
	assert_int_equal(pipe2(t.fd, O_NONBLOCK | flags), 0);
	pipe_new(&x->k, (uint32_t)(O_NONBLOCK | flags), &t.rd, &t.wr);
	for (int i = 0; i < 3000; i++) {
		twin_step(&t);
		twin_compare_poll(&t);
	}
	file_unref(&x->k, t.rd);
	file_unref(&x->k, t.wr);
	close(t.fd[0]);
	close(t.fd[1]);
	assert_nothing_leaked(x);
}

static void same_as_linux(void **state)
{
	for (uint64_t seed = 1; seed <= 10; seed++)
		twins(*state, seed, 0);
}

static void packets_same_as_linux(void **state)
{
	for (uint64_t seed = 1; seed <= 5; seed++)
		twins(*state, seed, O_DIRECT);
}

static void capacity_is_in_pages(void **state)
{
	struct fixture *x = *state;
	struct file *rd, *wr;
	int n = 0;

	pipe_new(&x->k, 0, &rd, &wr);
	while (f_write(x, wr, data, 3000) == 3000)
		n++;
	assert_int_equal(n, 16); /* 3000 bytes do not share a page */
	file_unref(&x->k, rd);
	file_unref(&x->k, wr);
	pipe_new(&x->k, 0, &rd, &wr);
	for (n = 0; f_write(x, wr, data, 1) == 1; n++)
		;
	assert_int_equal(n, 65536);
}

static void small_writes_are_atomic(void **state)
{
	struct fixture *x = *state;
	struct file *rd, *wr;

	pipe_new(&x->k, 0, &rd, &wr);
	assert_int_equal(f_write(x, wr, data, 15 * 4096 + 100), 15 * 4096 + 100);
	assert_int_equal(f_write(x, wr, data, 4096), -EAGAIN); /* all or nothing, up to PIPE_BUF */
	assert_int_equal(f_write(x, wr, data, 3996), 3996);    /* the rest of the last page */
	assert_int_equal(f_read(x, rd, back, 4096), 4096);
	assert_int_equal(f_write(x, wr, data, 8192), 4096); /* longer ones may be split */
}

static void ends(void **state)
{
	struct fixture *x = *state;
	struct file *rd, *wr;
	struct probe p;

	pipe_new(&x->k, 0, &rd, &wr);
	assert_int_equal(f_read(x, rd, back, 10), -EAGAIN);
	f_write(x, wr, "abc", 3);
	probe_on(&p, rd);
	file_unref(&x->k, wr);
	assert_int_equal(p.woken, 1);
	assert_int_equal(file_poll(&x->k, rd), K_EPOLLIN | K_EPOLLRDNORM | K_EPOLLHUP);
	assert_int_equal(f_read(x, rd, back, 10), 3);
	assert_int_equal(f_read(x, rd, back, 10), 0);
	assert_int_equal(file_poll(&x->k, rd), K_EPOLLHUP);
	list_del(&p.w.link);
	file_unref(&x->k, rd);

	pipe_new(&x->k, 0, &rd, &wr);
	probe_on(&p, wr);
	file_unref(&x->k, rd);
	assert_int_equal(p.woken, 1);
	assert_int_equal(file_poll(&x->k, wr), K_EPOLLOUT | K_EPOLLWRNORM | K_EPOLLERR);
	assert_int_equal(f_write(x, wr, "", 0), 0);
	assert_int_equal(f_write(x, wr, "abc", 3), -EPIPE);
	list_del(&p.w.link);
	file_unref(&x->k, wr);
	assert_nothing_leaked(x);
}

static void who_is_woken(void **state)
{
	struct fixture *x = *state;
	struct file *rd, *wr;
	struct probe r, w;

	pipe_new(&x->k, 0, &rd, &wr);
	probe_on(&r, rd);
	probe_on(&w, wr);
	f_write(x, wr, data, 10);
	f_write(x, wr, data, 10); /* an edge for epoll even though there was something already */
	assert_int_equal(r.woken, 2);
	assert_int_equal(r.events, K_EPOLLIN | K_EPOLLRDNORM);
	f_read(x, rd, back, 20);
	assert_int_equal(w.woken, 0); /* it was not full */
	while (f_write(x, wr, data, 4096) > 0)
		;
	f_read(x, rd, back, 100);
	assert_int_equal(w.woken, 0); /* still no free page */
	f_read(x, rd, back, 4096 - 100);
	assert_int_equal(w.woken, 1);
	assert_int_equal(w.events, K_EPOLLOUT | K_EPOLLWRNORM);
}

static void sizes(void **state)
{
	struct fixture *x = *state;
	struct file *rd, *wr;
	struct pipe *p;

	pipe_new(&x->k, 0, &rd, &wr);
	p = file_pipe(wr);
	assert_ptr_equal(p, file_pipe(rd));
	assert_int_equal(pipe_size(p), 65536);
	assert_int_equal(pipe_set_size(&x->k, p, 1 << 20), 1 << 20);
	assert_int_equal(pipe_set_size(&x->k, p, (1 << 20) + 1), -EPERM);
	assert_int_equal(pipe_set_size(&x->k, p, (1ull << 31) + 1), -EINVAL);
	assert_int_equal(f_write(x, wr, data, 1 << 20), 1 << 20);
	assert_int_equal(pipe_set_size(&x->k, p, 4096), -EBUSY);
	assert_int_equal(f_read(x, rd, back, (1 << 20) - 5000), (1 << 20) - 5000);
	assert_int_equal(pipe_set_size(&x->k, p, 8000), 8192);
	assert_int_equal(f_read(x, rd, back, 6000), 5000);
}

static void fifo_blocking_open(void **state)
{
	struct fixture *x = *state;
	struct pipe *p = pipe_new_fifo(&x->k);
	struct file *rd, *wr, *wr2;

	assert_int_equal(pipe_open(&x->k, p, O_RDONLY, &rd), 0);
	assert_true(pipe_open_waits(rd));
	assert_int_equal(pipe_open(&x->k, p, O_WRONLY, &wr), 0);
	assert_false(pipe_open_waits(wr)); /* a reader that still waits in open is a reader */
	assert_int_equal(f_write(x, wr, "abc", 3), 3);
	file_unref(&x->k, wr);
	assert_false(pipe_open_waits(rd)); /* the writer came, even if it has left again */
	assert_int_equal(f_read(x, rd, back, 10), 3);
	assert_int_equal(f_read(x, rd, back, 10), 0);
	file_unref(&x->k, rd);

	assert_int_equal(pipe_open(&x->k, p, O_WRONLY, &wr), 0);
	assert_true(pipe_open_waits(wr));
	assert_int_equal(pipe_open(&x->k, p, O_WRONLY, &wr2), 0);
	assert_true(pipe_open_waits(wr2)); /* another writer is no partner */
	assert_int_equal(pipe_open(&x->k, p, O_RDONLY, &rd), 0);
	assert_false(pipe_open_waits(wr));
	assert_false(pipe_open_waits(wr2));
	assert_false(pipe_open_waits(rd));
	file_unref(&x->k, wr);
	file_unref(&x->k, wr2);
	file_unref(&x->k, rd);
	pipe_unref(&x->k, p);
	assert_nothing_leaked(x);
}

static void fifo_nonblocking_open(void **state)
{
	struct fixture *x = *state;
	struct pipe *p = pipe_new_fifo(&x->k);
	struct file *rd, *wr, *rw;

	assert_int_equal(pipe_open(&x->k, p, O_WRONLY | O_NONBLOCK, &wr), -ENXIO);
	assert_int_equal(pipe_open(&x->k, p, O_RDONLY | O_NONBLOCK, &rd), 0);
	assert_false(pipe_open_waits(rd));
	assert_int_equal(file_poll(&x->k, rd), 0); /* no POLLHUP before the first writer */
	assert_int_equal(f_read(x, rd, back, 1), 0);
	assert_int_equal(pipe_open(&x->k, p, O_WRONLY | O_NONBLOCK, &wr), 0);
	file_unref(&x->k, wr);
	assert_int_equal(file_poll(&x->k, rd), K_EPOLLHUP);
	assert_int_equal(pipe_open(&x->k, p, O_RDWR, &rw), 0);
	assert_false(pipe_open_waits(rw));
	assert_int_equal(f_write(x, rw, "ab", 2), 2);
	assert_int_equal(f_read(x, rw, back, 1), 1);
	assert_int_equal(f_read(x, rd, back, 5), 1);
	assert_int_equal(f_read(x, rd, back, 5), -EAGAIN);
	f_write(x, rw, "lost", 4);
	file_unref(&x->k, rd);
	file_unref(&x->k, rw);
	pipe_open(&x->k, p, O_RDWR, &rw); /* data does not survive the last close */
	assert_int_equal(f_read(x, rw, back, 5), -EAGAIN);
	file_unref(&x->k, rw);
	pipe_unref(&x->k, p);
	assert_nothing_leaked(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(same_as_linux),
		UNIT(packets_same_as_linux),
		UNIT(capacity_is_in_pages),
		UNIT(small_writes_are_atomic),
		UNIT(ends),
		UNIT(who_is_woken),
		UNIT(sizes),
		UNIT(fifo_blocking_open),
		UNIT(fifo_nonblocking_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
