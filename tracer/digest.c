#include "tracer/digest.h"

#include "base/mem.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

bool digest_note(struct executed *x, const char *path)
{
	size_t lo = 0, hi = x->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int c = strcmp(path, x->path[mid]);
		if (!c)
			return false;
		if (c < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	x->path = xrealloc(x->path, (x->n + 1) * sizeof *x->path);
	memmove(x->path + lo + 1, x->path + lo, (x->n - lo) * sizeof *x->path);
	x->path[lo] = xstrdup(path);
	x->n++;
	return true;
}

static void one(const char *path, struct buf *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED) {
			buf_addf(out, "%s %016" PRIx64 "\n", path, XXH3_64bits(p, (size_t)st.st_size));
			munmap(p, (size_t)st.st_size);
		}
	}
	close(fd);
}

void digest_print(const struct executed *x, struct buf *out)
{
	for (size_t i = 0; i < x->n; i++)
		one(x->path[i], out);
}

void digest_clear(struct executed *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->path[i]);
	free(x->path);
	*x = (struct executed){0};
}
