/* /proc/self: exe, cwd, cmdline, comm, environ, status, stat, limits name this process as the guest sees it. */
#include "guest.h"

#include <sys/prctl.h>

static ssize_t slurp(const char *path, char *buf, size_t size)
{
	int fd = OK(open(path, O_RDONLY));
	size_t n = 0;
	ssize_t got;

	while (n < size - 1 && (got = OK(read(fd, buf + n, size - 1 - n))) > 0)
		n += (size_t)got;
	buf[n] = 0;
	OK(close(fd));
	return (ssize_t)n;
}

static long field(const char *status, const char *name)
{
	const char *p = strstr(status, name);

	CHECK(p);
	return strtol(p + strlen(name), NULL, 10);
}

int main(int argc, char **argv)
{
	static char buf[65536];
	char link[PATH_MAX], path[64], cwd[PATH_MAX];

	if (argc == 1) {
		execl("/proc/self/exe", "file_proc_self", "two words", "", (char *)NULL);
		CHECK(!"exec");
	}
	ssize_t n = OK(readlink("/proc/self/exe", link, sizeof link - 1));
	link[n] = 0;
	CHECK(strcmp(strrchr(link, '/'), "/file_proc_self") == 0);
	n = OK(readlink("/proc/self/cwd", link, sizeof link - 1));
	link[n] = 0;
	CHECK(getcwd(cwd, sizeof cwd) && strcmp(cwd, link) == 0);
	n = OK(readlink("/proc/self/root", link, sizeof link - 1));
	CHECK(n == 1 && link[0] == '/');
	n = OK(readlink("/proc/self", link, sizeof link - 1));
	link[n] = 0;
	CHECK_EQ(atoi(link), getpid());
	n = OK(readlink("/proc/thread-self", link, sizeof link - 1));
	link[n] = 0;
	snprintf(path, sizeof path, "%d/task/%d", getpid(), gettid());
	CHECK(strcmp(link, path) == 0);

	static const char args[] = "file_proc_self\0two words\0";
	CHECK_EQ(slurp("/proc/self/cmdline", buf, sizeof buf), (ssize_t)sizeof args);
	CHECK(memcmp(buf, args, sizeof args) == 0);
	slurp("/proc/self/comm", buf, sizeof buf);
	CHECK(strcmp(buf, "exe\n") == 0); /* the last part of the path given to exec */
	OK(prctl(PR_SET_NAME, "renamed"));
	slurp("/proc/self/comm", buf, sizeof buf);
	CHECK(strcmp(buf, "renamed\n") == 0);

	slurp("/proc/self/status", buf, sizeof buf);
	CHECK(strncmp(buf, "Name:\trenamed\n", 14) == 0);
	CHECK_EQ(field(buf, "\nPid:\t"), getpid());
	CHECK_EQ(field(buf, "\nPPid:\t"), getppid());
	CHECK_EQ(field(buf, "\nTgid:\t"), getpid());
	CHECK_EQ(field(buf, "\nUid:\t"), getuid());
	CHECK_EQ(field(buf, "\nThreads:\t"), 1);
	CHECK(field(buf, "\nVmRSS:\t") > 0);

	slurp("/proc/self/stat", buf, sizeof buf);
	int pid, ppid, pgrp, session;
	char comm[32], state;
	CHECK_EQ(sscanf(buf, "%d (%31[^)]) %c %d %d %d", &pid, comm, &state, &ppid, &pgrp, &session), 6);
	CHECK_EQ(pid, getpid());
	CHECK_EQ(ppid, getppid());
	CHECK_EQ(pgrp, getpgrp());
	CHECK_EQ(session, getsid(0));
	CHECK_EQ(state, 'R');
	CHECK(strcmp(comm, "renamed") == 0);

	slurp("/proc/self/statm", buf, sizeof buf);
	CHECK(atol(buf) > 0);
	CHECK(slurp("/proc/self/limits", buf, sizeof buf) > 0);
	CHECK(strstr(buf, "Max open files"));
	pid_t kid = OK(fork());
	if (kid == 0)
		sleep_forever();
	snprintf(path, sizeof path, "/proc/%d/status", kid);
	slurp(path, buf, sizeof buf);
	CHECK_EQ(field(buf, "\nPPid:\t"), getpid());
	OK(kill(kid, SIGKILL));
	CHECK_KILLED(kid, SIGKILL);
	CHECK_ERR(open(path, O_RDONLY), ENOENT);
	CHECK_ERR(open("/proc/99999999/status", O_RDONLY), ENOENT);
	return guest_ok();
}
