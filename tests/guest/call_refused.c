/* Calls that are not for ordinary programs fail with an errno, and the program goes on. */
#include "guest.h"

#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/swap.h>
#include <sys/syscall.h>

int main(void)
{
	CHECK_EQ(syscall(SYS_bpf, 9999, NULL, 0), -1);
	CHECK_EQ(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0), -1);
	CHECK_EQ(ptrace(9999, 0, NULL, NULL), -1);
	CHECK_EQ(mount("none", "/does/not/exist", "tmpfs", 0, NULL), -1);
	CHECK_EQ(umount("/does/not/exist"), -1);
	CHECK_EQ(swapoff("/does/not/exist"), -1);
	CHECK_EQ(syscall(SYS_init_module, NULL, 0, ""), -1);
	CHECK_EQ(syscall(SYS_kexec_load, 0, 99999, NULL, 0), -1);
	CHECK_EQ(syscall(SYS_userfaultfd, 0xffff), -1);
	CHECK_EQ(syscall(SYS_seccomp, 9999, 0, NULL), -1);
	CHECK_EQ(syscall(SYS_quotactl, 9999, NULL, 0, NULL), -1);
	CHECK_EQ(syscall(SYS_acct, "/does/not/exist"), -1);
	CHECK_EQ(syscall(SYS_reboot, 0, 0, 0, NULL), -1);
	CHECK_EQ(syscall(SYS_open_by_handle_at, -1, NULL, 0), -1);
	CHECK_EQ(syscall(SYS_add_key, "no-such-type", "x", "y", 1, 0), -1);
	return guest_ok();
}
