/* Named pipes: open blocks until the other side comes; O_NONBLOCK opens; ENXIO; reopened after EOF. */
#include "guest.h"

static void writes(void *arg)
{
	nap_ms(20);
	int fd = OK(open("fifo", O_WRONLY));

	CHECK_EQ(write(fd, "abc", 3), 3);
}

static void reads(void *arg)
{
	char buf[8];

	nap_ms(20);
	int fd = OK(open("fifo", O_RDONLY));
	CHECK_EQ(read(fd, buf, 8), 5);
	CHECK_EQ(read(fd, buf, 8), 0);
}

int main(void)
{
	char buf[8];
	struct stat st;

	workdir();
	OK(mkfifo("fifo", 0640));
	CHECK_ERR(mkfifo("fifo", 0640), EEXIST);
	OK(stat("fifo", &st));
	CHECK(S_ISFIFO(st.st_mode));
	CHECK_EQ(st.st_mode & 0777, 0640);
	CHECK_ERR(open("fifo", O_WRONLY | O_NONBLOCK), ENXIO);

	for (int i = 0; i < 2; i++) {
		pid_t pid = child(writes, NULL);
		int fd = OK(open("fifo", O_RDONLY));
		CHECK_EQ(read(fd, buf, 8), 3);
		CHECK_EQ(read(fd, buf, 8), 0);
		close(fd);
		CHECK_EXIT(pid, 0);
	}
	pid_t pid = child(reads, NULL);
	int fd = OK(open("fifo", O_WRONLY));
	CHECK_EQ(write(fd, "hello", 5), 5);
	close(fd);
	CHECK_EXIT(pid, 0);

	int r = OK(open("fifo", O_RDONLY | O_NONBLOCK));
	CHECK_EQ(read(r, buf, 8), 0); /* no writer: end of file, not EAGAIN */
	int w = OK(open("fifo", O_WRONLY | O_NONBLOCK));
	CHECK_ERR(read(r, buf, 8), EAGAIN);
	CHECK_EQ(write(w, "x", 1), 1);
	CHECK_EQ(read(r, buf, 8), 1);
	close(w);
	CHECK_EQ(read(r, buf, 8), 0);
	close(r);

	/* Linux: O_RDWR opens without waiting. */
	int rw = OK(open("fifo", O_RDWR));
	CHECK_EQ(write(rw, "y", 1), 1);
	CHECK_EQ(read(rw, buf, 8), 1);
	OK(unlink("fifo"));
	CHECK_EQ(write(rw, "y", 1), 1);
	return guest_ok();
}
