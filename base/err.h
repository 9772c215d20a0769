/*
 * Errors of the supervisor (never of a guest: a guest's errno is a value of the simulation).
 *
 * A function that can fail for a reason its caller may want to report takes `struct err *e` last, returns
 * 0 or a negative number, and fills *e once on failure. err_wrap() puts context in front on the way up.
 * die() is for main.c and cmd_*.c only; BUG() for a broken invariant of ours, anywhere.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>

/* An error with its text; zero-initialise before use. */
struct err {
	int code;       /* errno of the failure, or 0 where none applies */
	char msg[1024]; /* one line, lower case, no full stop */
};

/* Fill *e with a formatted message and return -1. */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Put "context: " in front of the message and return -1. */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print "simrun: message" and exit with `status`. */
_Noreturn void die(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Report a broken invariant of simrun itself and abort. */
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
#define ENSURE(cond)                                                                                               \
	do {                                                                                                       \
		if (!(cond))                                                                                       \
			BUG("expected %s", #cond);                                                                 \
	} while (0)

/* Called by bug_at after its message, so that a run can add its state and the reproduce line. */
extern void (*bug_hook)(void);

#endif
