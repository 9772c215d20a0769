/* Policies, priorities, nice values: kept, checked, inherited, shown. */
#include "guest.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>

struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static void nice_is_5(void *arg)
{
	errno = 0;
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), 5);
	CHECK_EQ(errno, 0);
}

int main(void)
{
	struct sched_param p = {0};
	struct timespec t;
	struct attr a;

	CHECK_EQ(sched_getscheduler(0), SCHED_OTHER);
	OK(sched_getparam(0, &p));
	CHECK_EQ(p.sched_priority, 0);
	CHECK_ERR(sched_getscheduler(-1), EINVAL);
	CHECK_ERR(sched_getscheduler(999999), ESRCH);
	CHECK_EQ(sched_get_priority_max(SCHED_FIFO), 99);
	CHECK_EQ(sched_get_priority_min(SCHED_RR), 1);
	CHECK_EQ(sched_get_priority_max(SCHED_OTHER), 0);
	CHECK_ERR(sched_get_priority_max(42), EINVAL);
	p.sched_priority = 1;
	CHECK_ERR(sched_setscheduler(0, SCHED_OTHER, &p), EINVAL);
	p.sched_priority = 0;
	CHECK_ERR(sched_setscheduler(0, SCHED_FIFO, &p), EINVAL);
	OK(sched_setscheduler(0, SCHED_BATCH, &p));
	CHECK_EQ(sched_getscheduler(0), SCHED_BATCH);
	OK(sched_setscheduler(0, SCHED_OTHER, &p));
	OK(sched_rr_get_interval(0, &t));
	CHECK_EQ(t.tv_sec, 0);

	OK(setpriority(PRIO_PROCESS, 0, 5));
	nice_is_5(NULL);
	CHECK_EXIT(child(nice_is_5, NULL), 0);
	OK(syscall(SYS_sched_getattr, 0, &a, sizeof a, 0));
	CHECK_EQ(a.nice, 5);
	CHECK_EQ(a.size, sizeof a);
	CHECK_ERR(syscall(SYS_sched_getattr, 0, &a, 8, 0), EINVAL);
	OK(setpriority(PRIO_PROCESS, 0, 100));
	CHECK_EQ(getpriority(PRIO_PROCESS, 0), 19);
	CHECK_ERR(setpriority(7, 0, 0), EINVAL);
	CHECK_ERR(getpriority(PRIO_PROCESS, 999999), ESRCH);
	return guest_ok();
}
