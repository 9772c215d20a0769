/* Failing execs and their errno; a script with an interpreter line; a text file without one. */
#include "guest.h"

static void executable(const char *name, const char *text)
{
	int fd = file_with(name, text);

	OK(fchmod(fd, 0755));
	close(fd);
}

static int run(const char *path, char *const argv[])
{
	pid_t pid = OK(fork());

	if (pid == 0) {
		char *env[] = {"A=b", NULL};

		execve(path, argv, env);
		_exit(100);
	}
	int st = wait_status(pid);
	CHECK(WIFEXITED(st));
	return WEXITSTATUS(st);
}

int main(void)
{
	char *args[] = {"x", NULL}, *sh_args[] = {"x", "one", "two", NULL};

	char *volatile bad = (char *)8;

	workdir();
	CHECK_ERR(execv("./none", args), ENOENT);
	CHECK_ERR(execv(".", args), EACCES);
	close(file_with("plain", "text"));
	CHECK_ERR(execv("./plain", args), EACCES);
	CHECK_ERR(execv("./plain/x", args), ENOTDIR);
	executable("text", "just text\n");
	CHECK_ERR(execve("./text", args, args), ENOEXEC);
	executable("empty", "");
	CHECK_ERR(execve("./empty", args, args), ENOEXEC);
	executable("noint", "#!/does/not/exist\n");
	CHECK_ERR(execve("./noint", args, args), ENOENT);
	OK(symlink("loop", "loop"));
	CHECK_ERR(execv("./loop", args), ELOOP);
	char longname[300];
	memset(longname, 'n', 299);
	longname[299] = 0;
	CHECK_ERR(execv(longname, args), ENAMETOOLONG);
	CHECK_ERR(execv(bad, args), EFAULT);

	executable("script", "#!/bin/sh -u\n"
			     "test \"$#\" = 2 && test \"$1\" = one && test \"$0\" = ./script && exit 33\nexit 1\n");
	CHECK_EQ(run("./script", sh_args), 33);
	/* The script of a script. */
	executable("outer", "#!./script x\n");
	CHECK_EQ(run("./outer", args), 1);

	/* One argument may be at most 128 KiB. */
	char *huge = malloc(200000);
	memset(huge, 'h', 199999);
	huge[199999] = 0;
	char *big[] = {"x", huge, NULL};
	CHECK_ERR(execv("/bin/true", big), E2BIG);
	CHECK_EQ(run("/bin/true", args), 0);
	return guest_ok();
}
