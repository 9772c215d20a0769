/* /proc/self/maps: the program, the heap, the stack, a mapping made here; addresses repeat from run to run. */
#include "guest.h"

#include <sys/mman.h>

static int global;

int main(void)
{
	char line[PATH_MAX + 100], perms[8], path[PATH_MAX];
	int program = 0, heap = 0, stack = 0, mine = 0, readonly = 0;
	void *volatile block = malloc(1000);
	char *map = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(map != MAP_FAILED);
	OK(mprotect(map + 4096, 4096, PROT_READ));
	FILE *f = fopen("/proc/self/maps", "r");
	CHECK(f);
	while (fgets(line, sizeof line, f)) {
		unsigned long lo, hi;

		path[0] = 0;
		CHECK(sscanf(line, "%lx-%lx %4s %*x %*s %*u %4095[^\n]", &lo, &hi, perms, path) >= 3);
		CHECK(lo < hi);
		if ((uintptr_t)&global >= lo && (uintptr_t)&global < hi)
			program += strstr(path, "file_proc_maps") != NULL;
		if ((uintptr_t)block >= lo && (uintptr_t)block < hi)
			heap += strcmp(path, "[heap]") == 0;
		if ((uintptr_t)line >= lo && (uintptr_t)line < hi)
			stack += strcmp(path, "[stack]") == 0;
		if ((uintptr_t)map >= lo && (uintptr_t)map < hi)
			mine += strcmp(perms, "rw-p") == 0;
		if ((uintptr_t)(map + 4096) == lo)
			readonly += hi - lo == 4096 && strcmp(perms, "r--p") == 0;
	}
	fclose(f);
	CHECK_EQ(program, 1);
	CHECK_EQ(heap, 1);
	CHECK_EQ(stack, 1);
	CHECK_EQ(mine, 1);
	CHECK_EQ(readonly, 1);
	printf("%p %p %p %p\n", (void *)&global, block, (void *)map, (void *)line);
	return guest_ok();
}
