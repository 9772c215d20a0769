/* Files that every system has: /etc/passwd through getpwnam, /proc/cpuinfo, meminfo, uptime, loadavg, version, stat. */
#include "guest.h"

#include <pwd.h>

static long first_number(const char *path)
{
	char buf[4096];
	int fd = OK(open(path, O_RDONLY));
	ssize_t n = OK(read(fd, buf, sizeof buf - 1));

	CHECK(n > 0);
	buf[n] = 0;
	OK(close(fd));
	return strtol(buf + strcspn(buf, "0123456789"), NULL, 10);
}

int main(void)
{
	struct passwd *pw = getpwnam("root");

	CHECK(pw && pw->pw_uid == 0);
	CHECK(getpwuid(0));
	CHECK(getpwnam("no-such-user-here") == NULL);
	CHECK(first_number("/proc/meminfo") > 1000);
	CHECK(first_number("/proc/uptime") >= 0);
	CHECK(first_number("/proc/loadavg") >= 0);
	CHECK(first_number("/proc/version") >= 2);
	CHECK(first_number("/proc/stat") >= 0);
	CHECK(first_number("/proc/sys/kernel/pid_max") >= 1000);
	CHECK(first_number("/proc/sys/net/core/somaxconn") >= 1);
	CHECK(first_number("/proc/sys/vm/overcommit_memory") >= 0);

	char line[4096];
	long cpus = 0;
	FILE *f = fopen("/proc/cpuinfo", "r");
	CHECK(f);
	while (fgets(line, sizeof line, f))
		cpus += strncmp(line, "processor", 9) == 0;
	fclose(f);
	CHECK_EQ(cpus, sysconf(_SC_NPROCESSORS_CONF));
	printf("%ld cpus, uptime %ld, memory %ld, load %ld\n", cpus, first_number("/proc/uptime"),
	       first_number("/proc/meminfo"), first_number("/proc/loadavg"));
	return guest_ok();
}
