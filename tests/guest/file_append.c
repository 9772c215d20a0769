/* O_APPEND: each write lands at the end, with several writers too; a seek does not matter; pwrite appends as well. */
#include "guest.h"

enum { WRITERS = 4, RECORDS = 50 };

static void appends(void *arg)
{
	int fd = OK(open("log", O_WRONLY | O_APPEND));
	char line[16];

	for (int i = 0; i < RECORDS; i++) {
		snprintf(line, sizeof line, "%02d %011d\n", (int)(intptr_t)arg, i);
		CHECK_EQ(write(fd, line, 15), 15);
	}
}

int main(void)
{
	pid_t pid[WRITERS];
	int next[WRITERS] = {0}, w, i;

	workdir();
	int fd = OK(open("log", O_RDWR | O_CREAT | O_APPEND, 0600));
	for (intptr_t n = 0; n < WRITERS; n++)
		pid[n] = child(appends, (void *)n);
	for (int n = 0; n < WRITERS; n++)
		CHECK_EXIT(pid[n], 0);
	FILE *f = fopen("log", "r");
	CHECK(f);
	for (int n = 0; n < WRITERS * RECORDS; n++) {
		CHECK_EQ(fscanf(f, "%d %d", &w, &i), 2);
		CHECK_EQ(i, next[w]++);
	}
	fclose(f);

	off_t size = OK(lseek(fd, 0, SEEK_END));
	CHECK_EQ(size, WRITERS * RECORDS * 15);
	OK(lseek(fd, 0, SEEK_SET));
	CHECK_EQ(write(fd, "abc", 3), 3);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), size + 3);
	CHECK_EQ(pwrite(fd, "xyz", 3, 0), 3); /* a bug of Linux that is documented */
	CHECK_EQ(lseek(fd, 0, SEEK_END), size + 6);
	return guest_ok();
}
