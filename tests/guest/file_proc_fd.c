/* /proc/self/fd: a link for every descriptor; opening them again; /dev/fd, /dev/stdin; fdinfo. */
#include "guest.h"

#include <dirent.h>
#include <sys/eventfd.h>

static void link_of(int fd, char *buf, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ssize_t n = OK(readlink(path, buf, size - 1));
	buf[n] = 0;
}

int main(void)
{
	char buf[PATH_MAX], want[128], path[64];
	int p[2];

	closefrom(3); /* whatever was inherited */
	workdir();
	int fd = file_with("f", "content");
	link_of(fd, buf, sizeof buf);
	snprintf(want, sizeof want, "%s/f", guest_dir);
	CHECK(strcmp(buf, want) == 0);
	OK(unlink("f"));
	link_of(fd, buf, sizeof buf);
	strcat(want, " (deleted)");
	CHECK(strcmp(buf, want) == 0);

	/* Opening it opens the file again, though it has no name: with an own offset. */
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int again = OK(open(path, O_RDONLY));
	CHECK_EQ(read(again, buf, 7), 7);
	CHECK(memcmp(buf, "content", 7) == 0);
	CHECK_EQ(lseek(fd, 0, SEEK_CUR), 0);
	snprintf(path, sizeof path, "/dev/fd/%d", fd);
	OK(close(again));
	again = OK(open(path, O_RDONLY));
	CHECK_EQ(read(again, buf, 7), 7);
	OK(close(again));

	OK(pipe(p));
	link_of(p[0], buf, sizeof buf);
	CHECK(strncmp(buf, "pipe:[", 6) == 0);
	link_of(p[1], want, sizeof want);
	CHECK(strcmp(buf, want) == 0); /* both ends are one pipe */
	snprintf(path, sizeof path, "/proc/self/fd/%d", p[1]);
	int w = OK(open(path, O_WRONLY));
	CHECK_EQ(write(w, "through", 7), 7);
	CHECK_EQ(read(p[0], buf, 16), 7);
	OK(close(w));
	int ev = OK(eventfd(0, 0));
	link_of(ev, buf, sizeof buf);
	CHECK(strcmp(buf, "anon_inode:[eventfd]") == 0);

	CHECK_EQ(dup2(p[0], 0), 0);
	tell(p[1]);
	int in = OK(open("/dev/stdin", O_RDONLY));
	CHECK_EQ(read(in, buf, 8), 1);
	OK(close(in));

	/* The directory lists exactly the open ones. */
	DIR *d = opendir("/proc/self/fd");
	CHECK(d);
	int n = 0;
	for (struct dirent *e; (e = readdir(d));) {
		if (e->d_name[0] == '.')
			continue;
		OK(fcntl(atoi(e->d_name), F_GETFD));
		n++;
	}
	CHECK_EQ(n, 3 + 4 + 1); /* 0 to 2, the four above, the directory itself */
	closedir(d);

	OK(lseek(fd, 3, SEEK_SET));
	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	FILE *f = fopen(path, "r");
	CHECK(f);
	long pos = -1;
	CHECK_EQ(fscanf(f, "pos: %ld", &pos), 1);
	CHECK_EQ(pos, 3);
	fclose(f);
	CHECK_ERR(open("/proc/self/fd/999", O_RDONLY), ENOENT);
	return guest_ok();
}
