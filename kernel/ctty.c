/* Controlling terminals: who has one, the foreground group, job control, hanging up. After drivers/tty/tty_jobctrl.c. */
#include "kernel/tty.h"

static struct proc *current(const struct kern *k)
{
	return k->current ? k->current->proc : NULL;
}

/* The driver's session is led by whoever started it. */
static bool leads_session(const struct proc *p)
{
	return p->sid == p->pid && !p->outside_parent;
}

void tty_signal_group(struct kern *k, int pgrp, int sig)
{
	if (!pgrp)
		return;
	list_each_safe(p, tmp, &k->proc_list, struct proc, in_kern)
		if (p->pgid == pgrp && !p->zombie)
			sig_send_simple(k, p, NULL, sig, SI_KERNEL, 0);
}

void tty_session_cleared(struct kern *k, int sid)
{
	list_each(p, &k->proc_list, struct proc, in_kern)
		if (p->sid == sid)
			p->ctty = NULL;
}

/* ---- job control ---- */

static bool indifferent(const struct kern *k, int sig)
{
	const struct thread *t = k->current;

	return (t->sigmask & K_SIGBIT(sig)) || t->proc->sighand->act[sig].handler == 1;
}

int tty_job_check(struct kern *k, struct tty *t, int sig)
{
	struct proc *p = current(k);

	if (!p || p->ctty != t || !t->pgrp || p->pgid == t->pgrp)
		return 0;
	if (indifferent(k, sig))
		return sig == SIGTTIN ? -EIO : 0;
	if (proc_group_orphaned(k, p->pgid, NULL))
		return -EIO;
	tty_signal_group(k, p->pgid, sig);
	return -K_ERESTARTSYS;
}

int tty_set_group(struct kern *k, struct tty *t, int pgrp)
{
	struct proc *p = current(k), *member = NULL;

	if (p->ctty != t || t->sid != p->sid)
		return -ENOTTY;
	if (pgrp < 0)
		return -EINVAL;
	list_each(q, &k->proc_list, struct proc, in_kern)
		if (!member && q->pgid == pgrp)
			member = q;
	if (!member)
		member = proc_find(k, pgrp);
	if (!member)
		return -ESRCH;
	if (member->sid != p->sid)
		return -EPERM;
	t->pgrp = pgrp;
	return 0;
}

static bool answers(const struct kern *k, const struct file *f)
{
	return tty_is_master(f) || current(k)->ctty == tty_of(f);
}

int tty_get_group(struct kern *k, const struct file *f)
{
	return answers(k, f) ? tty_of(f)->pgrp : -ENOTTY;
}

int tty_get_session(struct kern *k, const struct file *f)
{
	return answers(k, f) && tty_of(f)->sid ? tty_of(f)->sid : -ENOTTY;
}

/* ---- becoming and giving up ---- */

static void make_controlling(struct tty *t, struct proc *p)
{
	t->sid = p->sid;
	t->pgrp = p->pgid;
	p->ctty = t;
	p->tty_old_pgrp = 0;
}

void tty_opened(struct kern *k, struct tty *t)
{
	struct proc *p = current(k);

	if (p && leads_session(p) && !p->ctty && !t->sid)
		make_controlling(t, p);
}

int tty_set_controlling(struct kern *k, struct tty *t, bool readable, bool steal)
{
	struct proc *p = current(k);
	bool root = p->euid == 0; /* CAP_SYS_ADMIN */

	if (leads_session(p) && t->sid == p->sid)
		return 0;
	if (!leads_session(p) || p->ctty)
		return -EPERM;
	if (t->sid && !(steal && root))
		return -EPERM;
	if (!readable && !root)
		return -EPERM;
	if (t->sid)
		tty_session_cleared(k, t->sid);
	make_controlling(t, p);
	return 0;
}

static void leave_session(struct kern *k, struct proc *p)
{
	struct tty *t = p->ctty;

	p->tty_old_pgrp = 0;
	if (t)
		t->sid = t->pgrp = 0;
	tty_session_cleared(k, p->sid);
}

int tty_give_up(struct kern *k, struct tty *t)
{
	struct proc *p = current(k);
	int pgrp = t->pgrp;

	if (p->ctty != t)
		return -ENOTTY;
	if (leads_session(p)) {
		tty_signal_group(k, pgrp, SIGHUP);
		tty_signal_group(k, pgrp, SIGCONT);
		leave_session(k, p);
	}
	p->ctty = NULL;
	return 0;
}

void tty_session_leader_ended(struct kern *k, struct proc *p)
{
	int old = p->tty_old_pgrp;

	if (!leads_session(p))
		return;
	if (p->ctty) {
		tty_signal_group(k, p->ctty->pgrp, SIGHUP);
		leave_session(k, p);
	} else if (old) {
		p->tty_old_pgrp = 0;
		tty_signal_group(k, old, SIGHUP);
		tty_signal_group(k, old, SIGCONT);
	}
}

void tty_hangup(struct kern *k, struct tty *t)
{
	int sid = t->sid, pgrp = t->pgrp;

	if (!sid)
		return;
	list_each(p, &k->proc_list, struct proc, in_kern) {
		if (p->sid != sid)
			continue;
		if (p->ctty == t)
			p->ctty = NULL;
		if (!leads_session(p) || p->zombie)
			continue;
		p->tty_old_pgrp = pgrp;
		sig_send_simple(k, p, NULL, SIGHUP, SI_KERNEL, 0);
		sig_send_simple(k, p, NULL, SIGCONT, SI_KERNEL, 0);
	}
	t->sid = t->pgrp = 0;
}
