/* uname, gethostname, sysinfo: Linux on x86_64, one host name everywhere, repeatable numbers. */
#include "guest.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

int main(void)
{
	struct utsname u;
	char host[128], buf[128];
	struct sysinfo si;

	OK(uname(&u));
	CHECK(strcmp(u.sysname, "Linux") == 0);
	CHECK(strcmp(u.machine, "x86_64") == 0);
	CHECK(atoi(u.release) >= 3);
	OK(gethostname(host, sizeof host));
	CHECK(strcmp(host, u.nodename) == 0);
	FILE *f = fopen("/proc/sys/kernel/hostname", "r");
	CHECK(f && fgets(buf, sizeof buf, f));
	buf[strcspn(buf, "\n")] = 0;
	CHECK(strcmp(buf, host) == 0);
	fclose(f);
	f = fopen("/proc/sys/kernel/osrelease", "r");
	CHECK(f && fgets(buf, sizeof buf, f));
	buf[strcspn(buf, "\n")] = 0;
	CHECK(strcmp(buf, u.release) == 0);
	fclose(f);

	OK(sysinfo(&si));
	CHECK(si.uptime >= 0);
	CHECK(si.totalram > 0 && si.freeram <= si.totalram);
	CHECK(si.mem_unit >= 1);
	CHECK(si.procs >= 1);
	printf("%s %s, %ld s, %lu MiB, %d processes\n", host, u.release, si.uptime, si.totalram >> 20, si.procs);
	return guest_ok();
}
