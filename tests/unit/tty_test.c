#include "tests/unit/kern_fixture.h"

#include "base/mem.h"
#include "base/rng.h"
#include "kernel/tty.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct file *open_pair(struct fixture *x, struct file **slave)
{
	struct file *master = tty_new(&x->k, O_RDWR);

	assert_int_equal(tty_open_slave(&x->k, tty_of(master), O_RDWR, true, slave), -EIO);
	tty_of(master)->locked = false;
	assert_int_equal(tty_open_slave(&x->k, tty_of(master), O_RDWR, true, slave), 0);
	return master;
}

static void type(struct fixture *x, struct file *master, const char *text)
{
	assert_int_equal(f_write(x, master, text, strlen(text)), (int)strlen(text));
}

static void reads(struct fixture *x, struct file *f, const char *text)
{
	char buf[20000];
	int64_t n = f_read(x, f, buf, sizeof buf);

	assert_int_equal(n, (int)strlen(text));
	assert_memory_equal(buf, text, strlen(text));
}

static void lines(void **state)
{
	struct fixture *x = *state;
	struct file *slave, *master = open_pair(x, &slave);
	char buf[100];

	type(x, master, "hel");
	assert_int_equal(f_read(x, slave, buf, sizeof buf), -EAGAIN);
	type(x, master, "lp\177o\r");
	reads(x, slave, "hello\n");
	reads(x, master, "hellp\b \bo\r\n");
	type(x, master, "one\ntwo\n\004three\004");
	assert_int_equal(f_read(x, slave, buf, 2), 2);
	reads(x, slave, "e\n");
	reads(x, slave, "two\n");
	assert_int_equal(f_read(x, slave, buf, sizeof buf), 0);
	/* An end of file right behind what was asked for goes with it. */
	assert_int_equal(f_read(x, slave, buf, 5), 5);
	assert_int_equal(f_read(x, slave, buf, 5), -EAGAIN);
	assert_int_equal(f_write(x, slave, "a\nb", 3), 3);
	file_unref(&x->k, slave);
	reads(x, master, "one\r\ntwo\r\nthreea\r\nb");
	assert_int_equal(f_read(x, master, buf, 1), -EIO);
	assert_true(file_poll(&x->k, master) & POLLHUP);
	file_unref(&x->k, master);
	assert_null(tty_by_index(&x->k, 0));
}

static void hangup(void **state)
{
	struct fixture *x = *state;
	struct file *slave, *master = open_pair(x, &slave);
	char c;

	file_unref(&x->k, master);
	assert_int_equal(f_read(x, slave, &c, 1), 0);
	assert_int_equal(f_write(x, slave, "x", 1), -EIO);
	assert_true(file_poll(&x->k, slave) & POLLHUP);
	file_unref(&x->k, slave);
}

static void raw_minimum(void **state)
{
	struct fixture *x = *state;
	struct file *slave, *master = open_pair(x, &slave);
	struct k_termios t = tty_of(master)->t;
	int64_t now = x->k.clock.now_ns;
	char buf[10];

	t.lflag = 0;
	t.cc[K_VMIN] = 3;
	tty_set_termios(&x->k, tty_of(slave), &t);
	type(x, master, "ab");
	assert_int_equal(f_read(x, slave, buf, sizeof buf), -EAGAIN);
	assert_false(file_poll(&x->k, slave) & POLLIN);
	assert_int_equal(tty_read_deadline(tty_of(slave), now), VCLOCK_NEVER);
	assert_int_equal(f_read(x, slave, buf, 2), 2); /* no more was asked for */
	t.cc[K_VTIME] = 2;
	tty_set_termios(&x->k, tty_of(slave), &t);
	assert_int_equal(tty_read_deadline(tty_of(slave), now), VCLOCK_NEVER);
	type(x, master, "a");
	assert_int_equal(tty_read_deadline(tty_of(slave), now), now + 200 * NS_PER_MS);
	assert_int_equal(tty_read_now(&x->k, slave, buf, sizeof buf), 1);
	t.cc[K_VMIN] = 0;
	tty_set_termios(&x->k, tty_of(slave), &t);
	assert_int_equal(f_read(x, slave, buf, sizeof buf), -EAGAIN);
	assert_int_equal(tty_read_deadline(tty_of(slave), now), now + 200 * NS_PER_MS);
	t.cc[K_VTIME] = 0;
	tty_set_termios(&x->k, tty_of(slave), &t);
	assert_int_equal(f_read(x, slave, buf, sizeof buf), 0);
	file_unref(&x->k, slave);
	file_unref(&x->k, master);
}

/* ---- job control ---- */

static void sessions(void **state)
{
	struct fixture *x = *state;
	struct kern *k = &x->k;
	struct file *slave, *master = open_pair(x, &slave);
	struct tty *t = tty_of(master);
	struct proc *leader = proc_fork(k, x->p, 101, false, false, false), *job;
	struct thread *lt = thread_new(k, leader, 101), *jt;

	k->current = lt;
	assert_int_equal(tty_set_controlling(k, t, true, false), -EPERM);
	leader->sid = leader->pgid = 101;
	assert_int_equal(tty_get_group(k, slave), -ENOTTY);
	assert_int_equal(tty_set_controlling(k, t, true, false), 0);
	assert_int_equal(tty_get_group(k, slave), 101);
	assert_int_equal(tty_get_session(k, slave), 101);
	job = proc_fork(k, leader, 102, false, false, false);
	jt = thread_new(k, job, 102);
	assert_ptr_equal(job->ctty, t);
	job->pgid = 102;
	assert_int_equal(tty_job_check(k, t, SIGTTIN), 0);
	k->current = jt;
	assert_int_equal(tty_job_check(k, t, SIGTTIN), -K_ERESTARTSYS);
	assert_true(job->stopped);
	assert_int_equal(job->stop_report, SIGTTIN);
	proc_continue(k, job);
	jt->sigmask = K_SIGBIT(SIGTTIN) | K_SIGBIT(SIGTTOU);
	assert_int_equal(tty_job_check(k, t, SIGTTIN), -EIO);
	assert_int_equal(tty_job_check(k, t, SIGTTOU), 0);
	jt->sigmask = 0;
	k->current = lt;
	assert_int_equal(tty_set_group(k, t, 4711), -ESRCH);
	assert_int_equal(tty_set_group(k, t, 100), -EPERM);
	assert_int_equal(tty_set_group(k, t, 102), 0);
	type(x, master, "\003");
	assert_true(job->doomed);
	assert_int_equal(job->exit_status, SIGINT);
	assert_false(leader->doomed);
	/* The leader's end hangs up on what is in the foreground; nobody has the terminal any more. */
	assert_int_equal(tty_set_group(k, t, 101), 0);
	file_unref(k, master);
	assert_null(leader->ctty);
	assert_true(leader->doomed);
	assert_int_equal(leader->exit_status, SIGHUP);
	file_unref(k, slave);
}

/* ---- the same bytes through a pair of ours and one of the kernel below ---- */

struct twin {
	struct fixture *x;
	struct rng rng;
	struct file *master, *slave;
	int hm, hs;
};

static void random_termios(struct twin *t)
{
	static const uint32_t iflags[] = {K_ISTRIP, K_INLCR, K_IGNCR, K_ICRNL, K_IUCLC, K_IXON, K_IXANY, K_IUTF8, K_PARMRK};
	static const uint32_t oflags[] = {K_OPOST, K_OLCUC, K_ONLCR, K_OCRNL, K_ONOCR, K_ONLRET, K_XTABS};
	/* Not ECHOPRT: with it Linux 6.18 echoes its whole ring of old echoes now and then. */
	static const uint32_t lflags[] = {K_ISIG, K_ICANON, K_ECHO, K_ECHOE, K_ECHOK, K_ECHONL, K_NOFLSH, K_ECHOCTL, K_ECHOKE,
					  K_IEXTEN};
	struct k_termios n = tty_of(t->slave)->t, got;

	n.iflag = n.oflag = n.lflag = 0;
	for (size_t i = 0; i < sizeof iflags / sizeof *iflags; i++)
		n.iflag |= rng_below(&t->rng, 4) ? 0 : iflags[i];
	for (size_t i = 0; i < sizeof oflags / sizeof *oflags; i++)
		n.oflag |= rng_below(&t->rng, 3) ? 0 : oflags[i];
	for (size_t i = 0; i < sizeof lflags / sizeof *lflags; i++)
		n.lflag |= rng_below(&t->rng, 4) ? lflags[i] : 0;
	n.cc[K_VMIN] = (uint8_t)rng_below(&t->rng, 3);
	n.cc[K_VEOL] = rng_below(&t->rng, 2) ? 'e' : 0;
	n.cc[K_VEOL2] = rng_below(&t->rng, 2) ? 'f' : 0;
	assert_int_equal(ioctl(t->hs, 0x5402 /* TCSETS */, &n), 0);
	tty_set_termios(&t->x->k, tty_of(t->slave), &n);
	assert_int_equal(ioctl(t->hs, 0x5401 /* TCGETS */, &got), 0);
	assert_memory_equal(&got, &tty_of(t->slave)->t, 36);
}

static void dump(const char *who, const char *buf, int64_t n)
{
	print_message("%s (%d): ", who, (int)n);
	for (int64_t i = 0; i < n; i++)
		print_message(buf[i] > ' ' && buf[i] < 127 ? "%c" : "<%02x>", (unsigned char)buf[i]);
	print_message("\n");
}

/* What both give; more is awaited from a worker thread of the kernel. */
static int64_t compare_reads(struct twin *t, struct file *f, int fd, size_t len)
{
	static char ours[70000], theirs[70000];
	int64_t n = f_read(t->x, f, ours, len);
	ssize_t h = read(fd, theirs, len), more;

	for (int i = 0; i < 200 && h < n && (h > 0 || errno == EAGAIN); i++) {
		usleep(1000);
		more = read(fd, theirs + MAX(h, 0), (size_t)(n - MAX(h, 0)));
		if (more > 0)
			h = MAX(h, 0) + more;
		else if (h < 0)
			errno = EAGAIN;
	}
	if (n != (h < 0 ? -errno : h) || (n > 0 && memcmp(ours, theirs, (size_t)n))) {
		const struct k_termios *s = &tty_of(f)->t;
		print_message("%s, iflag %o oflag %o lflag %o\n", f->ops->kind, s->iflag, s->oflag, s->lflag);
		dump("ours", ours, n);
		dump("theirs", theirs, h);
	}
	assert_int_equal(n, h < 0 ? -errno : h);
	if (n > 0)
		assert_memory_equal(ours, theirs, (size_t)n);
	return n;
}

static void drain_slave(struct twin *t)
{
	int64_t n, zero = 0;

	do {
		n = compare_reads(t, t->slave, t->hs, 1 + rng_below(&t->rng, 60));
		zero += !n;
	} while (n >= 0 && zero < 50); /* nothing is read at ends of files, and in raw mode without a minimum */
}

/* n_tty_poll() waits for the worker that takes typed bytes in when there is no input yet, and setting termios for what it is
 * doing: after both everything has been taken in. */
static void take_in(struct twin *t)
{
	struct pollfd p = {.fd = t->hs, .events = POLLIN};

	poll(&p, 1, 0);
	assert_int_equal(ioctl(t->hs, 0x5402 /* TCSETS */, &tty_of(t->slave)->t), 0);
}

static void twin_step(struct twin *t)
{
	static const char chars[] = "ab ef\t\t\r\n\n\177\177\027\025\026\022\004\b\303\244Zz09\377\033";
	char buf[40];
	size_t n = 1 + rng_below(&t->rng, sizeof buf - 1);
	int rc;

	for (size_t i = 0; i < n; i++)
		buf[i] = chars[rng_below(&t->rng, sizeof chars - 1)];
	switch (rng_below(&t->rng, 12)) {
	case 0:
		random_termios(t);
		break;
	case 1 ... 6:
		drain_slave(t);
		assert_int_equal(f_write(t->x, t->master, buf, n), write(t->hm, buf, n));
		take_in(t);
		assert_int_equal(ioctl(t->hs, FIONREAD, &rc), 0);
		assert_int_equal(tty_input_bytes(t->slave), rc);
		break;
	case 7 ... 8:
		rc = (int)write(t->hs, buf, n);
		assert_int_equal(f_write(t->x, t->slave, buf, n), rc);
		break;
	case 9:
		compare_reads(t, t->slave, t->hs, n);
		break;
	default:
		compare_reads(t, t->master, t->hm, rng_below(&t->rng, 4) ? 4000 : n);
	}
	if (tty_input_bytes(t->master) > 2000)
		compare_reads(t, t->master, t->hm, 4000);
	if (tty_of(t->slave)->head - tty_of(t->slave)->tail > 2000) {
		assert_int_equal(ioctl(t->hs, 0x540B /* TCFLSH */, 0), 0);
		tty_flush_input(&t->x->k, tty_of(t->slave));
	}
}

static void as_linux(void **state)
{
	struct twin t = {.x = *state};
	char name[64];

	t.hm = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (t.hm < 0 || unlockpt(t.hm) || ptsname_r(t.hm, name, sizeof name))
		skip();
	t.hs = open(name, O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (t.hs < 0)
		skip();
	t.master = open_pair(t.x, &t.slave);
	t.master->flags |= O_NONBLOCK;
	t.slave->flags |= O_NONBLOCK;
	rng_init(&t.rng, 3, "tty");
	random_termios(&t);
	for (int i = 0; i < 5000; i++)
		twin_step(&t);
	close(t.hs);
	close(t.hm);
	file_unref(&t.x->k, t.slave);
	file_unref(&t.x->k, t.master);
}

int main(void)
{
	const struct CMUnitTest tests[] = {UNIT(lines), UNIT(hangup), UNIT(raw_minimum), UNIT(sessions), UNIT(as_linux)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
