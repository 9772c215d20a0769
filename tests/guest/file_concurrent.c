/* Many small files made, listed and removed by several processes at once in one directory. */
#include "guest.h"

#include <dirent.h>

enum { WORKERS = 4, FILES = 30 };

static void works(void *arg)
{
	char a[32], b[32];

	for (int i = 0; i < FILES; i++) {
		snprintf(a, sizeof a, "w%d-%d.tmp", (int)(intptr_t)arg, i);
		snprintf(b, sizeof b, "w%d-%d", (int)(intptr_t)arg, i);
		int fd = OK(open(a, O_WRONLY | O_CREAT | O_EXCL, 0600));
		CHECK_EQ(write(fd, b, strlen(b)), (ssize_t)strlen(b));
		OK(fsync(fd));
		OK(close(fd));
		OK(rename(a, b));
		if (i % 3 == 0)
			OK(unlink(b));
	}
}

int main(void)
{
	pid_t pid[WORKERS];
	int n = 0;

	workdir();
	for (intptr_t i = 0; i < WORKERS; i++)
		pid[i] = child(works, (void *)i);
	for (int i = 0; i < WORKERS; i++)
		CHECK_EXIT(pid[i], 0);
	DIR *d = opendir(".");
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] == 'w') {
			char text[32] = "";
			int fd = OK(open(e->d_name, O_RDONLY));

			CHECK(read(fd, text, sizeof text - 1) > 0);
			CHECK(strcmp(text, e->d_name) == 0);
			close(fd);
			n++;
		}
	closedir(d);
	CHECK_EQ(n, WORKERS * FILES * 2 / 3);
	return guest_ok();
}
