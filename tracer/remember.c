#include "tracer/remember.h"

#include "base/mem.h"
#include "tracer/report_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define REMEMBERED RUNDIR_PARENT "/failed"

/* The command without its seed; other options are another command. Heap. */
static char *command_of(const struct run_options *o)
{
	struct buf b = {0};

	repro_arguments(&b, o);
	buf_addc(&b, 0);
	return b.data;
}

/* The seed of a line that is about this command. */
static bool line_is(const char *line, size_t n, const char *command, uint64_t *seed)
{
	char *end;

	*seed = strtoull(line, &end, 10);
	if (end == line || *end != ' ')
		return false;
	end++;
	return (size_t)(line + n - end) == strlen(command) && !memcmp(end, command, strlen(command));
}

static int read_all(int fd, struct buf *b)
{
	ssize_t n;

	while ((n = read(fd, buf_reserve(b, 65536), 65536)) > 0)
		b->len += (size_t)n;
	buf_addc(b, 0); /* strtoull() stops there */
	b->len--;
	return n < 0 ? -1 : 0;
}

/* The next line of the text; NULL at its end. */
static const char *next_line(const struct buf *text, size_t *at, size_t *n)
{
	const char *line = text->data + *at, *end;

	if (*at >= text->len)
		return NULL;
	end = memchr(line, '\n', text->len - *at);
	*n = end ? (size_t)(end - line) : text->len - *at;
	*at += *n + 1;
	return line;
}

int remember_load(struct run_options *o, struct err *e)
{
	char *command = command_of(o);
	struct buf text = {0};
	int fd = open(REMEMBERED, O_RDONLY | O_CLOEXEC), rc = 0;
	uint64_t *seeds = NULL, seed;
	size_t nseeds = 0, n, at = 0;
	const char *line;

	if (fd < 0 && errno != ENOENT)
		rc = err_set(e, errno, "cannot open %s", REMEMBERED);
	if (fd >= 0 && read_all(fd, &text) < 0)
		rc = err_set(e, errno, "cannot read %s", REMEMBERED);
	while (!rc && fd >= 0 && (line = next_line(&text, &at, &n)))
		if (line_is(line, n, command, &seed)) {
			seeds = xrealloc(seeds, (nseeds + 1) * sizeof *seeds);
			seeds[nseeds++] = seed;
		}
	if (nseeds && !o->seeds_given && seeds_count(&o->seeds) == 1)
		seeds_clear(&o->seeds);
	for (size_t i = nseeds; i > 0; i--)
		seeds_put_first(&o->seeds, seeds[i - 1]);
	if (fd >= 0)
		close(fd);
	free(seeds);
	free(command);
	buf_clear(&text);
	return rc;
}

static int write_back(int fd, const struct buf *text)
{
	size_t done = 0;

	if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	while (done < text->len) {
		ssize_t n = write(fd, text->data + done, text->len - done);
		if (n < 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

/* Takes the seed out of the text, or puts it in; whether that changed anything. */
static bool change(struct buf *text, const char *command, uint64_t seed, bool failed)
{
	struct buf out = {0};
	uint64_t other;
	size_t at = 0, n;
	bool known = false, changed;
	const char *line;

	while ((line = next_line(text, &at, &n))) {
		bool same = line_is(line, n, command, &other) && other == seed;
		known |= same;
		if (!same || failed) {
			buf_add(&out, line, n);
			buf_addc(&out, '\n');
		}
	}
	if (failed && !known)
		buf_addf(&out, "%" PRIu64 " %s\n", seed, command);
	changed = known != failed;
	buf_clear(text);
	*text = out;
	return changed;
}

int remember_seed(const struct run_options *o, uint64_t seed, bool failed, struct err *e)
{
	char *command = command_of(o);
	struct buf text = {0};
	int fd, rc = 0;

	if (failed)
		mkdir(RUNDIR_PARENT, 0777);
	fd = open(REMEMBERED, O_RDWR | (failed ? O_CREAT : 0) | O_CLOEXEC, 0666);
	/* Other sweeps in this directory do the same. */
	if (fd >= 0 && (flock(fd, LOCK_EX) < 0 || read_all(fd, &text) < 0 ||
			(change(&text, command, seed, failed) && write_back(fd, &text) < 0)))
		rc = err_set(e, errno, "cannot write %s", REMEMBERED);
	if (fd < 0 && failed)
		rc = err_set(e, errno, "cannot open %s", REMEMBERED);
	if (fd >= 0) {
		if (!rc && !text.len)
			unlink(REMEMBERED);
		close(fd);
	}
	free(command);
	buf_clear(&text);
	return rc;
}
