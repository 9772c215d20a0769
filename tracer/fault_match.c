#include "tracer/fault_match.h"

#include "base/mem.h"
#include "tracer/syscalls.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- sets ---- */

static const struct {
	const char *name, *help;
	const char *calls; /* NULL: every call with a path argument */
} sets[] = {
	{"%file", "calls that take a path", NULL},
	{"%net", "calls on sockets",
	 "socket connect accept accept4 sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg shutdown bind listen getsockname "
	 "getpeername socketpair setsockopt getsockopt"},
	{"%read", "calls that read", "read pread64 readv preadv preadv2 recvfrom recvmsg recvmmsg"},
	{"%write", "calls that write", "write pwrite64 writev pwritev pwritev2 sendto sendmsg sendmmsg"},
	{"%sync", "calls that make files durable", "fsync fdatasync sync syncfs sync_file_range msync"},
	{"%wait", "calls that may wait and be interrupted by a signal",
	 "read readv recvfrom recvmsg recvmmsg write writev sendto sendmsg sendmmsg connect accept accept4 poll ppoll select "
	 "pselect6 epoll_wait epoll_pwait epoll_pwait2 nanosleep clock_nanosleep futex wait4 waitid flock fcntl "
	 "rt_sigtimedwait semop semtimedop msgrcv msgsnd open openat"},
	{"%newfd", "calls that make a descriptor",
	 "open openat openat2 creat socket accept accept4 socketpair pipe pipe2 dup dup2 dup3 epoll_create epoll_create1 eventfd "
	 "eventfd2 timerfd_create signalfd signalfd4 memfd_create pidfd_open"},
	{"%process", "calls that make a process or a thread", "fork vfork clone clone3"},
	{"%memory", "calls that get memory", "mmap mremap brk"},
};

const char *callset_name(unsigned i, const char **help)
{
	if (i >= ARRAY_LEN(sets))
		return NULL;
	*help = sets[i].help;
	return sets[i].name;
}

bool callset_empty(const struct callset *s)
{
	for (unsigned i = 0; i < FAULT_CALL_WORDS; i++)
		if (s->bits[i])
			return false;
	return true;
}

static bool has_kind(const struct sysrow *r, enum sysarg_kind want)
{
	const char *spec = r->args;

	for (enum sysarg_kind k; (k = sysarg_next(&spec)) != ARG_END;)
		if (k == want)
			return true;
	return false;
}

/* What is always refused cannot fail otherwise. ("not yet" alone: served, but by no handler that this program has.) */
static bool is_served(const struct sysrow *r)
{
	return r && (r->cls != CLS_REFUSE || !strcmp(r->reason, "not yet"));
}

static int add_call(const char *name, struct callset *out, struct err *e)
{
	const struct sysrow *r = sysrow_find(name);

	if (!r)
		return err_set(e, 0, "no system call '%s'; simrun syscalls lists them", name);
	if (!is_served(r))
		return err_set(e, 0, "the call '%s' is always refused: %s", name, r->reason);
	callset_add(out, r->nr);
	return 0;
}

static bool is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *s = list; *s;) {
		size_t n = strcspn(s, " ");
		if (n == len && !strncmp(s, name, n))
			return true;
		s += n + (s[n] == ' ');
	}
	return false;
}

static int add_set(const char *name, struct callset *out, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		if (strcmp(sets[i].name, name))
			continue;
		for (long nr = 0; nr < SYSROW_MAX; nr++) {
			const struct sysrow *r = sysrow_get(nr);
			if (is_served(r) && (sets[i].calls ? is_listed(sets[i].calls, r->name) : has_kind(r, ARG_PATH)))
				callset_add(out, nr);
		}
		return 0;
	}
	return err_set(e, 0, "no set of calls '%s'; simrun faults lists them", name);
}

int callset_parse(const char *text, struct callset *out, struct err *e)
{
	*out = (struct callset){0};
	for (const char *s = text;;) {
		size_t n = strcspn(s, "+");
		char *word = xstrndup(s, n);
		int rc = *word == '%' ? add_set(word, out, e) : add_call(word, out, e);
		free(word);
		if (rc < 0 || !s[n])
			return rc;
		s += n + 1;
	}
}

static bool some(const struct callset *s, enum sysarg_kind a, enum sysarg_kind b)
{
	for (long nr = 0; nr < SYSROW_MAX; nr++)
		if (callset_has(s, nr) && (has_kind(sysrow_get(nr), a) || has_kind(sysrow_get(nr), b)))
			return true;
	return false;
}

bool callset_has_path(const struct callset *s)
{
	return some(s, ARG_PATH, ARG_FD);
}

bool callset_has_peer(const struct callset *s)
{
	return some(s, ARG_FD, ARG_FD);
}

/* ---- occurrences ---- */

static bool number(const char **s, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)**s))
		return false;
	errno = 0;
	*out = strtoull(*s, &end, 10);
	*s = end;
	return !errno && *out && *out < INT64_MAX;
}

int fault_when_parse(const char *text, struct fault_when *w, struct err *e)
{
	const char *s = text;
	bool ok;

	*w = (struct fault_when){.step = 1};
	ok = number(&s, &w->first);
	w->last = w->first;
	if (ok && !strncmp(s, "..", 2)) {
		s += 2;
		ok = number(&s, &w->last) && w->last >= w->first;
	} else if (ok && *s == '+') {
		w->last = UINT64_MAX;
	}
	if (ok && *s == '+') {
		s++;
		ok = !*s || number(&s, &w->step);
	}
	if (ok && !*s)
		return 0;
	return err_set(e, 0, "'%s' says no occurrence; write 3 (the third), 3+ (from the third on), 3..5, or 10+5 "
			     "(the tenth and every fifth after it)", text);
}

void fault_when_print(const struct fault_when *w, struct buf *out)
{
	buf_addf(out, "%" PRIu64, w->first);
	if (w->last == w->first)
		return;
	if (w->last != UINT64_MAX)
		buf_addf(out, "..%" PRIu64, w->last);
	if (w->step != 1)
		buf_addf(out, "+%" PRIu64, w->step);
	else if (w->last == UINT64_MAX)
		buf_addc(out, '+');
}
