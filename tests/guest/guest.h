/*
 * What every guest program uses. One program shows one behaviour of Linux: it passes natively on any Linux, and so it
 * must pass under simrun. It prints what it saw, `ok` last, and exits 0; a failed CHECK names its place and exits 1.
 *
 * SIMRUN_NATIVE=1 in the environment means: natively, so sleeps that are long on purpose are shortened. No program
 * asserts an upper bound on real time tighter than a loaded machine keeps; lower bounds are what POSIX promises.
 */
#ifndef TESTS_GUEST_H
#define TESTS_GUEST_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

#define CHECK(c) ((c) ? (void)0 : guest_fail(__FILE__, __LINE__, #c))

/* Two integers are equal; prints both when not. */
#define CHECK_EQ(a, b) guest_eq(__FILE__, __LINE__, #a " == " #b, (long long)(a), (long long)(b))

/* The call fails with this errno. */
#define CHECK_ERR(call, err) guest_err(__FILE__, __LINE__, #call, (long long)(call), err)

/* A call that returns -1 on failure must not; its value. */
#define OK(call) guest_ok_(__FILE__, __LINE__, #call, (long long)(call))

/* A pthread function returns 0. */
#define PT(call) guest_pt(__FILE__, __LINE__, #call, call, 0)
#define PT_ERR(call, err) guest_pt(__FILE__, __LINE__, #call, call, err)

static inline void guest_fail(const char *file, int line, const char *what)
{
	dprintf(2, "%s:%d: %s failed (errno %d: %s)\n", file, line, what, errno, strerror(errno));
	_exit(1);
}

static inline void guest_eq(const char *file, int line, const char *what, long long a, long long b)
{
	if (a == b)
		return;
	dprintf(2, "%s:%d: %s failed: %lld and %lld (errno %d: %s)\n", file, line, what, a, b, errno, strerror(errno));
	_exit(1);
}

static inline void guest_err(const char *file, int line, const char *call, long long rv, int err)
{
	if (rv == -1 && errno == err)
		return;
	dprintf(2, "%s:%d: %s: expected errno %d (%s), got result %lld, errno %d (%s)\n", file, line, call, err,
		strerrorname_np(err), rv, errno, strerror(errno));
	_exit(1);
}

static inline long long guest_ok_(const char *file, int line, const char *call, long long rv)
{
	if (rv != -1)
		return rv;
	dprintf(2, "%s:%d: %s: errno %d (%s)\n", file, line, call, errno, strerror(errno));
	_exit(1);
}

static inline void guest_pt(const char *file, int line, const char *call, int got, int want)
{
	if (got == want)
		return;
	dprintf(2, "%s:%d: %s: expected %d (%s), got %d (%s)\n", file, line, call, want, strerror(want), got,
		strerror(got));
	_exit(1);
}

/* The last line of every main. */
static inline int guest_ok(void)
{
	puts("ok");
	return 0;
}

static inline bool native(void)
{
	const char *v = getenv("SIMRUN_NATIVE");

	return v && *v;
}

static inline int64_t clock_ns(clockid_t id)
{
	struct timespec t;

	OK(clock_gettime(id, &t));
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static inline int64_t mono_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

/* Sleeps all of it, whatever signals come. */
static inline void nap_ms(int64_t ms)
{
	struct timespec t = timespec_of(ms * NS_PER_MS);

	while (nanosleep(&t, &t) == -1)
		CHECK(errno == EINTR);
}

/* Time for others to get blocked where they are heading. No test of a fast machine's luck: much natively. */
static inline void settle(void)
{
	nap_ms(native() ? 300 : 20);
}

static inline void sleep_forever(void)
{
	for (;;)
		pause();
}

/* Forks a child that runs fn(arg) and ends with status 0. */
static inline pid_t child(void (*fn)(void *), void *arg)
{
	pid_t pid = OK(fork());

	if (pid == 0) {
		fn(arg);
		_exit(0);
	}
	return pid;
}

static inline int wait_status(pid_t pid)
{
	int st;

	for (;;) {
		pid_t got = waitpid(pid, &st, 0);
		if (got == pid)
			return st;
		CHECK(got == -1 && errno == EINTR);
	}
}

#define CHECK_EXIT(pid, code)                                                                                          \
	do {                                                                                                           \
		int st_ = wait_status(pid);                                                                            \
		CHECK(WIFEXITED(st_));                                                                                 \
		CHECK_EQ(WEXITSTATUS(st_), code);                                                                      \
	} while (0)

#define CHECK_KILLED(pid, sig)                                                                                         \
	do {                                                                                                           \
		int st_ = wait_status(pid);                                                                            \
		CHECK(WIFSIGNALED(st_));                                                                               \
		CHECK_EQ(WTERMSIG(st_), sig);                                                                          \
	} while (0)

static inline pthread_t thread(void *(*fn)(void *), void *arg)
{
	pthread_t t;

	PT(pthread_create(&t, NULL, fn, arg));
	return t;
}

static inline void *join(pthread_t t)
{
	void *v;

	PT(pthread_join(t, &v));
	return v;
}

/* Installs a handler; flags as in sa_flags (SA_SIGINFO chooses the member by itself: both are the same word). */
static inline void on_signal(int sig, void (*fn)(int), int flags)
{
	struct sigaction sa = {.sa_handler = fn, .sa_flags = flags};

	OK(sigaction(sig, &sa, NULL));
}

static inline void on_siginfo(int sig, void (*fn)(int, siginfo_t *, void *), int flags)
{
	struct sigaction sa = {.sa_sigaction = fn, .sa_flags = flags | SA_SIGINFO};

	OK(sigaction(sig, &sa, NULL));
}

static inline sigset_t sigset_of(int sig)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, sig);
	return s;
}

static inline void block_signal(int sig)
{
	sigset_t s = sigset_of(sig);

	PT(pthread_sigmask(SIG_BLOCK, &s, NULL));
}

static inline void unblock_signal(int sig)
{
	sigset_t s = sigset_of(sig);

	PT(pthread_sigmask(SIG_UNBLOCK, &s, NULL));
}

/* One byte through a pipe: the way programs here wait for each other without timing. */
static inline void tell(int fd)
{
	CHECK_EQ(write(fd, "x", 1), 1);
}

static inline void await(int fd)
{
	char c;
	ssize_t n;

	while ((n = read(fd, &c, 1)) == -1 && errno == EINTR)
		;
	CHECK_EQ(n, 1);
}

static inline void set_nonblock(int fd)
{
	int fl = OK(fcntl(fd, F_GETFL));

	OK(fcntl(fd, F_SETFL, fl | O_NONBLOCK));
}

static char guest_dir[64];
static pid_t guest_dir_owner;

static inline int guest_remove(const char *path, const struct stat *st, int type, struct FTW *f)
{
	return remove(path);
}

static inline void workdir_remove(void)
{
	if (getpid() == guest_dir_owner && chdir("/") == 0)
		nftw(guest_dir, guest_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* A fresh directory becomes the working directory; it is removed at exit. */
static inline void workdir(void)
{
	strcpy(guest_dir, "/tmp/guest-XXXXXX");
	CHECK(mkdtemp(guest_dir));
	OK(chdir(guest_dir));
	guest_dir_owner = getpid();
	atexit(workdir_remove);
}

/* A new file with this content, open for reading and writing, offset 0. */
static inline int file_with(const char *name, const char *text)
{
	int fd = OK(open(name, O_RDWR | O_CREAT | O_TRUNC, 0644));

	CHECK_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	OK(lseek(fd, 0, SEEK_SET));
	return fd;
}

#endif
