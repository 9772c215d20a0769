/* uname, sysinfo, gethostname: present and consistent. */
#include "guest.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

int main(void)
{
	struct utsname u;
	struct sysinfo si, later;
	char host[65];

	OK(uname(&u));
	CHECK_EQ(strcmp(u.sysname, "Linux"), 0);
	CHECK_EQ(strcmp(u.machine, "x86_64"), 0);
	CHECK(u.release[0] >= '5' && u.nodename[0]);
	OK(gethostname(host, sizeof host));
	CHECK_EQ(strcmp(host, u.nodename), 0);
	CHECK_ERR(uname((struct utsname *)8), EFAULT);

	OK(sysinfo(&si));
	CHECK(si.totalram * si.mem_unit >= 64u << 20 && si.freeram <= si.totalram);
	CHECK(si.procs > 0 && si.uptime > 0);
	CHECK_EQ(sysconf(_SC_PAGESIZE), 4096);
	CHECK(sysconf(_SC_NPROCESSORS_ONLN) > 0);
	CHECK_EQ(sysconf(_SC_CLK_TCK), 100);
	nap_ms(2000);
	OK(sysinfo(&later));
	CHECK(later.uptime >= si.uptime + 1);
	if (!native())
		printf("%s %s %s, %lu MiB, up %ld s\n", u.nodename, u.release, u.version, si.totalram * si.mem_unit >> 20, si.uptime);
	return guest_ok();
}
