/* AT_RANDOM: 16 bytes, other ones at each exec, the same ones in a forked child. */
#include "guest.h"

#include <sys/auxv.h>

static void print_bytes(void)
{
	unsigned char *p = (unsigned char *)getauxval(AT_RANDOM);

	for (int i = 0; i < 16; i++)
		printf("%02x", p[i]);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char got[3][64] = {{0}};

	if (argc > 1) {
		print_bytes();
		return 0;
	}
	for (int i = 0; i < 3; i++) {
		int p[2];

		OK(pipe(p));
		pid_t pid = OK(fork());
		if (pid == 0) {
			dup2(p[1], 1);
			if (i == 2) {
				print_bytes();
				_exit(0);
			}
			execl("/proc/self/exe", "again", "print", (char *)NULL);
			_exit(127);
		}
		close(p[1]);
		CHECK_EQ(read(p[0], got[i], 63), 32);
		CHECK_EXIT(pid, 0);
		close(p[0]);
	}
	CHECK(strcmp(got[0], got[1]) != 0);
	CHECK(strcmp(got[0], got[2]) != 0);

	char own[64];
	unsigned char *r = (unsigned char *)getauxval(AT_RANDOM);
	CHECK(r);
	for (int i = 0; i < 16; i++)
		snprintf(own + 2 * i, 3, "%02x", r[i]);
	CHECK(strcmp(got[2], own) == 0);
	CHECK(strcmp(got[0], "00000000000000000000000000000000") != 0);
	printf("%s\n%s\n", got[0], got[1]);
	return guest_ok();
}
