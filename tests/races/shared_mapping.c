/* Two processes that count in one shared mapping. */
#include "race.h"

#include <sys/mman.h>
#include <sys/wait.h>

static struct {
	volatile int plain;
	atomic_int whole;
} *shared;

static void add(void)
{
	for (int i = 0; i < 1000; i++) {
		if (fixed)
			shared->whole++;
		else
			shared->plain++;
	}
}

int main(void)
{
	pid_t child;

	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	child = fork();
	add();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	return show((fixed ? shared->whole : shared->plain) != 2000, "an increment was lost");
}
