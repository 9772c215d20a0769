/* inotify: what every change of a file or directory tells, moves, removal of watches, overflow-free merging, errors. */
#include "guest.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>

static int in;

/* The events so far, as "wd mask name" lines. */
static char *events(void)
{
	static char text[8192];
	_Alignas(struct inotify_event) char buf[8192];
	size_t at = 0;
	ssize_t n;

	text[0] = 0;
	while ((n = read(in, buf, sizeof buf)) > 0)
		for (char *p = buf; p < buf + n;) {
			struct inotify_event *e = (void *)p;
			at += (size_t)snprintf(text + at, sizeof text - at, "%d:%x%s%s\n", e->wd, e->mask, e->len ? " " : "",
					       e->len ? e->name : "");
			p += sizeof *e + e->len;
		}
	CHECK(n == -1 && errno == EAGAIN);
	return text;
}

static void expect(int line, const char *want)
{
	const char *got = events();

	if (!strcmp(got, want))
		return;
	dprintf(2, "line %d: got\n%sinstead of\n%s", line, got, want);
	_exit(1);
}
#define EXPECT(want) expect(__LINE__, want)

static void directory(void)
{
	char buf[10];
	int fd;

	OK(mkdir("d", 0755));
	CHECK_EQ(inotify_add_watch(in, "d", IN_ALL_EVENTS), 1);
	fd = OK(open("d/f", O_RDWR | O_CREAT | O_EXCL, 0644));
	EXPECT("1:100 f\n1:20 f\n");
	CHECK_EQ(write(fd, "abc", 3), 3);
	CHECK_EQ(write(fd, "abc", 3), 3); /* the same again is one event */
	EXPECT("1:2 f\n");
	CHECK_EQ(pread(fd, buf, 3, 0), 3);
	OK(ftruncate(fd, 1));
	OK(fchmod(fd, 0600));
	EXPECT("1:1 f\n1:2 f\n1:4 f\n");
	OK(close(fd));
	EXPECT("1:8 f\n");
	OK(close(OK(open("d/f", O_RDONLY))));
	EXPECT("1:20 f\n1:10 f\n");
	OK(close(OK(open("d/f", O_WRONLY | O_TRUNC))));
	EXPECT("1:20 f\n1:2 f\n1:8 f\n");
	OK(mkdir("d/sub", 0755));
	OK(symlink("f", "d/link"));
	OK(link("d/f", "d/hard"));
	EXPECT("1:40000100 sub\n1:100 link\n1:100 hard\n");
}

static void moves(void)
{
	int a, b, fd;
	_Alignas(struct inotify_event) char buf[1000];
	struct inotify_event *from, *to;

	OK(mkdir("a", 0755));
	OK(mkdir("b", 0755));
	fd = OK(open("a/x", O_CREAT | O_WRONLY, 0644));
	OK(close(fd));
	a = OK(inotify_add_watch(in, "a", IN_MOVE | IN_CREATE | IN_DELETE));
	b = OK(inotify_add_watch(in, "b", IN_MOVE | IN_CREATE | IN_DELETE));
	CHECK(b == a + 1);
	OK(rename("a/x", "b/y"));
	CHECK_EQ(read(in, buf, sizeof buf), 64);
	from = (void *)buf;
	to = (void *)(buf + 32);
	CHECK(from->wd == a && from->mask == IN_MOVED_FROM && !strcmp(from->name, "x"));
	CHECK(to->wd == b && to->mask == IN_MOVED_TO && !strcmp(to->name, "y"));
	CHECK(from->cookie && from->cookie == to->cookie);
	OK(unlink("b/y"));
	CHECK_EQ(read(in, buf, sizeof buf), 32);
	CHECK(from->mask == IN_DELETE && from->cookie == 0);
	OK(inotify_rm_watch(in, a));
	CHECK_ERR(inotify_rm_watch(in, a), EINVAL);
	CHECK_EQ(read(in, buf, sizeof buf), 16);
	CHECK(from->mask == IN_IGNORED && from->wd == a && from->len == 0);
	OK(rmdir("b"));
	CHECK_EQ(read(in, buf, sizeof buf), 16); /* not asked for, but the watch has gone */
	CHECK(from->mask == IN_IGNORED && from->wd == b);
}

static void self(void)
{
	int w, fd = OK(open("s", O_CREAT | O_RDWR, 0644));
	char text[200];

	w = OK(inotify_add_watch(in, "s", IN_ALL_EVENTS));
	CHECK_EQ(inotify_add_watch(in, "s", IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF), w);
	CHECK_ERR(inotify_add_watch(in, "s", IN_MODIFY | IN_MASK_CREATE), EEXIST);
	CHECK_EQ(write(fd, "x", 1), 1);
	OK(rename("s", "t"));
	OK(unlink("t"));
	snprintf(text, sizeof text, "%d:2\n%d:800\n%d:4\n", w, w, w);
	EXPECT(text);
	OK(close(fd)); /* the last trace of the file */
	snprintf(text, sizeof text, "%d:400\n%d:8000\n", w, w);
	EXPECT(text);
	fd = OK(open("once", O_CREAT | O_RDWR, 0644));
	w = OK(inotify_add_watch(in, "once", IN_MODIFY | IN_ONESHOT));
	CHECK_EQ(write(fd, "x", 1), 1);
	OK(close(fd));
	snprintf(text, sizeof text, "%d:2\n%d:8000\n", w, w);
	EXPECT(text);
}

static void *changes_later(void *arg)
{
	nap_ms(20);
	OK(close(OK(open("d/new", O_CREAT | O_WRONLY, 0644))));
	return NULL;
}

static void waiting(void)
{
	struct pollfd p = {.fd = in, .events = POLLIN};
	pthread_t t;
	int n;
	char small[20];

	CHECK_EQ(poll(&p, 1, 0), 0);
	t = thread(changes_later, NULL);
	CHECK_EQ(poll(&p, 1, -1), 1);
	join(t);
	OK(ioctl(in, FIONREAD, &n));
	CHECK_EQ(n, 96);
	CHECK_ERR(read(in, small, sizeof small), EINVAL);
	EXPECT("1:100 new\n1:20 new\n1:8 new\n");
	OK(unlink("d/new"));
	EXPECT("1:200 new\n");
}

static void errors(void)
{
	CHECK_ERR(inotify_init1(1), EINVAL);
	CHECK_ERR(inotify_add_watch(in, "nowhere", IN_MODIFY), ENOENT);
	CHECK_ERR(inotify_add_watch(in, "d", 0), EINVAL);
	CHECK_ERR(inotify_add_watch(in, "d/f", IN_MODIFY | IN_ONLYDIR), ENOTDIR);
	CHECK_ERR(inotify_add_watch(99, "d", IN_MODIFY), EBADF);
	CHECK_ERR(inotify_add_watch(0, "d", IN_MODIFY), EINVAL);
	CHECK_ERR(write(in, "x", 1), EBADF);
}

int main(void)
{
	workdir();
	in = OK(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
	CHECK_ERR(read(in, (char[100]){0}, 100), EAGAIN);
	directory();
	moves();
	self();
	waiting();
	errors();
	return guest_ok();
}
