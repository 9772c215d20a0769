/* A static program: no loader, own start-up; memory, randomness, fork, exec of itself, pipes. */
#include "guest.h"

#include <sys/auxv.h>
#include <sys/random.h>

int main(int argc, char **argv)
{
	char line[PATH_MAX], buf[16];
	int p[2];

	if (argc > 1) {
		CHECK_EQ(write(1, argv[1], 5), 5);
		return 12;
	}
	FILE *f = fopen("/proc/self/maps", "r");
	CHECK(f);
	while (fgets(line, sizeof line, f))
		CHECK(strstr(line, "/ld-") == NULL && strstr(line, "libc.so") == NULL);
	fclose(f);
	CHECK(getauxval(AT_RANDOM));
	CHECK_EQ(getrandom(buf, sizeof buf, 0), 16);
	char *big = malloc(10 << 20);
	CHECK(big);
	memset(big, 1, 10 << 20);
	free(big);
	OK(pipe(p));
	pid_t pid = OK(fork());
	if (pid == 0) {
		dup2(p[1], 1);
		execl("/proc/self/exe", "x", "again", (char *)NULL);
		_exit(127);
	}
	CHECK_EXIT(pid, 12);
	CHECK_EQ(read(p[0], buf, 16), 5);
	CHECK(memcmp(buf, "again", 5) == 0);
	return guest_ok();
}
