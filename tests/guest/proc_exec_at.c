/* execveat: relative to a directory, without following links. */
#include "guest.h"

#include <sys/syscall.h>

int main(int argc, char **argv)
{
	char *args[] = {"x", "again", NULL}, *env[] = {NULL};

	if (argc > 1)
		return 44;
	workdir();
	OK(symlink("/proc/self/exe", "link"));
	int dir = OK(open(".", O_RDONLY | O_DIRECTORY));
	CHECK_ERR(syscall(SYS_execveat, dir, "link", args, env, AT_SYMLINK_NOFOLLOW), ELOOP);
	CHECK_ERR(syscall(SYS_execveat, dir, "none", args, env, 0), ENOENT);
	CHECK_ERR(syscall(SYS_execveat, 999, "none", args, env, 0), EBADF);
	OK(chdir("/"));
	pid_t pid = OK(fork());
	if (pid == 0) {
		syscall(SYS_execveat, dir, "link", args, env, 0);
		_exit(127);
	}
	CHECK_EXIT(pid, 44);
	return guest_ok();
}
