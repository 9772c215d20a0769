/* Processes: fork and exec, ends and reports, orphans, restarted nodes, pidfds. */
#include "tests/unit/kern_fixture.h"

#include "kernel/pidfd.h"

enum { HANDLER = 0x1000 };

static struct proc *child(struct fixture *x, int pid, struct proc *parent)
{
	struct proc *p = proc_fork(&x->k, parent, pid, false, false, false);

	thread_new(&x->k, p, pid);
	return p;
}

/* As the tracer does it: decided, killed, buried. */
static void ends(struct fixture *x, struct proc *p, int status)
{
	proc_doom(&x->k, p, status);
	while (!list_empty(&p->threads))
		thread_dead(&x->k, proc_main_thread(p));
	proc_ended(&x->k, p);
}

static int wait_for(struct fixture *x, struct proc *p, struct wait_query q, struct wait_result *r)
{
	*r = (struct wait_result){0};
	return proc_wait(&x->k, p, &q, r);
}

static const struct wait_query ANY = {.exited = true};

static struct wait_query pid_query(int pid)
{
	return (struct wait_query){.kind = WAIT_FOR_PID, .id = pid, .exited = true};
}

static void on_sigchld(struct proc *p, uint64_t handler, uint64_t flags)
{
	p->sighand->act[SIGCHLD] = (struct k_sigaction){.handler = handler, .flags = flags};
}

/* ---- fork, exec ---- */

static void test_fork(void **state)
{
	struct fixture *x = *state;
	struct proc *c, *s;

	x->p->uid = 7;
	x->p->rlim[7][0] = 99;
	x->p->sid = x->p->pgid = 42;
	x->p->mm->has_shared = true;
	x->p->sighand->act[SIGINT].handler = HANDLER;
	sig_set_mask(&x->k, x->t, ~0ull);
	sig_send_simple(&x->k, x->p, NULL, SIGINT, SI_USER, 1);
	c = proc_fork(&x->k, x->p, 200, false, false, false);
	s = proc_fork(&x->k, x->p, 201, true, true, true);
	assert_int_equal(c->uid, 7);
	assert_int_equal(c->rlim[7][0], 99);
	assert_int_equal(c->sid, 42);
	assert_int_equal(c->pgid, 42);
	assert_ptr_equal(c->parent, x->p);
	assert_int_equal(c->sighand->act[SIGINT].handler, HANDLER);
	assert_int_equal(c->pending.set, 0);
	assert_ptr_not_equal(c->mm, x->p->mm);
	assert_true(c->mm->has_shared);
	assert_ptr_equal(s->mm, x->p->mm);
	assert_ptr_equal(s->fds, x->p->fds);
	assert_ptr_equal(s->sighand, x->p->sighand);
	assert_ptr_equal(proc_find(&x->k, 201), s);
	ends(x, s, 0);
	ends(x, c, 0);
	assert_int_equal(x->p->mm->refs, 1);
	assert_int_equal(x->p->fds->refs, 1);
}

static void test_exec(void **state)
{
	struct fixture *x = *state;
	struct proc *c = proc_fork(&x->k, x->p, 200, true, true, false);
	struct thread *t = thread_new(&x->k, c, 200);
	uint64_t mm = c->mm->id;

	c->exit_signal = SIGUSR1;
	t->clear_tid_addr = t->robust_head = 8;
	proc_exec(&x->k, c);
	assert_true(c->exec_done);
	assert_int_not_equal(c->mm->id, mm);
	assert_ptr_not_equal(c->fds, x->p->fds);
	assert_int_equal(x->p->fds->refs, 1);
	assert_int_equal(c->exit_signal, SIGCHLD);
	assert_int_equal(t->clear_tid_addr | t->robust_head, 0);
}

/* ---- waiting ---- */

static void test_zombie(void **state)
{
	struct fixture *x = *state;
	struct proc *c = child(x, 200, x->p);
	struct wait_query peek = ANY;
	struct wait_result r;
	struct sigitem it;

	on_sigchld(x->p, HANDLER, 0);
	assert_int_equal(wait_for(x, x->p, ANY, &r), 0);
	c->cpu_ns = 5;
	c->child_cpu_ns = 6;
	ends(x, c, 3 << 8);
	assert_true(c->zombie);
	assert_ptr_equal(proc_find(&x->k, 200), c);
	assert_true(sig_take(&x->k, x->t, &it));
	assert_int_equal(it.sig, SIGCHLD);
	assert_int_equal(it.code, CLD_EXITED);
	assert_int_equal(it.status, 3);
	assert_int_equal(it.pid, 200);
	peek.nowait = true;
	assert_int_equal(wait_for(x, x->p, peek, &r), 1);
	assert_int_equal(wait_for(x, x->p, ANY, &r), 1);
	assert_int_equal(r.pid, 200);
	assert_int_equal(r.wstatus, 3 << 8);
	assert_int_equal(r.code, CLD_EXITED);
	assert_int_equal(r.status, 3);
	assert_int_equal(r.cpu_ns, 11);
	assert_int_equal(x->p->child_cpu_ns, 11);
	assert_null(proc_find(&x->k, 200));
	assert_int_equal(wait_for(x, x->p, ANY, &r), -ECHILD);
	assert_nothing_leaked(x);
}

static void test_killed(void **state)
{
	struct fixture *x = *state;
	struct proc *c = child(x, 200, x->p);
	struct wait_result r;

	ends(x, c, SIGKILL);
	assert_int_equal(wait_for(x, x->p, pid_query(200), &r), 1);
	assert_int_equal(r.code, CLD_KILLED);
	assert_int_equal(r.status, SIGKILL);
	assert_int_equal(r.wstatus, SIGKILL);
}

static void test_whom(void **state)
{
	struct fixture *x = *state;
	struct proc *a = child(x, 200, x->p), *b = child(x, 201, x->p), *c = child(x, 202, x->p);
	struct wait_query clone_only = {.exited = true, .only_clone = true}, all = {.exited = true, .all = true},
			  group = {.kind = WAIT_FOR_GROUP, .id = 201, .exited = true};
	struct wait_result r;

	b->pgid = 201;
	a->exit_signal = 0;
	assert_int_equal(wait_for(x, x->p, pid_query(999), &r), -ECHILD);
	assert_int_equal(wait_for(x, x->p, pid_query(200), &r), -ECHILD); /* a clone child */
	ends(x, c, 0);
	ends(x, a, 0);
	ends(x, b, 0);
	assert_int_equal(wait_for(x, x->p, group, &r), 1);
	assert_int_equal(r.pid, 201);
	assert_int_equal(wait_for(x, x->p, group, &r), -ECHILD);
	assert_int_equal(wait_for(x, x->p, clone_only, &r), 1);
	assert_int_equal(r.pid, 200);
	assert_int_equal(wait_for(x, x->p, clone_only, &r), -ECHILD);
	assert_int_equal(wait_for(x, x->p, all, &r), 1);
	assert_int_equal(r.pid, 202);
}

static void test_stop_reports(void **state)
{
	struct fixture *x = *state;
	struct proc *c = child(x, 200, x->p);
	struct wait_query stopped = {.stopped = true}, continued = {.continued = true}, peek = {.stopped = true, .nowait = true};
	struct wait_result r;

	proc_stop(&x->k, c, SIGTSTP);
	assert_int_equal(wait_for(x, x->p, ANY, &r), 0);
	assert_int_equal(wait_for(x, x->p, continued, &r), 0);
	assert_int_equal(wait_for(x, x->p, peek, &r), 1);
	assert_int_equal(wait_for(x, x->p, stopped, &r), 1);
	assert_int_equal(r.wstatus, SIGTSTP << 8 | 0x7f);
	assert_int_equal(r.code, CLD_STOPPED);
	assert_int_equal(wait_for(x, x->p, stopped, &r), 0);
	proc_continue(&x->k, c);
	assert_int_equal(wait_for(x, x->p, stopped, &r), 0);
	assert_int_equal(wait_for(x, x->p, continued, &r), 1);
	assert_int_equal(r.wstatus, 0xffff);
	assert_int_equal(r.status, SIGCONT);
	/* A stopped one that is killed has ended, and no longer stopped. */
	proc_stop(&x->k, c, SIGSTOP);
	ends(x, c, SIGKILL);
	assert_int_equal(wait_for(x, x->p, stopped, &r), 0);
	assert_int_equal(wait_for(x, x->p, ANY, &r), 1);
}

/* SIG_IGN: no zombie, no signal. SA_NOCLDWAIT: no zombie, but the signal. */
static void test_unwanted(void **state)
{
	struct fixture *x = *state;
	struct wait_result r;

	on_sigchld(x->p, 1, 0);
	ends(x, child(x, 200, x->p), 0);
	assert_null(proc_find(&x->k, 200));
	assert_int_equal(wait_for(x, x->p, ANY, &r), -ECHILD);
	on_sigchld(x->p, HANDLER, K_SA_NOCLDWAIT);
	ends(x, child(x, 201, x->p), 0);
	assert_null(proc_find(&x->k, 201));
	assert_true(sig_deliverable(&x->k, x->t));
}

/* A parent that waits is woken, and finds nothing left. */
static void test_unwanted_wakes(void **state)
{
	struct fixture *x = *state;
	struct proc *c = child(x, 200, x->p);

	on_sigchld(x->p, 1, 0);
	x->t->state = THREAD_RUNNING;
	thread_wait_on(&x->k, x->t, &x->p->child_wq);
	thread_block(&x->k, x->t);
	ends(x, c, 0);
	assert_int_equal(x->t->state, THREAD_READY);
}

/* ---- orphans ---- */

static void test_orphan_to_init(void **state)
{
	struct fixture *x = *state;
	struct proc *c = child(x, 200, x->p), *g = child(x, 201, c), *z = child(x, 202, c);
	struct wait_result r;

	ends(x, z, 0);
	ends(x, c, 0);
	assert_null(g->parent);
	assert_null(proc_find(&x->k, 202)); /* init has reaped it */
	ends(x, g, 0);
	assert_null(proc_find(&x->k, 201));
	assert_int_equal(wait_for(x, x->p, ANY, &r), 1);
	assert_nothing_leaked(x);
}

static void test_orphan_to_subreaper(void **state)
{
	struct fixture *x = *state;
	struct proc *c = child(x, 200, x->p), *m = child(x, 201, c), *g = child(x, 202, m), *z = child(x, 203, m);
	struct wait_result r;

	x->p->child_subreaper = true;
	on_sigchld(x->p, HANDLER, 0);
	g->exit_signal = 0;
	ends(x, z, 0);
	ends(x, m, 0);
	assert_ptr_equal(g->parent, x->p);
	assert_int_equal(g->exit_signal, SIGCHLD);
	assert_true(sig_deliverable(&x->k, x->t)); /* of the zombie that it inherited */
	assert_int_equal(wait_for(x, x->p, ANY, &r), 1);
	assert_int_equal(r.pid, 203);
	ends(x, g, 0);
	assert_int_equal(wait_for(x, x->p, ANY, &r), 1);
	assert_int_equal(r.pid, 202);
	assert_int_equal(wait_for(x, c, ANY, &r), 1);
}

static void test_pdeathsig(void **state)
{
	struct fixture *x = *state;
	struct proc *c = child(x, 200, x->p), *g = child(x, 201, c);

	g->pdeathsig = SIGTERM;
	ends(x, c, 0);
	assert_int_equal(g->exit_status, SIGTERM);
	assert_true(g->doomed);
}

/* The leader of a session ends: its stopped jobs, which nobody can continue any more, get SIGHUP and SIGCONT. */
static void test_orphaned_stopped_group(void **state)
{
	struct fixture *x = *state;
	struct proc *shell = child(x, 200, x->p), *job = child(x, 201, shell), *free_job = child(x, 202, shell);

	shell->sid = shell->pgid = 200;
	job->sid = free_job->sid = 200;
	job->pgid = 201;
	free_job->pgid = 202;
	job->sighand->act[SIGHUP].handler = HANDLER;
	proc_stop(&x->k, job, SIGTSTP);
	assert_false(proc_group_orphaned(&x->k, 201, NULL));
	ends(x, shell, 0);
	assert_true(proc_group_orphaned(&x->k, 201, NULL));
	assert_false(job->stopped);
	assert_true(sig_deliverable(&x->k, proc_main_thread(job)));
	assert_int_equal(free_job->pending.set, 0);
	assert_false(free_job->doomed);
}

/* ---- restarted nodes ---- */

static void test_alias(void **state)
{
	struct fixture *x = *state;
	struct proc *first = child(x, 200, x->p), *after = child(x, 201, x->p), *second, *third;
	struct file *fd = pidfd_new(&x->k, first, 0);
	struct wait_result r;

	on_sigchld(x->p, HANDLER, 0);
	first->pgid = 200;
	first->held = true;
	ends(x, first, SIGKILL);
	/* While it is down: the parent has a child, and hears nothing. */
	assert_false(sig_deliverable(&x->k, x->t));
	assert_int_equal(wait_for(x, x->p, pid_query(200), &r), 0);
	assert_ptr_equal(proc_find(&x->k, 200), first);
	assert_int_equal(file_poll(&x->k, fd), 0);

	second = proc_new(&x->k, 300, x->p);
	thread_new(&x->k, second, 300);
	proc_set_alias(&x->k, second, 200);
	assert_ptr_equal(proc_find(&x->k, 200), second);
	assert_ptr_equal(proc_find(&x->k, 300), second);
	assert_ptr_equal(pidfd_proc(fd), second);
	assert_int_equal(second->pgid, 200);
	assert_ptr_equal(list_first(&x->p->children, struct proc, sibling), second);
	assert_int_equal(wait_for(x, x->p, pid_query(200), &r), 0);

	second->held = true;
	ends(x, second, SIGKILL);
	third = proc_new(&x->k, 301, x->p);
	thread_new(&x->k, third, 301);
	proc_set_alias(&x->k, third, 200);
	assert_ptr_equal(proc_find(&x->k, 200), third);
	assert_null(proc_find(&x->k, 300));

	sig_send_simple(&x->k, proc_find(&x->k, 200), NULL, SIGTERM, SI_USER, 100);
	assert_true(third->doomed);
	ends(x, third, SIGTERM);
	assert_int_equal(file_poll(&x->k, fd), K_EPOLLIN | K_EPOLLRDNORM);
	assert_true(sig_deliverable(&x->k, x->t));
	assert_int_equal(wait_for(x, x->p, pid_query(200), &r), 1);
	assert_int_equal(r.pid, 200);
	assert_int_equal(r.wstatus, SIGTERM);
	assert_null(proc_find(&x->k, 200));
	assert_null(proc_find(&x->k, 301));
	assert_int_equal(file_poll(&x->k, fd), K_EPOLLIN | K_EPOLLRDNORM | K_EPOLLHUP);
	file_unref(&x->k, fd);
	assert_int_equal(wait_for(x, x->p, pid_query(200), &r), -ECHILD);
	ends(x, after, 0);
	assert_int_equal(wait_for(x, x->p, ANY, &r), 1);
	sig_flush(&x->k, &x->p->pending);
	assert_nothing_leaked(x);
}

/* The script kills a node that is down. */
static void test_kill_held(void **state)
{
	struct fixture *x = *state;
	struct proc *c = child(x, 200, x->p);
	struct wait_result r;

	c->held = true;
	ends(x, c, SIGKILL);
	sig_send_simple(&x->k, c, NULL, SIGCHLD, SI_USER, 100);
	sig_send_simple(&x->k, c, NULL, SIGSTOP, SI_USER, 100);
	assert_int_equal(wait_for(x, x->p, pid_query(200), &r), 0);
	sig_send_simple(&x->k, c, NULL, SIGTERM, SI_USER, 100);
	assert_int_equal(wait_for(x, x->p, pid_query(200), &r), 1);
	assert_int_equal(r.wstatus, SIGTERM);
}

/* ---- pidfd ---- */

static void test_pidfd(void **state)
{
	struct fixture *x = *state;
	struct proc *c = child(x, 200, x->p);
	struct file *fd = pidfd_new(&x->k, c, 0), *closed = pidfd_new(&x->k, c, 0), *late;
	struct wait_result r;
	struct probe probe;

	assert_true(file_is_pidfd(fd));
	file_unref(&x->k, closed);
	probe_on(&probe, fd);
	assert_int_equal(file_poll(&x->k, fd), 0);
	ends(x, c, 0);
	assert_int_equal(probe.woken, 1);
	assert_int_equal(file_poll(&x->k, fd), K_EPOLLIN | K_EPOLLRDNORM);
	late = pidfd_new(&x->k, c, 0);
	assert_int_equal(file_poll(&x->k, late), K_EPOLLIN | K_EPOLLRDNORM);
	assert_int_equal(wait_for(x, x->p, ANY, &r), 1);
	assert_null(pidfd_proc(fd));
	assert_null(pidfd_proc(late));
	list_del(&probe.w.link);
	file_unref(&x->k, fd);
	file_unref(&x->k, late);
	assert_nothing_leaked(x);
}

static void test_find(void **state)
{
	struct fixture *x = *state;

	thread_new(&x->k, x->p, 101);
	assert_ptr_equal(proc_find(&x->k, 100), x->p);
	assert_null(proc_find(&x->k, 101));
	assert_ptr_equal(proc_find_any(&x->k, 101), x->p);
	assert_null(proc_find(&x->k, 0));
	assert_null(proc_find(&x->k, -1));
	assert_null(proc_find_any(&x->k, -5));
	assert_true(proc_group_exists(&x->k, 100));
	assert_false(proc_group_exists(&x->k, 101));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(test_fork),
		UNIT(test_exec),
		UNIT(test_zombie),
		UNIT(test_killed),
		UNIT(test_whom),
		UNIT(test_stop_reports),
		UNIT(test_unwanted),
		UNIT(test_unwanted_wakes),
		UNIT(test_orphan_to_init),
		UNIT(test_orphan_to_subreaper),
		UNIT(test_pdeathsig),
		UNIT(test_orphaned_stopped_group),
		UNIT(test_alias),
		UNIT(test_kill_held),
		UNIT(test_pidfd),
		UNIT(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
