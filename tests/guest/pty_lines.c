/* A pair of terminals: opening, names, canonical input with editing and echo, raw mode, sizes, hanging up. */
#include "guest.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <termios.h>

static int master, slave;

static void type(const char *s)
{
	CHECK_EQ(write(master, s, strlen(s)), (ssize_t)strlen(s));
}

static void expect(int fd, const char *s)
{
	char buf[1000];
	size_t got = 0;

	while (got < strlen(s)) {
		ssize_t n = read(fd, buf + got, strlen(s) - got);
		CHECK(n > 0);
		got += (size_t)n;
	}
	if (memcmp(buf, s, got))
		dprintf(2, "got '%.*s' instead of '%s'\n", (int)got, buf, s);
	CHECK(!memcmp(buf, s, got));
}

static void opening(void)
{
	char name[64];
	struct stat a, b;
	struct winsize w = {0};
	int n;

	master = OK(posix_openpt(O_RDWR | O_NOCTTY));
	OK(grantpt(master));
	CHECK_EQ(ptsname_r(master, name, sizeof name), 0);
	CHECK(!strncmp(name, "/dev/pts/", 9));
	CHECK_ERR(open(name, O_RDWR | O_NOCTTY), EIO); /* locked */
	OK(unlockpt(master));
	slave = OK(open(name, O_RDWR | O_NOCTTY));
	CHECK(isatty(slave) && isatty(master));
	CHECK(!strcmp(ttyname(slave), name));
	OK(fstat(slave, &a));
	OK(stat(name, &b));
	CHECK(S_ISCHR(a.st_mode) && a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_rdev == b.st_rdev);
	CHECK_EQ(major(a.st_rdev), 136);
	OK(ioctl(master, TIOCGPTN, &n));
	CHECK_EQ(minor(a.st_rdev), n);
	CHECK_EQ(a.st_uid, geteuid());
	OK(fstat(master, &a));
	CHECK_EQ(a.st_rdev, makedev(5, 2));
	OK(ioctl(slave, TIOCGWINSZ, &w));
	CHECK_EQ(w.ws_col, 0);
	w = (struct winsize){.ws_row = 24, .ws_col = 80};
	OK(ioctl(master, TIOCSWINSZ, &w));
	w = (struct winsize){0};
	OK(ioctl(slave, TIOCGWINSZ, &w));
	CHECK(w.ws_row == 24 && w.ws_col == 80);
	CHECK_ERR(lseek(slave, 0, SEEK_SET), ESPIPE);
	CHECK_ERR(ioctl(slave, TIOCGPGRP, &n), ENOTTY); /* not ours */
	CHECK_ERR(open("/dev/tty", O_RDWR), ENXIO);
}

static void canonical(void)
{
	struct pollfd p = {.fd = slave, .events = POLLIN};
	char buf[10];
	int n;

	type("helo\177lo\n");
	expect(slave, "hello\n");
	expect(master, "helo\b \blo\r\n");
	type("part");
	nap_ms(20);
	CHECK_EQ(poll(&p, 1, 0), 0);
	type("ly\nmore\n");
	nap_ms(20);
	CHECK_EQ(poll(&p, 1, 0), 1);
	OK(ioctl(slave, FIONREAD, &n));
	CHECK_EQ(n, 12);
	CHECK_EQ(read(slave, buf, 4), 4);
	expect(slave, "ly\n");
	expect(slave, "more\n");
	type("bye\004\004");
	expect(slave, "bye");
	CHECK_EQ(read(slave, buf, sizeof buf), 0); /* end of file */
	expect(master, "partly\r\nmore\r\nbye");
	CHECK_EQ(write(slave, "one\ntwo\t|\n", 10), 10);
	expect(master, "one\r\ntwo\t|\r\n");
	type("kill me\025ok\r");
	expect(slave, "ok\n");
	expect(master, "kill me\b \b\b \b\b \b\b \b\b \b\b \b\b \bok\r\n");
}

static void raw(void)
{
	struct termios t, old;
	char buf[10];
	int64_t from;

	OK(tcgetattr(slave, &old));
	CHECK(old.c_lflag & ICANON);
	CHECK_EQ(cfgetospeed(&old), B38400);
	t = old;
	cfmakeraw(&t);
	t.c_cc[VMIN] = 3;
	OK(tcsetattr(master, TCSANOW, &t));
	OK(tcgetattr(slave, &t));
	CHECK(!(t.c_lflag & (ICANON | ECHO)));
	type("ab\003");
	expect(slave, "ab\003");
	t.c_cc[VMIN] = 0;
	OK(tcsetattr(slave, TCSANOW, &t));
	CHECK_EQ(read(slave, buf, sizeof buf), 0);
	t.c_cc[VTIME] = 2;
	OK(tcsetattr(slave, TCSANOW, &t));
	from = mono_ns();
	CHECK_EQ(read(slave, buf, sizeof buf), 0);
	CHECK(mono_ns() - from >= 190 * NS_PER_MS);
	/* Between bytes: what came is given when the next one does not. */
	t.c_cc[VMIN] = 5;
	OK(tcsetattr(slave, TCSANOW, &t));
	type("xyz");
	from = mono_ns();
	CHECK_EQ(read(slave, buf, sizeof buf), 3);
	type("12345678");
	nap_ms(20);
	CHECK_EQ(read(slave, buf, 4), 4);
	expect(slave, "5678");
	CHECK_EQ(write(slave, "a\nb", 3), 3);
	expect(master, "a\nb");
	OK(tcsetattr(slave, TCSAFLUSH, &old));
	OK(tcflush(slave, TCIOFLUSH));
	OK(tcdrain(slave));
	set_nonblock(slave);
	CHECK_ERR(read(slave, buf, 1), EAGAIN);
	OK(fcntl(slave, F_SETFL, O_RDWR));
}

/* Output can be stopped, and a full pair makes the writer wait. */
static void *reads_all(void *arg)
{
	static char buf[1000];
	size_t got = 0;

	while (got < 100000) {
		ssize_t n = read(master, buf, sizeof buf);
		CHECK(n > 0);
		got += (size_t)n;
	}
	return NULL;
}

static void flow(void)
{
	static char big[100000];
	struct pollfd p = {.fd = master, .events = POLLIN};
	pthread_t t;

	type("\023");
	nap_ms(20);
	set_nonblock(slave);
	CHECK_ERR(write(slave, "x", 1), EAGAIN);
	type("\021");
	nap_ms(20);
	CHECK_EQ(write(slave, "x", 1), 1);
	expect(master, "x");
	OK(fcntl(slave, F_SETFL, O_RDWR));
	OK(tcflow(slave, TCOOFF));
	OK(tcflow(slave, TCOON));
	memset(big, 'y', sizeof big);
	t = thread(reads_all, NULL);
	CHECK_EQ(write(slave, big, sizeof big), sizeof big);
	join(t);
	CHECK_EQ(poll(&p, 1, 0), 0);
}

static void ends(void)
{
	struct pollfd p = {.fd = master, .events = POLLIN};
	char c, name[64];
	struct stat st;
	int other;

	CHECK_EQ(ptsname_r(master, name, sizeof name), 0);
	CHECK_EQ(write(slave, "last", 4), 4);
	OK(close(slave));
	CHECK_EQ(poll(&p, 1, -1), 1);
	CHECK_EQ(p.revents, POLLIN | POLLHUP);
	expect(master, "last");
	CHECK_ERR(read(master, &c, 1), EIO);
	slave = OK(ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY));
	CHECK_EQ(write(slave, "again", 5), 5);
	expect(master, "again");
	other = OK(posix_openpt(O_RDWR | O_NOCTTY));
	OK(close(master));
	CHECK_EQ(stat(name, &st), -1);
	CHECK_EQ(errno, ENOENT);
	CHECK_EQ(read(slave, &c, 1), 0);
	CHECK_ERR(write(slave, &c, 1), EIO);
	CHECK_ERR(tcgetattr(slave, &(struct termios){0}), EIO);
	p.fd = slave;
	CHECK_EQ(poll(&p, 1, 0), 1);
	CHECK(p.revents & POLLHUP);
	OK(close(slave));
	OK(close(other));
}

int main(void)
{
	opening();
	canonical();
	raw();
	flow();
	ends();
	return guest_ok();
}
