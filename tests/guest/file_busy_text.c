/* A program that runs cannot be opened for writing; one that is open for writing cannot be run: ETXTBSY. */
#include "guest.h"

#include <sys/sendfile.h>

int main(int argc, char **argv)
{
	if (argc > 1) {
		pause();
		return 0;
	}
	workdir();
	int self = OK(open("/proc/self/exe", O_RDONLY));
	struct stat st;
	OK(fstat(self, &st));
	int copy = OK(open("copy", O_RDWR | O_CREAT, 0755));
	for (off_t off = 0; off < st.st_size;)
		OK(sendfile(copy, self, &off, (size_t)st.st_size));
	char *args[] = {"copy", "x", NULL}, *env[] = {NULL};
	CHECK_ERR(execve("./copy", args, env), ETXTBSY);
	OK(close(copy));

	pid_t pid = vfork();
	if (pid == 0) {
		execve("./copy", args, env);
		_exit(127);
	}
	CHECK_ERR(open("copy", O_WRONLY), ETXTBSY);
	CHECK_ERR(open("copy", O_RDWR | O_TRUNC), ETXTBSY);
	CHECK_ERR(truncate("copy", 0), ETXTBSY);
	close(OK(open("copy", O_RDONLY)));
	OK(rename("copy", "other")); /* its name may change, and the file may be replaced */
	close(file_with("copy", "new"));
	OK(kill(pid, SIGKILL));
	CHECK_KILLED(pid, SIGKILL);
	close(OK(open("other", O_WRONLY)));
	return guest_ok();
}
