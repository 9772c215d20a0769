/* Threads open, map and close a program's file at the same time: each close succeeds, each mapping is the file's. */
#include "guest.h"

#include <sys/mman.h>

static const char *self;

static void *work(void *arg)
{
	for (int i = 0; i < 20; i++) {
		int fd = OK(open(self, O_RDONLY));
		char *p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
		CHECK(p != MAP_FAILED && memcmp(p, "\177ELF", 4) == 0);
		char magic[4];
		CHECK_EQ(read(fd, magic, 4), 4);
		CHECK(memcmp(magic, p, 4) == 0);
		OK(close(fd));
		OK(munmap(p, 4096));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[4];

	self = argv[0];
	for (int i = 0; i < 4; i++)
		t[i] = thread(work, NULL);
	for (int i = 0; i < 4; i++)
		join(t[i]);
	return guest_ok();
}
