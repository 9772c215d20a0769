/* The affinity mask: shown, narrowed, inherited; getcpu keeps to it. */
#include "guest.h"

#include <sched.h>
#include <sys/syscall.h>

static int lowest(const cpu_set_t *s)
{
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, s))
			return i;
	return -1;
}

static cpu_set_t one;

static void inherited(void *arg)
{
	cpu_set_t s;

	OK(sched_getaffinity(0, sizeof s, &s));
	CHECK(CPU_EQUAL(&s, &one));
}

int main(void)
{
	cpu_set_t all, none;
	int last = 0;

	OK(sched_getaffinity(0, sizeof all, &all));
	CHECK_EQ(CPU_COUNT(&all), sysconf(_SC_NPROCESSORS_ONLN));
	CHECK_ERR(syscall(SYS_sched_getaffinity, 0, 7, &all), EINVAL);
	CHECK_ERR(sched_getaffinity(999999, sizeof all, &all), ESRCH);
	CPU_ZERO(&none);
	CHECK_ERR(sched_setaffinity(0, sizeof none, &none), EINVAL);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &all))
			last = i;
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	OK(sched_setaffinity(0, sizeof one, &one));
	inherited(NULL);
	CHECK_EXIT(child(inherited, NULL), 0);
	CHECK_EQ(sched_getcpu(), lowest(&one));
	unsigned cpu, node;
	OK(syscall(SYS_getcpu, &cpu, &node, NULL));
	CHECK_EQ((int)cpu, lowest(&one));
	return guest_ok();
}
