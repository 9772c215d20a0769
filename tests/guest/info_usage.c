/* CPU time of others: clock_getcpuclockid, pthread_getcpuclockid, and what children leave to their parent. */
#include "guest.h"

#include <sys/resource.h>
#include <sys/times.h>

static void work(void *arg)
{
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < 50 * NS_PER_MS)
		getppid();
	if (arg)
		await(*(int *)arg);
}

static void *idle(void *arg)
{
	await(*(int *)arg);
	return NULL;
}

int main(void)
{
	struct rusage ru;
	struct tms tm;
	clockid_t id;
	int p[2], q[2];
	pid_t pid;
	pthread_t t;

	OK(pipe(p));
	OK(pipe(q));
	pid = child(work, &p[0]);
	PT(clock_getcpuclockid(pid, &id));
	while (clock_ns(id) < 50 * NS_PER_MS)
		nap_ms(1);
	OK(getrusage(RUSAGE_CHILDREN, &ru));
	CHECK(ru.ru_utime.tv_sec == 0 && ru.ru_utime.tv_usec + ru.ru_stime.tv_usec < 50000);
	tell(p[1]);
	CHECK_EXIT(pid, 0);
	OK(getrusage(RUSAGE_CHILDREN, &ru));
	CHECK(ru.ru_utime.tv_sec * 1000000 + ru.ru_utime.tv_usec + ru.ru_stime.tv_sec * 1000000 + ru.ru_stime.tv_usec >= 49000);
	OK(times(&tm));
	CHECK(tm.tms_cutime + tm.tms_cstime >= 3);
	CHECK_ERR(clock_gettime(id, &(struct timespec){0}), EINVAL);
	PT_ERR(clock_getcpuclockid(999999, &id), ESRCH);

	t = thread(idle, &q[0]);
	PT(pthread_getcpuclockid(t, &id));
	CHECK(clock_ns(id) < 50 * NS_PER_MS);
	tell(q[1]);
	join(t);
	return guest_ok();
}
