/*
 * One system call of one guest thread in flight, and what its handler answers.
 *
 * A handler (sys_NAME in sys_*.c) looks at c->arg, works on the simulated kernel and returns a verdict. It never blocks:
 * to wait it registers with thread_wait_on()/thread_wait_until() and returns BLOCK(); when something wakes the thread the
 * handler is called again from the top, with c->tries > 0, c->thread->timed_out when the deadline has passed, and its
 * scratch words c->s[] as it left them (absolute deadlines, bytes already moved). EINTR and restarts, hashing, virtual
 * cost and tracing are done by the dispatcher (dispatch.c), nowhere else.
 */
#ifndef TRACER_CALL_H
#define TRACER_CALL_H

#include "kernel/task.h"

#include <stdbool.h>
#include <stdint.h>

struct sysrow;
struct sim;
struct task;

enum verdict_kind {
	V_REPLY,    /* answer with value (negative: -errno) */
	V_BLOCK,    /* wait; value is the answer if a signal handler interrupts (-EINTR, -K_ERESTARTSYS, or bytes moved) */
	V_CONTINUE, /* the real kernel performs it as well; value is the result, known beforehand */
	V_TRACED,   /* an OBSERVE handler has already seen the result; value is it */
	V_GONE,     /* the thread no longer exists (exit), or no longer runs this call */
};

struct verdict {
	enum verdict_kind kind;
	int64_t value;
};

#define REPLY(v) ((struct verdict){V_REPLY, (int64_t)(v)})
#define FAIL(e) ((struct verdict){V_REPLY, -(int64_t)(e)})
#define BLOCK(intr) ((struct verdict){V_BLOCK, (int64_t)(intr)})
#define CONTINUE(v) ((struct verdict){V_CONTINUE, (int64_t)(v)})
#define TRACED(v) ((struct verdict){V_TRACED, (int64_t)(v)})
#define GONE() ((struct verdict){V_GONE, 0})

enum { CALL_FAULTS_AFTER = 4 };

/* What an injected fault makes of a call; all zero: nothing. See fault_call.c. */
struct call_fault {
	struct fault *by;
	bool answered;   /* it is not performed: `answer` is its result */
	bool interrupt;  /* when it has to wait, it ends as by a signal */
	bool aside;      /* it waits until other faults have started */
	int64_t answer;
	int64_t until_ns; /* it is performed then; 0: now */
	uint64_t cap;    /* it moves no more bytes than this; 0: as many as it can */
	unsigned nafter;
	struct fault *after[CALL_FAULTS_AFTER]; /* start when it is done */
};

struct call {
	struct sim *sim;
	struct kern *k;          /* = &sim->kern */
	struct task *task;       /* the real thread */
	struct thread *thread;   /* the simulated one */
	struct proc *proc;
	const struct sysrow *row;
	long nr;
	uint64_t arg[6];
	unsigned tries;          /* 0 on the first try */
	uint64_t s[8];           /* scratch of the handler, zero on the first try */
	uint64_t clock_reads;    /* of the clock page, since the thread's last call */
	char note[160];          /* the path, peer … shown in traces; set by call_note() */
	/* Kept while the call waits, even if another thread closes the descriptor (the kernel's fget); see call_hold(). */
	struct file *held;
	struct call_fault fault;
	bool follows_wall; /* it waits for a time of the wall clock: to be tried again when that changes */
};

/* A wait ends at once: a signal is there, or a fault plays one. */
static inline bool call_interrupted(const struct call *c)
{
	return c->fault.interrupt || sig_deliverable(c->k, c->thread);
}
/* The bytes that a transfer of n may move. */
static inline uint64_t call_cap(const struct call *c, uint64_t n)
{
	return c->fault.cap && c->fault.cap < n ? c->fault.cap : n;
}

/*
 * Guest memory. All return 0 or -EFAULT. The plain forms feed the bytes into the run hash (and the byte trace);
 * the _raw forms do not: for structures that hold addresses or padding.
 */
int copy_in(struct call *c, void *dst, uint64_t src, size_t n);
int copy_out(struct call *c, uint64_t dst, const void *src, size_t n);
int copy_in_raw(struct call *c, void *dst, uint64_t src, size_t n);
int copy_out_raw(struct call *c, uint64_t dst, const void *src, size_t n);
/* NUL-terminated; returns its length, -EFAULT, or -ENAMETOOLONG when it does not fit into n bytes. Hashed. */
int copy_in_str(struct call *c, char *dst, size_t n, uint64_t src);

/* A buffer of at least n bytes, valid until the handler returns. */
void *call_scratch(struct call *c, size_t n);

/* Guest iovec arrays: the total, and transfer between one flat buffer and the vector. */
struct guest_iov {
	uint64_t base, len;
};
enum { GUEST_IOV_MAX = 1024 };
/* Reads `n` iovecs; *total <= 0x7ffff000. 0, -EINVAL or -EFAULT. */
int iov_read(struct call *c, uint64_t addr, uint64_t n, struct guest_iov *iov, size_t *total);
/* Skips `skip` bytes, then moves up to len. Returns bytes moved or -EFAULT when none could be. */
int64_t iov_copy_in(struct call *c, const struct guest_iov *iov, size_t n, size_t skip, void *dst, size_t len);
int64_t iov_copy_out(struct call *c, const struct guest_iov *iov, size_t n, size_t skip, const void *src, size_t len);

void call_note(struct call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Named once in the report and counted: an ioctl, option, flag … that is refused. Returns FAIL(e). */
struct verdict call_refuse(struct call *c, int e, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The file behind a descriptor of the caller; NULL: reply -EBADF. */
static inline struct file *call_file(struct call *c, uint64_t fd)
{
	return fdtab_get(c->proc->fds, (int)fd);
}
/* Gives f (one reference, consumed even on failure) the lowest free descriptor; the number or -EMFILE. */
int call_install(struct call *c, struct file *f, bool cloexec);
/* As call_file(), but a call that waits goes on with the same open file when it is tried again, whatever happened to the
 * descriptor meanwhile. call_keep() before BLOCK(); call_end() is made when the call ends, or its thread. */
struct file *call_hold(struct call *c, uint64_t fd);
void call_keep(struct call *c, struct file *f);
void call_end(struct call *c);
/* Wait until f's poll state may have changed. */
void call_wait_file(struct call *c, struct file *f, const char *what);
/* Deadline c->s[7], computed once from a relative time: use for every timeout so that retries keep it. */
void call_wait_rel(struct call *c, int64_t rel_ns);

#endif
