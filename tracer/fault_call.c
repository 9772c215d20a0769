/*
 * Faults at calls. Matching happens once, before the call is performed for the first time; what it is to suffer is written
 * into c->fault, and the dispatcher and the handlers go by that:
 *
 *     answered   it is not performed; answer is its result
 *     cap        it moves no more bytes than this
 *     interrupt  when it would have to wait, it ends as by a signal
 *     until_ns   it is performed at that time
 */
#include "tracer/fault_effects.h"
#include "tracer/fault_engine.h"
#include "tracer/syscalls.h"

#include "base/mem.h"
#include "netsim/sock.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHORT_MOST = 4096 };

/* ---- matching ---- */

/* Whose calls: a name makes a node take part that otherwise would not. */
static bool of_its_node(const struct faults *fs, const struct fault *f, const struct node *n)
{
	int i = fault_param_index(f->spec.kind, "node", 4);
	const char *name = f->spec.on ? f->spec.on : i >= 0 ? f->spec.val[i].text : NULL;

	return name ? !strcmp(name, n->name) : fault_takes_part(fs, n);
}

static bool is_matched(const struct faults *fs, struct fault *f, struct call *c)
{
	const struct fault_spec *m = &f->spec;

	return callset_has(&m->set, c->nr) && of_its_node(fs, f, sim_node_of(fs->s, c->proc)) &&
	       (!m->path || fault_path_matches(c, m->path)) && (!m->peer || fault_peer_matches(c, m->peer));
}

static bool is_lucky(struct fault *f)
{
	int i = fault_param_index(f->spec.kind, "p", 1);
	int64_t p = i < 0 ? 1000000 : fault_spec_number(&f->spec, "p");

	return p >= 1000000 || (int64_t)rng_below(&f->rng, 1000000) < p;
}

/* The call is the one for a fault that is no fault of calls: it starts before the call is performed, or after. */
static void occasion(struct faults *fs, struct fault *f, struct call *c)
{
	if (f->state != FAULT_WAITING || !list_empty(&f->in_due))
		return;
	f->node = sim_node_of(fs->s, c->proc);
	f->caller_tid = c->thread->tid;
	if (f->spec.after) {
		if (c->fault.nafter < CALL_FAULTS_AFTER)
			c->fault.after[c->fault.nafter++] = f;
		return;
	}
	list_add_tail(&fs->due, &f->in_due);
	c->fault.aside = true;
}

static void consider(struct faults *fs, struct fault *f, struct call *c)
{
	if (!is_matched(fs, f, c) || !fault_when_is(&f->spec.when, ++f->seen))
		return;
	if (!(f->spec.kind->flags & KIND_CALL)) {
		occasion(fs, f, c);
		return;
	}
	/* One fault a call: which, would be hard to tell afterwards. */
	if (c->fault.by || !is_lucky(f))
		return;
	f->spec.kind->act(fs, f, c);
}

static void acted(struct fault *f)
{
	if (f->spec.at_ns == VCLOCK_NEVER)
		f->applied++;
	if (f->first_ns < 0)
		f->first_ns = fault_now(f->fs);
}

/* A line of the trace; a fault of a long time does not fill it. */
__attribute__((format(printf, 3, 4))) static void tell_call(struct fault *f, struct call *c, const char *fmt, ...)
{
	enum { LINES = 20 };
	char text[128];
	va_list ap;

	if (f->told++ >= LINES)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	sim_event(f->fs->s, c->proc, "fault %s: %s %s%s", f->spec.id, c->row->name, text,
		  f->told == LINES ? " (further ones are counted only)" : "");
}

/* The thread is tried again: at once, or when its time has come. */
static enum fault_says put_aside(struct faults *fs, struct call *c)
{
	struct kern *k = &fs->s->kern;

	if (!c->fault.until_ns) {
		thread_wake(k, c->thread);
		fault_reckon(fs);
		return FAULT_PUT_ASIDE;
	}
	c->thread->wait_what = "an injected delay";
	thread_wait_until(k, c->thread, c->fault.until_ns);
	thread_block(k, c->thread);
	fault_reckon(fs);
	return FAULT_PUT_ASIDE;
}

enum fault_says fault_before(struct call *c)
{
	struct faults *fs = c->sim->faults;

	c->fault = (struct call_fault){0};
	if (!c->row || !callset_has(&fs->watched, c->nr) || fault_forbidden(fs))
		return FAULT_GOES_ON;
	list_each_safe(f, tmp, &fs->live, struct fault, in_live)
		consider(fs, f, c);
	if (c->fault.by)
		acted(c->fault.by);
	if (c->fault.aside || c->fault.until_ns)
		return put_aside(fs, c);
	return c->fault.answered ? FAULT_ANSWERED : FAULT_GOES_ON;
}

bool fault_interrupts(struct call *c, int64_t value)
{
	c->fault.interrupt = false;
	if (value == -K_ERESTARTNOINTR)
		return false;
	fault_did(c->fault.by, EFFECT_CALLS_INTERRUPTED, 1);
	tell_call(c->fault.by, c, "ends with EINTR");
	return true;
}

void fault_after(struct call *c, int64_t result)
{
	struct faults *fs = c->sim->faults;

	if (c->fault.cap && result == (int64_t)c->fault.cap) {
		fault_did(c->fault.by, EFFECT_CALLS_SHORTENED, 1);
		tell_call(c->fault.by, c, "moves %lld bytes only", (long long)result);
	}
	for (unsigned i = 0; i < c->fault.nafter; i++) {
		struct fault *f = c->fault.after[i];
		if (f->state != FAULT_WAITING || !list_empty(&f->in_due))
			continue;
		f->node = sim_node_of(fs->s, c->proc);
		f->caller_tid = c->thread->tid;
		list_add_tail(&fs->due, &f->in_due);
	}
	c->fault.nafter = 0;
	fault_reckon(fs);
}

/* ---- windows ---- */

bool fault_call_start(struct faults *fs, struct fault *f)
{
	fault_watch(fs, f, true);
	return true;
}

void fault_call_stop(struct faults *fs, struct fault *f)
{
	fault_watch(fs, f, false);
}

/* ---- what happens to calls ---- */

/* Drawn by a seed, and so nothing that a kernel would not do. */
static bool is_drawn(const struct fault *f)
{
	return f->spec.at_ns != VCLOCK_NEVER;
}

static void answer(struct fault *f, struct call *c, int64_t value)
{
	c->fault.by = f;
	c->fault.answered = true;
	c->fault.answer = value;
	fault_did(f, EFFECT_CALLS_FAILED, 1);
	tell_call(f, c, "fails with %s", strerrorname_np((int)-value) ? strerrorname_np((int)-value) : "an error");
}

void fault_errno_act(struct faults *fs, struct fault *f, struct call *c)
{
	answer(f, c, -fault_spec_number(&f->spec, "errno"));
}

static bool makes_thread(struct call *c)
{
	uint64_t flags = c->arg[0];

	if (!strcmp(c->row->name, "clone3"))
		return !copy_in_raw(c, &flags, c->arg[0], sizeof flags) && (flags & CLONE_THREAD);
	return !strcmp(c->row->name, "clone") && (flags & CLONE_THREAD);
}

void fault_thread_act(struct faults *fs, struct fault *f, struct call *c)
{
	if (makes_thread(c))
		fault_errno_act(fs, f, c);
}

void fault_fork_act(struct faults *fs, struct fault *f, struct call *c)
{
	if (!makes_thread(c))
		fault_errno_act(fs, f, c);
}

void fault_delay_act(struct faults *fs, struct fault *f, struct call *c)
{
	c->fault.by = f;
	c->fault.until_ns = vclock_add(fault_now(fs), fault_spec_number(&f->spec, "by"));
	fault_did(f, EFFECT_CALLS_DELAYED, 1);
	tell_call(f, c, "begins %.6fs later", (double)fault_spec_number(&f->spec, "by") / 1e9);
}

void fault_resolve_act(struct faults *fs, struct fault *f, struct call *c)
{
	bool opens = !strncmp(c->row->name, "open", 4);

	if (opens && (fault_path_matches(c, "/etc/hosts") || fault_path_matches(c, "/etc/resolv.conf")))
		answer(f, c, -ENOENT);
	else if (!opens && fault_peer_matches(c, ":53"))
		answer(f, c, -ENETUNREACH);
}

/* ---- fewer bytes ---- */

static bool is_listed(const char *list, const char *name)
{
	const char *at = strstr(list, name);
	size_t n = strlen(name);

	while (at && ((at != list && at[-1] != ' ') || (at[n] && at[n] != ' ')))
		at = strstr(at + 1, name);
	return at != NULL;
}

/* The most that the call would move, as far as its arguments say. */
static uint64_t asked_for(struct call *c)
{
	struct guest_iov iov[8];
	uint64_t addr = c->arg[1], n = c->arg[2], hdr[7], total = 0;

	if (is_listed("read write pread64 pwrite64 sendto recvfrom", c->row->name))
		return c->arg[2];
	if (is_listed("sendmsg recvmsg", c->row->name)) {
		if (copy_in_raw(c, hdr, c->arg[1], sizeof hdr))
			return 0;
		addr = hdr[2]; /* msg_iov, msg_iovlen */
		n = hdr[3];
	} else if (!is_listed("readv writev preadv pwritev preadv2 pwritev2", c->row->name)) {
		return 0;
	}
	n = MIN(n, (uint64_t)ARRAY_LEN(iov));
	if (copy_in_raw(c, iov, addr, n * sizeof *iov))
		return 0;
	for (uint64_t i = 0; i < n; i++)
		total += MIN(iov[i].len, (uint64_t)1 << 40);
	return total;
}

/* A message is never cut, and a kernel moves all of it where the caller waits for that. */
static bool may_be_short(const struct fault *f, struct call *c)
{
	const struct file *file = call_file(c, c->arg[0]);
	const struct sock *s = file ? sock_of(file) : NULL;
	bool write = !strncmp(c->row->name, "write", 5) || !strncmp(c->row->name, "pwrite", 6) || !strncmp(c->row->name, "send", 4);

	if (!file || (s && s->type != K_SOCK_STREAM) || (!s && !strcmp(file->ops->kind, "eventfd")))
		return false;
	if (!s && (!strcmp(file->ops->kind, "timerfd") || !strcmp(file->ops->kind, "signalfd") || !strcmp(file->ops->kind, "inotify")))
		return false;
	if (!is_drawn(f))
		return true;
	if (file->ops->pread)
		return false; /* of regular files only a signal or a full disk makes it so */
	return !write || (file->flags & O_NONBLOCK);
}

void fault_short_act(struct faults *fs, struct fault *f, struct call *c)
{
	uint64_t total = asked_for(c), most = (uint64_t)fault_spec_number(&f->spec, "bytes");

	if (total < 2 || !may_be_short(f, c))
		return;
	if (!most)
		most = 1 + rng_below(&f->rng, MIN(total - 1, (uint64_t)SHORT_MOST));
	if (most >= total)
		return;
	c->fault.by = f;
	c->fault.cap = most;
}

/* ---- interruptions ---- */

/* Calls that are restarted for a handler with SA_RESTART; the others of %wait end with EINTR in any case: signal(7). */
static const char restarted[] = "read readv write writev sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg connect accept accept4 "
				"wait4 waitid flock fcntl futex open openat ioctl";

static bool has_cause(const struct call *c)
{
	bool restarts = is_listed(restarted, c->row->name);

	for (int sig = 1; sig <= K_NSIG; sig++) {
		const struct k_sigaction *a = &c->proc->sighand->act[sig];
		if (a->handler > 1 && !(restarts && (a->flags & K_SA_RESTART)))
			return true;
	}
	return false;
}

void fault_eintr_act(struct faults *fs, struct fault *f, struct call *c)
{
	if (is_drawn(f) && !has_cause(c))
		return;
	c->fault.by = f;
	c->fault.interrupt = true;
}

/* ---- not ready ---- */

/* The descriptor becomes ready anew, so that those who wait for an edge get one. It may be closed by then. */
struct wakeup {
	struct timer timer;
	struct kern *k;
	uint64_t file_id;
};

static struct file *find_file(struct kern *k, uint64_t id)
{
	list_each(p, &k->proc_list, struct proc, in_kern)
		for (unsigned fd = 0; p->fds && fd < p->fds->cap; fd++)
			if (p->fds->ent[fd].file && p->fds->ent[fd].file->id == id)
				return p->fds->ent[fd].file;
	return NULL;
}

static void on_wakeup(struct timer *t)
{
	struct wakeup *w = container_of(t, struct wakeup, timer);
	struct file *f = find_file(w->k, w->file_id);

	if (f)
		file_notify(f, file_poll(w->k, f));
	arena_release_of(w->k->arena, w);
}

void fault_eagain_act(struct faults *fs, struct fault *f, struct call *c)
{
	struct file *file = call_file(c, c->arg[0]);
	struct wakeup *w;

	if (!file || !(file->flags & O_NONBLOCK) || file->ops->pread)
		return;
	w = arena_new_of(c->k->arena, struct wakeup);
	w->k = c->k;
	w->file_id = file->id;
	timer_arm(&c->k->clock, &w->timer, vclock_add(fault_now(fs), fault_spec_number(&f->spec, "wait")), on_wakeup);
	answer(f, c, -EAGAIN);
}
