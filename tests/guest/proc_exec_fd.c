/* fexecve: the program is named by a descriptor, which may be close-on-exec. */
#include "guest.h"

int main(int argc, char **argv)
{
	char *args[] = {"x", "again", NULL}, *env[] = {NULL};

	if (argc > 1)
		return 44;
	int self = OK(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
	pid_t pid = OK(fork());
	if (pid == 0) {
		fexecve(self, args, env);
		_exit(127);
	}
	CHECK_EXIT(pid, 44);
	return guest_ok();
}
