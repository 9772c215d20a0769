/*
 * loops MODE N: N times the thing to be measured, and nothing else. run.sh times it from outside, natively and under
 * simrun, with two values of N, so that what starting costs drops out.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void loop_call(long n)
{
	while (n--)
		syscall(SYS_getppid);
}

/* The start of its own program: a real file. */
static void loop_read64(long n)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	char b[64];

	while (n--)
		if (pread(fd, b, sizeof b, 64) != sizeof b)
			fail("pread");
}

static void loop_clock(long n)
{
	struct timespec ts;

	while (n--)
		clock_gettime(CLOCK_MONOTONIC, &ts);
}

/* ---- two threads that take turns; a turn is one switch ---- */

static uint32_t turn;
static long turns;

static void *take_turns(void *arg)
{
	uint32_t me = arg != NULL;

	for (long i = 0; i < turns / 2; i++) {
		while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != me)
			syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, !me, NULL);
		__atomic_store_n(&turn, !me, __ATOMIC_RELEASE);
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1);
	}
	return NULL;
}

static void loop_futex(long n)
{
	pthread_t t;

	turns = n;
	if (pthread_create(&t, NULL, take_turns, &turn))
		fail("pthread_create");
	take_turns(NULL);
	pthread_join(t, NULL);
}

/* ---- a child writes, we read ---- */

static void loop_pipe(long n, size_t size)
{
	char *b = calloc(1, size);
	int p[2];

	if (!b || pipe(p) < 0)
		fail("pipe");
	if (fork() == 0) {
		close(p[0]);
		for (; n; n--)
			for (size_t at = 0; at < size;) {
				ssize_t k = write(p[1], b + at, size - at);
				if (k <= 0)
					_exit(1);
				at += (size_t)k;
			}
		_exit(0);
	}
	close(p[1]);
	for (; n; n--)
		for (size_t at = 0; at < size;) {
			ssize_t k = read(p[0], b + at, size - at);
			if (k <= 0)
				fail("read");
			at += (size_t)k;
		}
	wait(NULL);
}

static void loop_exec(long n)
{
	static char name[] = "true", *argv[] = {name, NULL};

	while (n--) {
		int st;
		pid_t pid = fork();
		if (pid == 0) {
			execv("/bin/true", argv);
			_exit(127);
		}
		if (waitpid(pid, &st, 0) != pid || st != 0)
			fail("/bin/true");
	}
}

int main(int argc, char **argv)
{
	long n = argc == 3 ? atol(argv[2]) : 0;

	if (n <= 0)
		return 2;
	if (!strcmp(argv[1], "call"))
		loop_call(n);
	else if (!strcmp(argv[1], "read64"))
		loop_read64(n);
	else if (!strcmp(argv[1], "clock"))
		loop_clock(n);
	else if (!strcmp(argv[1], "futex"))
		loop_futex(n);
	else if (!strcmp(argv[1], "pipe64"))
		loop_pipe(n, 64);
	else if (!strcmp(argv[1], "pipe64k"))
		loop_pipe(n, 65536);
	else if (!strcmp(argv[1], "exec"))
		loop_exec(n);
	else
		return 2;
	return 0;
}
