/*
 * The environment: setenv, unsetenv, putenv, clearenv; /proc/self/environ shows the one of exec; PATH and HOME are
 * set.
 */
#include "guest.h"

extern char **environ;

int main(int argc, char **argv)
{
	static char own[] = "PUT=here";
	char buf[16384];

	if (argc == 1) {
		CHECK(getenv("PATH"));
		OK(setenv("ADDED", "value", 1));
		OK(setenv("ADDED", "other", 0));
		CHECK(strcmp(getenv("ADDED"), "value") == 0);
		OK(putenv(own));
		own[4] = 'H';
		CHECK(strcmp(getenv("PUT"), "Here") == 0);
		OK(unsetenv("PUT"));
		CHECK(getenv("PUT") == NULL);
		CHECK_ERR(setenv("A=B", "x", 1), EINVAL);
		OK(clearenv());
		OK(setenv("ADDED", "value", 1));
		OK(setenv("TWO", "2", 1));
		execv("/proc/self/exe", (char *[]){"x", "again", NULL});
		CHECK(!"exec");
	}
	CHECK(strcmp(environ[0], "ADDED=value") == 0 && strcmp(environ[1], "TWO=2") == 0 && !environ[2]);
	OK(setenv("LATER", "1", 1));
	int fd = OK(open("/proc/self/environ", O_RDONLY));
	CHECK_EQ(read(fd, buf, sizeof buf), 18);
	CHECK(memcmp(buf, "ADDED=value\0TWO=2\0", 18) == 0);
	return guest_ok();
}
