/*
 * fsync, fdatasync, sync_file_range, syncfs, sync, O_SYNC, posix_fadvise, readahead succeed on files; EINVAL on
 * pipes.
 */
#include "guest.h"

int main(void)
{
	int p[2];

	workdir();
	int fd = file_with("f", "data");
	OK(fsync(fd));
	OK(fdatasync(fd));
	OK(sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE));
	OK(syncfs(fd));
	PT(posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
	PT(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
	PT_ERR(posix_fadvise(fd, 0, 0, 99), EINVAL);
	int dir = OK(open(".", O_RDONLY | O_DIRECTORY));
	OK(fsync(dir));
	int s = OK(open("g", O_WRONLY | O_CREAT | O_SYNC, 0600));
	CHECK_EQ(write(s, "abc", 3), 3);
	CHECK_EQ(fcntl(s, F_GETFL) & O_SYNC, O_SYNC);
	OK(pipe(p));
	CHECK_ERR(fsync(p[0]), EINVAL);
	PT_ERR(posix_fadvise(p[0], 0, 0, 0), ESPIPE);
	CHECK_ERR(fsync(999), EBADF);
	return guest_ok();
}
