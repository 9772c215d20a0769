/* The loopback interface is there: getifaddrs, if_nametoindex, SIOCGIFCONF and SIOCGIFADDR. */
#include "sock.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/ioctl.h>

int main(void)
{
	struct ifaddrs *list;
	int found = 0;

	OK(getifaddrs(&list));
	for (struct ifaddrs *i = list; i; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || strcmp(i->ifa_name, "lo") != 0)
			continue;
		CHECK(i->ifa_flags & IFF_LOOPBACK);
		CHECK(i->ifa_flags & IFF_UP);
		found += ((struct sockaddr_in *)i->ifa_addr)->sin_addr.s_addr == htonl(INADDR_LOOPBACK);
	}
	CHECK_EQ(found, 1);
	freeifaddrs(list);

	CHECK(if_nametoindex("lo") > 0);
	int s = OK(socket(AF_INET, SOCK_DGRAM, 0));
	struct ifreq r = {.ifr_name = "lo"};
	OK(ioctl(s, SIOCGIFADDR, &r));
	CHECK_EQ(((struct sockaddr_in *)&r.ifr_addr)->sin_addr.s_addr, htonl(INADDR_LOOPBACK));
	strcpy(r.ifr_name, "nosuch0");
	CHECK_ERR(ioctl(s, SIOCGIFADDR, &r), ENODEV);
	return guest_ok();
}
