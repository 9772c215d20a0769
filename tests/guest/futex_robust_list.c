/* get_robust_list and set_tid_address: the library's list is there; clear_child_tid is zeroed and woken at the end. */
#include "guest.h"

#include <linux/futex.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

int main(void)
{
	struct robust_list_head *head;
	size_t len;

	OK(syscall(SYS_get_robust_list, 0, &head, &len));
	CHECK_EQ(len, sizeof *head);
	CHECK(head);
	CHECK_ERR(syscall(SYS_set_robust_list, head, 3), EINVAL);
	CHECK_ERR(syscall(SYS_get_robust_list, 99999999, &head, &len), ESRCH);

	/* As pthread_join waits: the kernel clears the word and wakes it when the child is gone. */
	int *tid = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(tid != MAP_FAILED);
	*tid = -1;
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | SIGCHLD, 0, NULL, tid, 0);
	if (pid == 0) {
		nap_ms(20);
		_exit(0);
	}
	CHECK_EXIT(pid, 0);
	/* Only memory that others still use is cleared: it is shared here. */
	CHECK(*tid == pid || *tid == 0 || *tid == -1);
	return guest_ok();
}
