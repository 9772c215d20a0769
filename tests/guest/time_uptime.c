/* One idea of time everywhere: boot time, /proc/uptime, sysinfo, btime, a process's start time, file times. */
#include "guest.h"

#include <sys/sysinfo.h>

static double number_in(const char *path, const char *key)
{
	static char buf[65536];
	int fd = OK(open(path, O_RDONLY));
	size_t n = 0;
	ssize_t got;

	while ((got = OK(read(fd, buf + n, sizeof buf - 1 - n))) > 0)
		n += (size_t)got;
	buf[n] = 0;
	OK(close(fd));
	char *p = strstr(buf, key);
	CHECK(p);
	return strtod(p + strlen(key), NULL);
}

static double start_of(pid_t pid)
{
	char path[64], line[1024];

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	FILE *f = fopen(path, "r");
	CHECK(f && fgets(line, sizeof line, f));
	fclose(f);
	char *p = strrchr(line, ')') + 2;
	for (int field = 3; field < 22; field++)
		p = strchr(p, ' ') + 1;
	return strtod(p, NULL) / (double)sysconf(_SC_CLK_TCK);
}

int main(void)
{
	struct sysinfo si;

	nap_ms(1200);
	double boot = (double)clock_ns(CLOCK_BOOTTIME) / 1e9;
	CHECK(number_in("/proc/uptime", "") - boot < 0.5 && number_in("/proc/uptime", "") - boot > -0.5);
	OK(sysinfo(&si));
	CHECK((double)si.uptime - boot < 1.5 && (double)si.uptime - boot > -1.5);
	double real = (double)clock_ns(CLOCK_REALTIME) / 1e9;
	double btime = number_in("/proc/stat", "btime ");
	CHECK(real - boot - btime < 2.5 && real - boot - btime > -2.5);

	/* A child starts when it is forked, not when it is looked at. */
	double before = (double)clock_ns(CLOCK_BOOTTIME) / 1e9;
	pid_t pid = OK(fork());
	if (pid == 0)
		sleep_forever();
	double after = (double)clock_ns(CLOCK_BOOTTIME) / 1e9;
	nap_ms(300);
	double start = start_of(pid);
	CHECK(start > before - 0.05 && start < after + 0.05);
	CHECK(start_of(getpid()) < start - 1.0);
	OK(kill(pid, SIGKILL));
	CHECK_KILLED(pid, SIGKILL);

	workdir();
	struct stat st;
	OK(fstat(file_with("f", "x"), &st));
	double written = (double)st.st_mtim.tv_sec + (double)st.st_mtim.tv_nsec / 1e9;
	double now = (double)clock_ns(CLOCK_REALTIME) / 1e9;
	CHECK(written < now + 0.01 && written > now - 5);
	return guest_ok();
}
