/* sched_setattr, sched_getattr, sched_setparam, ioprio: set and read back. */
#include "guest.h"

#include <sched.h>
#include <sys/syscall.h>

struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

int main(void)
{
	struct attr a = {0};
	struct sched_param sp = {0};

	OK(syscall(SYS_sched_getattr, 0, &a, sizeof a, 0));
	CHECK_EQ(a.policy, SCHED_OTHER);
	CHECK(a.size >= sizeof a);
	int nice_before = a.nice;
	a = (struct attr){.size = sizeof a, .policy = SCHED_BATCH, .nice = nice_before + 2};
	OK(syscall(SYS_sched_setattr, 0, &a, 0));
	OK(syscall(SYS_sched_getattr, 0, &a, sizeof a, 0));
	CHECK_EQ(a.policy, SCHED_BATCH);
	CHECK_EQ(a.nice, nice_before + 2);
	OK(sched_setparam(0, &sp));
	sp.sched_priority = 5;
	CHECK_ERR(sched_setparam(0, &sp), EINVAL);
	CHECK_ERR(syscall(SYS_sched_setattr, 0, NULL, 0), EINVAL);

	OK(syscall(SYS_ioprio_set, 1 /* a process */, 0, 2 << 13 | 6 /* best effort, 6 */));
	CHECK_EQ(syscall(SYS_ioprio_get, 1, 0), 2 << 13 | 6);
	CHECK_ERR(syscall(SYS_ioprio_set, 1, 0, 7 << 13), EINVAL);
	return guest_ok();
}
