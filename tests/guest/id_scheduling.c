/* Priorities and policies as programs ask for them: nice, getpriority, sched_getscheduler, SCHED_BATCH, limits. */
#include "guest.h"

#include <sched.h>
#include <sys/resource.h>

int main(void)
{
	struct sched_param sp = {0};
	struct timespec t;

	errno = 0;
	int before = getpriority(PRIO_PROCESS, 0);
	CHECK_EQ(errno, 0);
	CHECK_EQ(nice(3), before + 3);
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), before + 3);
	OK(setpriority(PRIO_PROCESS, 0, before + 5));
	CHECK_EQ(getpriority(PRIO_PROCESS, getpid()), before + 5);
	CHECK_EQ(sched_getscheduler(0), SCHED_OTHER);
	OK(sched_setscheduler(0, SCHED_BATCH, &sp));
	CHECK_EQ(sched_getscheduler(0), SCHED_BATCH);
	OK(sched_getparam(0, &sp));
	CHECK_EQ(sp.sched_priority, 0);
	CHECK_EQ(sched_get_priority_max(SCHED_FIFO), 99);
	CHECK_EQ(sched_get_priority_min(SCHED_FIFO), 1);
	CHECK_EQ(sched_get_priority_max(SCHED_OTHER), 0);
	CHECK_ERR(sched_get_priority_max(77), EINVAL);
	OK(sched_rr_get_interval(0, &t));
	OK(sched_yield());
	CHECK_ERR(sched_getscheduler(99999999), ESRCH);
	CHECK_ERR(getpriority(77, 0), EINVAL);
	return guest_ok();
}
