#include "tracer/siginfo.h"

#include <string.h>

/* Fields by siginfo_layout() in kernel/signal.c; what the layout does not have stays zero. */
void siginfo_make(siginfo_t *si, const struct sigitem *it)
{
	memset(si, 0, sizeof *si);
	si->si_signo = it->sig;
	si->si_code = it->code;
	if (it->code == SI_TIMER) {
		si->si_timerid = it->pid;
		si->si_overrun = (int)it->uid;
		si->si_value.sival_ptr = (void *)it->value; /* NOLINT: a guest's value */
		return;
	}
	si->si_pid = it->pid;
	si->si_uid = it->uid;
	if (it->sig == SIGCHLD && it->code > 0)
		si->si_status = it->status;
	else if (it->code < 0 && it->code != SI_TKILL)
		si->si_value.sival_ptr = (void *)it->value; /* NOLINT */
}

void siginfo_parse(struct sigitem *it, int sig, const siginfo_t *si)
{
	*it = (struct sigitem){.sig = sig,
			       .code = si->si_code,
			       .pid = si->si_pid,
			       .uid = si->si_uid,
			       .value = (int64_t)si->si_value.sival_ptr};
}
