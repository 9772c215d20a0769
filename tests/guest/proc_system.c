/* system and popen: the shell's exit status, its output, its input. */
#include "guest.h"

int main(void)
{
	char line[64];

	CHECK(system(NULL) != 0);
	int st = system("exit 3");
	CHECK(WIFEXITED(st) && WEXITSTATUS(st) == 3);
	st = system("kill -9 $$");
	CHECK(WIFSIGNALED(st) && WTERMSIG(st) == SIGKILL);
	st = system("/does/not/exist 2>/dev/null");
	CHECK_EQ(WEXITSTATUS(st), 127);

	FILE *f = popen("echo one; echo two", "r");
	CHECK(f);
	CHECK(fgets(line, sizeof line, f) && strcmp(line, "one\n") == 0);
	CHECK(fgets(line, sizeof line, f) && strcmp(line, "two\n") == 0);
	CHECK(!fgets(line, sizeof line, f));
	CHECK_EQ(pclose(f), 0);

	f = popen("read a; test \"$a\" = word && exit 6", "w");
	fputs("word\n", f);
	st = pclose(f);
	CHECK_EQ(WEXITSTATUS(st), 6);

	f = popen("echo a b c | tr a-z A-Z | sort | wc -c", "r");
	CHECK(fgets(line, sizeof line, f) && atoi(line) == 6);
	CHECK_EQ(pclose(f), 0);
	return guest_ok();
}
