/* io_uring: programs try it and fall back to read when it is refused with ENOSYS or EPERM. */
#include "guest.h"

#include <linux/io_uring.h>
#include <sys/syscall.h>

int main(void)
{
	struct io_uring_params p = {0};
	long fd = syscall(SYS_io_uring_setup, 4, &p);

	if (fd >= 0) {
		CHECK(native());
		close((int)fd);
	} else {
		CHECK(errno == ENOSYS || errno == EPERM);
	}
	workdir();
	char buf[8];
	int f = file_with("f", "data");
	CHECK_EQ(read(f, buf, 8), 4); /* the way back */
	return guest_ok();
}
