/* What a parent learns of its children: wait4(2), waitid(2). */
#include "kernel/task.h"

#include "base/err.h"

/* eligible_child() in kernel/exit.c. */
static bool eligible(const struct proc *c, const struct wait_query *q)
{
	switch (q->kind) {
	case WAIT_FOR_ANY:
		break;
	case WAIT_FOR_PID:
		if (q->id != proc_seen_pid(c) && q->id != c->pid)
			return false;
		break;
	case WAIT_FOR_GROUP:
		if (q->id != c->pgid)
			return false;
		break;
	}
	return q->all || (c->exit_signal != SIGCHLD) == q->only_clone;
}

static void identify(const struct proc *c, struct wait_result *r)
{
	r->pid = proc_seen_pid(c);
	r->uid = c->uid;
	r->cpu_ns = c->cpu_ns + c->child_cpu_ns;
}

static void report_exit(const struct proc *c, struct wait_result *r)
{
	identify(c, r);
	r->wstatus = c->exit_status;
	if (c->exit_status & 0x7f) {
		r->code = c->exit_status & 0x80 ? CLD_DUMPED : CLD_KILLED;
		r->status = c->exit_status & 0x7f;
	} else {
		r->code = CLD_EXITED;
		r->status = c->exit_status >> 8 & 0xff;
	}
}

static bool report_job(struct proc *c, const struct wait_query *q, struct wait_result *r)
{
	if (c->stop_report == 0xffff && q->continued) {
		r->code = CLD_CONTINUED;
		r->status = SIGCONT;
		r->wstatus = 0xffff;
	} else if (c->stop_report && c->stop_report != 0xffff && q->stopped) {
		r->code = CLD_STOPPED;
		r->status = c->stop_report;
		r->wstatus = c->stop_report << 8 | 0x7f;
	} else {
		return false;
	}
	identify(c, r);
	if (!q->nowait)
		c->stop_report = 0;
	return true;
}

int proc_wait(struct kern *k, struct proc *p, const struct wait_query *q, struct wait_result *r)
{
	bool any = false;

	list_each(c, &p->children, struct proc, sibling) {
		if (!eligible(c, q))
			continue;
		any = true;
		if (c->held)
			continue;
		if (!c->zombie) {
			if (report_job(c, q, r))
				return 1;
		} else if (q->exited) {
			report_exit(c, r);
			if (!q->nowait)
				proc_reap(k, c);
			return 1;
		}
	}
	return any ? 0 : -ECHILD;
}
