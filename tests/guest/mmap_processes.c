/*
 * Shared memory between processes: anonymous across fork, by a file, by shm_open; writes of one are seen by the
 * other.
 */
#include "guest.h"

#include <sys/mman.h>

static int go[2], back[2];

/* `again` maps the same object in the child; NULL: it uses the inherited mapping. */
static void check_both_ways(int *mine, int *(*again)(void))
{
	pid_t pid = OK(fork());

	if (pid == 0) {
		int *m = again ? again() : mine;

		CHECK_EQ(m[0], 11);
		m[1] = 22;
		tell(back[1]);
		await(go[0]);
		CHECK_EQ(m[2], 33);
		_exit(0);
	}
	await(back[0]);
	CHECK_EQ(mine[1], 22);
	mine[2] = 33;
	tell(go[1]);
	CHECK_EXIT(pid, 0);
}

static int *map(int fd)
{
	int *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static int *map_file(void)
{
	return map(OK(open("f", O_RDWR)));
}

static char shm_name[64];

static int *map_shm(void)
{
	return map(OK(shm_open(shm_name, O_RDWR, 0)));
}

int main(void)
{
	workdir();
	OK(pipe(go));
	OK(pipe(back));
	int *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(p != MAP_FAILED);
	p[0] = 11;
	check_both_ways(p, NULL);

	int fd = file_with("f", "");
	OK(ftruncate(fd, 4096));
	p = map(fd);
	p[0] = 11;
	check_both_ways(p, map_file);
	int v;
	CHECK_EQ(pread(fd, &v, sizeof v, 4), (ssize_t)sizeof v);
	CHECK_EQ(v, 22);

	snprintf(shm_name, sizeof shm_name, "/guest-shm-%d", getpid());
	fd = OK(shm_open(shm_name, O_RDWR | O_CREAT | O_EXCL, 0600));
	OK(ftruncate(fd, 4096));
	p = map(fd);
	p[0] = 11;
	check_both_ways(p, map_shm);
	OK(shm_unlink(shm_name));
	CHECK_ERR(shm_open(shm_name, O_RDWR, 0), ENOENT);
	return guest_ok();
}
