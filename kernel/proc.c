/* Processes: parents and children, their end, what exec and fork do to them. */
#include "kernel/task.h"

#include "base/err.h"
#include "kernel/cred.h"
#include "kernel/node.h"
#include "kernel/posix_timer.h"
#include "kernel/sysv_sem.h"
#include "kernel/sysv_shm.h"
#include "kernel/tty.h"

enum { LIM_STACK = 3, LIM_CORE = 4, LIM_NPROC = 6, LIM_NOFILE = 7, LIM_MEMLOCK = 8, LIM_SIGPENDING = 11, LIM_MSGQUEUE = 12,
       LIM_NICE = 13, LIM_RTPRIO = 14 };

/* ---- birth ---- */

/* What a login on Debian gives; the same everywhere, whatever the host's limits are. */
static void default_limits(struct proc *p)
{
	static const struct {
		int res;
		uint64_t soft, hard;
	} lim[] = {
		{LIM_STACK, 8 << 20, UINT64_MAX}, {LIM_CORE, 0, UINT64_MAX},      {LIM_NPROC, 32768, 32768},
		{LIM_NOFILE, 1024, 1 << 20},      {LIM_MEMLOCK, 8 << 20, 8 << 20}, {LIM_SIGPENDING, 32768, 32768},
		{LIM_MSGQUEUE, 819200, 819200},   {LIM_NICE, 0, 0},               {LIM_RTPRIO, 0, 0},
	};

	for (int i = 0; i < 16; i++)
		p->rlim[i][0] = p->rlim[i][1] = UINT64_MAX;
	for (size_t i = 0; i < sizeof lim / sizeof lim[0]; i++) {
		p->rlim[lim[i].res][0] = lim[i].soft;
		p->rlim[lim[i].res][1] = lim[i].hard;
	}
}

static struct mm *mm_new(struct kern *k)
{
	struct mm *mm = arena_new_of(k->arena, struct mm);

	mm->refs = 1;
	mm->id = k->next_mm_id++;
	list_init(&mm->attaches);
	return mm;
}

static void mm_unref(struct kern *k, struct proc *p, struct mm *mm)
{
	if (!mm || --mm->refs)
		return;
	shm_mm_gone(k, p, mm);
	arena_release_of(k->arena, mm);
}

static void inherit(struct proc *p, const struct proc *parent)
{
	p->pgid = parent->pgid;
	p->sid = parent->sid;
	p->uid = parent->uid;
	p->euid = parent->euid;
	p->suid = parent->suid;
	p->gid = parent->gid;
	p->egid = parent->egid;
	p->sgid = parent->sgid;
	p->node = parent->node;
	p->ctty = parent->ctty;
	for (int i = 0; i < 16; i++) {
		p->rlim[i][0] = parent->rlim[i][0];
		p->rlim[i][1] = parent->rlim[i][1];
	}
}

/* Without tables. */
static struct proc *proc_bare(struct kern *k, int pid, struct proc *parent)
{
	struct proc *p = arena_new_of(k->arena, struct proc);

	ENSURE(pid > 0 && !map_get(&k->procs, (uint64_t)pid));
	p->pid = p->pgid = p->sid = pid;
	p->exit_signal = SIGCHLD;
	p->start_ns = k->clock.now_ns;
	list_init(&p->children);
	list_init(&p->sibling);
	list_init(&p->threads);
	list_init(&p->refs);
	list_init(&p->sem_undo);
	sig_pending_init(&p->pending);
	waitq_init(&p->child_wq);
	waitq_init(&p->exit_wq);
	waitq_init(&p->sig_wq);
	if (parent) {
		inherit(p, parent);
		cred_fork(k, p, parent);
		proc_set_parent(p, parent);
	} else {
		p->outside_parent = true;
		default_limits(p);
	}
	list_add_tail(&k->proc_list, &p->in_kern);
	map_put(&k->procs, (uint64_t)pid, p);
	return p;
}

struct proc *proc_new(struct kern *k, int pid, struct proc *parent)
{
	struct proc *p = proc_bare(k, pid, parent);

	p->fds = fdtab_new(k);
	p->sighand = sighand_copy(k, NULL);
	p->mm = mm_new(k);
	return p;
}

struct proc *proc_fork(struct kern *k, struct proc *parent, int pid, bool share_mm, bool share_fds, bool share_sighand)
{
	struct proc *p = proc_bare(k, pid, parent);

	if (share_mm) {
		p->mm = parent->mm;
		p->mm->refs++;
	} else {
		p->mm = mm_new(k);
		p->mm->has_shared = parent->mm->has_shared;
		shm_fork(k, parent, p->mm);
	}
	if (share_fds) {
		p->fds = parent->fds;
		p->fds->refs++;
	} else {
		p->fds = fdtab_copy(k, parent->fds);
	}
	if (share_sighand) {
		p->sighand = parent->sighand;
		p->sighand->refs++;
	} else {
		p->sighand = sighand_copy(k, parent->sighand);
	}
	return p;
}

void proc_set_parent(struct proc *p, struct proc *parent)
{
	list_del(&p->sibling);
	p->parent = parent;
	if (parent)
		list_add_tail(&parent->children, &p->sibling);
}

void proc_exec(struct kern *k, struct proc *p)
{
	struct fdtab *shared = p->fds;

	mm_unref(k, p, p->mm);
	p->mm = mm_new(k);
	if (shared->refs > 1) {
		p->fds = fdtab_copy(k, shared);
		fdtab_unref(k, shared, p);
	}
	fdtab_close_on_exec(k, p->fds, p);
	sig_exec(k, p);
	ptimers_exec(k, p);
	cred_exec(k, p);
	p->exit_signal = SIGCHLD; /* begin_new_exec() in fs/exec.c */
	p->exec_done = true;
	list_each(t, &p->threads, struct thread, in_proc) {
		t->clear_tid_addr = 0;
		t->robust_head = t->robust_len = 0;
	}
}

/* ---- finding ---- */

struct proc *proc_find(struct kern *k, int pid)
{
	struct proc *p;

	if (pid <= 0)
		return NULL;
	p = map_get(&k->procs, (uint64_t)pid);
	return p ? p : map_get(&k->aliases, (uint64_t)pid);
}

struct proc *proc_find_any(struct kern *k, int pid)
{
	struct proc *p = proc_find(k, pid);
	struct thread *t = p ? NULL : thread_find(k, pid);

	return t ? t->proc : p;
}

struct thread *proc_main_thread(const struct proc *p)
{
	return list_first(&p->threads, struct thread, in_proc);
}

bool proc_group_exists(const struct kern *k, int pgid)
{
	list_each(p, &k->proc_list, struct proc, in_kern)
		if (p->pgid == pgid)
			return true;
	return false;
}

void procref_set(struct procref *r, struct proc *p)
{
	r->p = p;
	list_add_tail(&p->refs, &r->link);
}

void procref_drop(struct procref *r)
{
	if (r->p)
		list_del(&r->link);
	r->p = NULL;
}

/* ---- the end ---- */

void proc_doom(struct kern *k, struct proc *p, int status)
{
	if (p->doomed || p->zombie)
		return;
	p->doomed = true;
	p->exit_status = status;
	p->stop_report = 0;
	list_each(t, &p->threads, struct thread, in_proc)
		thread_stand_still(k, t);
	if (k->proc_doomed)
		k->proc_doomed(k, p);
}

static void proc_free(struct kern *k, struct proc *p)
{
	ENSURE(list_empty(&p->threads) && list_empty(&p->children));
	list_each_safe(r, tmp, &p->refs, struct procref, link) {
		list_del(&r->link);
		r->p = NULL;
	}
	list_del(&p->sibling);
	list_del(&p->in_kern);
	map_del(&k->procs, (uint64_t)p->pid);
	if (p->alias_pid && map_get(&k->aliases, (uint64_t)p->alias_pid) == p)
		map_del(&k->aliases, (uint64_t)p->alias_pid);
	if (k->reaper == p)
		k->reaper = NULL;
	cred_release(k, p);
	arena_release_of(k->arena, p);
}

static void drop_tables(struct kern *k, struct proc *p)
{
	ptimers_clear(k, p);
	mm_unref(k, p, p->mm);
	p->mm = NULL;
	sem_proc_ended(k, p);
	if (p->fds)
		fdtab_unref(k, p->fds, p);
	p->fds = NULL;
	tty_session_leader_ended(k, p);
	sighand_unref(k, p->sighand);
	p->sighand = NULL;
	sig_flush(k, &p->pending);
}

/* SIGCHLD and waking of waiters. True when the parent does not want zombies (do_notify_parent() in kernel/signal.c). */
static bool tell_parent(struct kern *k, struct proc *p)
{
	struct proc *parent = p->parent;
	struct sigitem it = {.sig = p->exit_signal, .pid = proc_seen_pid(p), .uid = p->uid};
	const struct k_sigaction *act;
	bool unwanted = false, quiet = false;

	if (!parent)
		return true;
	if (p->exit_status & 0x7f) {
		it.code = p->exit_status & 0x80 ? CLD_DUMPED : CLD_KILLED;
		it.status = p->exit_status & 0x7f;
	} else {
		it.code = CLD_EXITED;
		it.status = p->exit_status >> 8 & 0xff;
	}
	if (parent->sighand && p->exit_signal == SIGCHLD) {
		act = &parent->sighand->act[SIGCHLD];
		quiet = act->handler == 1;
		unwanted = quiet || (act->flags & K_SA_NOCLDWAIT);
	}
	if (p->exit_signal && !quiet)
		sig_send(k, parent, NULL, &it);
	waitq_wake(&parent->child_wq, 0);
	return unwanted;
}

/* Becomes a zombie that its parent can wait for, or vanishes. */
static void report_end(struct kern *k, struct proc *p)
{
	bool vanish;

	waitq_wake(&p->exit_wq, K_EPOLLIN);
	vanish = tell_parent(k, p);
	/* The driver's root has nobody to wait for it, but its status is still wanted. */
	if (vanish && p != k->reaper)
		proc_free(k, p);
}

bool proc_group_orphaned(const struct kern *k, int pgid, const struct proc *ignored)
{
	list_each(p, &k->proc_list, struct proc, in_kern) {
		if (p->pgid != pgid || p == ignored || p->zombie)
			continue;
		/* Who started the driver is taken for a shell of its session. */
		if (p->parent ? p->parent->pgid != pgid && p->parent->sid == p->sid : p->outside_parent)
			return false;
	}
	return true;
}

static bool has_stopped(const struct kern *k, int pgid)
{
	list_each(p, &k->proc_list, struct proc, in_kern)
		if (p->pgid == pgid && p->stopped && !p->doomed && !p->zombie)
			return true;
	return false;
}

/* A stopped group that nobody can continue any more gets SIGHUP and SIGCONT: see kill_orphaned_pgrp() in kernel/exit.c. */
static void release_orphaned_group(struct kern *k, const struct proc *member, const struct proc *parent, const struct proc *ignored)
{
	int pgid = member->pgid;

	if (!parent || parent->pgid == pgid || parent->sid != member->sid)
		return;
	if (!proc_group_orphaned(k, pgid, ignored) || !has_stopped(k, pgid))
		return;
	list_each(p, &k->proc_list, struct proc, in_kern)
		if (p->pgid == pgid) {
			sig_send_simple(k, p, NULL, SIGHUP, SI_KERNEL, 0);
			sig_send_simple(k, p, NULL, SIGCONT, SI_KERNEL, 0);
		}
}

/* NULL: init, which is no process of the simulation and reaps at once. */
static struct proc *new_parent(const struct kern *k, const struct proc *dying)
{
	for (struct proc *a = dying->parent; a; a = a->parent)
		if (a->child_subreaper && !a->doomed && !a->zombie)
			return a;
	if (k->reaper && k->reaper != dying && !k->reaper->doomed && !k->reaper->zombie)
		return k->reaper;
	return NULL;
}

static void give_away_children(struct kern *k, struct proc *p)
{
	struct proc *heir = new_parent(k, p);

	while (!list_empty(&p->children)) {
		struct proc *child = list_first(&p->children, struct proc, sibling);
		proc_set_parent(child, heir);
		child->exit_signal = SIGCHLD;
		if (child->pdeathsig && !child->zombie)
			sig_send_simple(k, child, NULL, child->pdeathsig, SI_USER, p->pid);
		release_orphaned_group(k, child, p, NULL);
		if (child->zombie && !child->held)
			report_end(k, child); /* may free it */
	}
}

void proc_ended(struct kern *k, struct proc *p)
{
	ENSURE(!p->zombie && list_empty(&p->threads));
	p->doomed = true;
	p->stopped = false;
	p->stop_report = 0;
	drop_tables(k, p);
	give_away_children(k, p);
	p->zombie = true;
	release_orphaned_group(k, p, p->parent, p);
	if (!p->held)
		report_end(k, p);
}

void proc_reap(struct kern *k, struct proc *p)
{
	ENSURE(p->zombie);
	if (p->parent)
		p->parent->child_cpu_ns += p->cpu_ns + p->child_cpu_ns;
	proc_free(k, p);
}

/* ---- restarted nodes ---- */

void proc_end_held(struct kern *k, struct proc *p, int status)
{
	ENSURE(p->held);
	p->held = false;
	p->exit_status = status;
	if (p->zombie)
		report_end(k, p);
}

/* newroot takes the place of the held process: at the same place among its siblings, since wait(-1) looks at them in this
 * order, and behind the pidfds that were opened of it. */
static void take_place(struct kern *k, struct proc *newroot, struct proc *old)
{
	newroot->pgid = old->pgid;
	newroot->sid = old->sid;
	newroot->exit_signal = old->exit_signal;
	list_del(&newroot->sibling);
	newroot->parent = old->parent;
	if (old->parent)
		list_add_tail(&old->sibling, &newroot->sibling);
	while (!list_empty(&old->refs)) {
		struct procref *r = list_first(&old->refs, struct procref, link);
		list_del(&r->link);
		procref_set(r, newroot);
	}
	while (!list_empty(&old->exit_wq.waiters)) {
		struct waiter *w = list_first(&old->exit_wq.waiters, struct waiter, link);
		list_del(&w->link);
		waitq_add(&newroot->exit_wq, w, w->fn);
	}
	proc_free(k, old);
}

void proc_set_alias(struct kern *k, struct proc *newroot, int old_pid)
{
	struct proc *old = proc_find(k, old_pid);

	if (old && old != newroot) {
		ENSURE(old->held && old->zombie);
		take_place(k, newroot, old);
	}
	newroot->alias_pid = old_pid;
	map_put(&k->aliases, (uint64_t)old_pid, newroot);
}
