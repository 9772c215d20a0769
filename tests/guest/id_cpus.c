/* The number of CPUs is the same by every way to ask; affinity can be set and is inherited; getcpu is among them. */
#include "guest.h"

#include <sched.h>
#include <sys/sysinfo.h>

int main(void)
{
	cpu_set_t set, one, got;
	unsigned cpu, node;
	int first = -1;

	OK(sched_getaffinity(0, sizeof set, &set));
	int n = CPU_COUNT(&set);
	CHECK(n >= 1);
	CHECK_EQ(get_nprocs_conf(), sysconf(_SC_NPROCESSORS_CONF));
	CHECK_EQ(get_nprocs(), sysconf(_SC_NPROCESSORS_ONLN));
	CHECK(n <= get_nprocs());
	for (int i = 0; i < CPU_SETSIZE && first < 0; i++)
		if (CPU_ISSET(i, &set))
			first = i;
	OK(getcpu(&cpu, &node));
	CHECK(cpu < (unsigned)get_nprocs_conf());
	CHECK(sched_getcpu() >= 0);

	CPU_ZERO(&one);
	CPU_SET(first, &one);
	OK(sched_setaffinity(0, sizeof one, &one));
	OK(sched_getaffinity(0, sizeof got, &got));
	CHECK(CPU_EQUAL(&one, &got));
	CHECK_EQ(sched_getcpu(), first);
	pid_t pid = OK(fork());
	if (pid == 0) {
		OK(sched_getaffinity(0, sizeof got, &got));
		CHECK(CPU_EQUAL(&one, &got));
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	CPU_ZERO(&one);
	CHECK_ERR(sched_setaffinity(0, sizeof one, &one), EINVAL);
	OK(sched_setaffinity(0, sizeof set, &set));
	CHECK_ERR(sched_getaffinity(99999999, sizeof got, &got), ESRCH);
	printf("%d cpus\n", n);
	return guest_ok();
}
