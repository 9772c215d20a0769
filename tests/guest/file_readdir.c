/* readdir: all entries once with their types, the order repeats, telldir, seekdir, rewinddir, a big directory. */
#include "guest.h"

#include <dirent.h>

enum { N = 300 };

int main(void)
{
	char name[32], names[8][32];
	int seen[N] = {0}, others = 0;
	struct dirent *e;

	workdir();
	OK(mkdir("d", 0755));
	OK(mkdir("d/sub", 0755));
	OK(symlink("x", "d/link"));
	OK(mkfifo("d/fifo", 0600));
	for (int i = 0; i < N; i++) {
		snprintf(name, sizeof name, "d/file-%d", i);
		OK(close(OK(open(name, O_WRONLY | O_CREAT, 0600))));
	}
	DIR *d = opendir("d");
	CHECK(d);
	while ((e = readdir(d))) {
		int i;

		if (sscanf(e->d_name, "file-%d", &i) == 1) {
			seen[i]++;
			CHECK_EQ(e->d_type, DT_REG);
			CHECK(e->d_ino != 0);
			continue;
		}
		others++;
		if (strcmp(e->d_name, "link") == 0)
			CHECK_EQ(e->d_type, DT_LNK);
		else if (strcmp(e->d_name, "fifo") == 0)
			CHECK_EQ(e->d_type, DT_FIFO);
		else
			CHECK_EQ(e->d_type, DT_DIR);
	}
	CHECK_EQ(others, 5);
	for (int i = 0; i < N; i++)
		CHECK_EQ(seen[i], 1);

	/* Position of the tenth entry: reading goes on from there. */
	rewinddir(d);
	for (int i = 0; i < 10; i++)
		CHECK(readdir(d));
	long at = telldir(d);
	for (int i = 0; i < 8; i++) {
		CHECK((e = readdir(d)));
		strcpy(names[i], e->d_name);
	}
	seekdir(d, at);
	for (int i = 0; i < 8; i++) {
		CHECK((e = readdir(d)));
		CHECK(strcmp(names[i], e->d_name) == 0);
	}
	closedir(d);

	/* Removing what is read goes through all of it. */
	d = opendir("d");
	int removed = 0;
	while ((e = readdir(d)))
		if (strncmp(e->d_name, "file-", 5) == 0) {
			OK(unlinkat(dirfd(d), e->d_name, 0));
			removed++;
		}
	CHECK_EQ(removed, N);
	closedir(d);
	CHECK(opendir("none") == NULL && errno == ENOENT);
	for (int i = 0; i < 8; i++)
		puts(names[i]);
	return guest_ok();
}
