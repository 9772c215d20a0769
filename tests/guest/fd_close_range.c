/* close_range: a range, CLOSE_RANGE_CLOEXEC, EINVAL; closefrom. */
#include "guest.h"

#include <linux/close_range.h>

int main(void)
{
	closefrom(3); /* whatever was inherited */
	for (int i = 10; i < 20; i++)
		CHECK_EQ(dup2(1, i), i);
	OK(close_range(12, 14, 0));
	OK(fcntl(11, F_GETFD));
	for (int i = 12; i <= 14; i++)
		CHECK_ERR(fcntl(i, F_GETFD), EBADF);
	OK(fcntl(15, F_GETFD));
	OK(close_range(16, 17, CLOSE_RANGE_CLOEXEC));
	CHECK_EQ(fcntl(16, F_GETFD), FD_CLOEXEC);
	CHECK_EQ(fcntl(15, F_GETFD), 0);
	CHECK_ERR(close_range(5, 4, 0), EINVAL);
	CHECK_ERR(close_range(5, 6, 0x80), EINVAL);
	OK(close_range(100, ~0u, 0));
	closefrom(15);
	CHECK_ERR(fcntl(15, F_GETFD), EBADF);
	CHECK_ERR(fcntl(19, F_GETFD), EBADF);
	OK(fcntl(11, F_GETFD));
	return guest_ok();
}
