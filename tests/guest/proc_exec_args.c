/* exec passes argv and the environment as given: empty strings, no variable, long ones. */
#include "guest.h"

extern char **environ;

static int second(int argc, char **argv)
{
	CHECK_EQ(argc, 5);
	CHECK(strcmp(argv[1], "second") == 0);
	CHECK(strcmp(argv[2], "") == 0);
	CHECK(strcmp(argv[3], "two words\nand a line") == 0);
	CHECK_EQ(strlen(argv[4]), 50000);
	CHECK(argv[5] == NULL);
	CHECK(strcmp(getenv("ONE"), "1") == 0);
	CHECK(strcmp(getenv("EMPTY"), "") == 0);
	CHECK(getenv("PATH") == NULL);
	CHECK(environ[2] == NULL);
	return 17;
}

static int empty(int argc, char **argv)
{
	CHECK(environ[0] == NULL);
	CHECK(strcmp(argv[0], "arbitrary name") == 0);
	return 18;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "second") == 0)
		return second(argc, argv);
	if (argc > 1)
		return empty(argc, argv);

	char *big = malloc(50001);
	memset(big, 'x', 50000);
	big[50000] = 0;
	char *args[] = {"name", "second", "", "two words\nand a line", big, NULL};
	char *env[] = {"ONE=1", "EMPTY=", NULL}, *none[] = {NULL}, *args2[] = {"arbitrary name", "x", NULL};
	pid_t pid = OK(fork());
	if (pid == 0) {
		execve("/proc/self/exe", args, env);
		_exit(127);
	}
	CHECK_EXIT(pid, 17);
	pid = OK(fork());
	if (pid == 0) {
		execve("/proc/self/exe", args2, none);
		_exit(127);
	}
	CHECK_EXIT(pid, 18);
	return guest_ok();
}
