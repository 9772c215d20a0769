/* Servers overwrite argv to show a title: /proc/self/cmdline follows, also seen from another process. */
#include "guest.h"

static size_t cmdline(pid_t pid, char *buf, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
	int fd = OK(open(path, O_RDONLY));
	ssize_t n = OK(read(fd, buf, size));
	OK(close(fd));
	return (size_t)n;
}

int main(int argc, char **argv)
{
	char buf[256];
	int p[2];

	if (argc == 1)
		execl("/proc/self/exe", "original-title", "with", "arguments", (char *)NULL);
	CHECK_EQ(argc, 3);
	CHECK_EQ(cmdline(getpid(), buf, sizeof buf), 30);
	CHECK(memcmp(buf, "original-title\0with\0arguments\0", 30) == 0);
	OK(pipe(p));
	pid_t pid = OK(fork());
	if (pid == 0) {
		memset(argv[0], 0, 30);
		strcpy(argv[0], "server: ready");
		tell(p[1]);
		sleep_forever();
	}
	await(p[0]);
	cmdline(pid, buf, sizeof buf);
	CHECK(strcmp(buf, "server: ready") == 0);
	OK(kill(pid, SIGKILL));
	CHECK_KILLED(pid, SIGKILL);
	return guest_ok();
}
