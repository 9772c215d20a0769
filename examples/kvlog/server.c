/*
 * kvlog: lists of strings in memory, and a log of what was appended. A restart reads the log. Every request has an id, so
 * that a client that did not hear may ask again.
 *
 *     append ID KEY VALUE -> ok            read KEY -> VALUE VALUE ...
 *
 * BUG=1  acknowledges before the record is in the log        BUG=2  does not look for requests done before
 * BUG=3  reads from a cache that lives for 20 ms             BUG=4  rewrites the log in place when it starts
 * BUG=5  forgets the ids of requests when it starts
 */
#include "net.h"
#include "simrun.h"

#include <fcntl.h>

enum { RECORDS_MAX = 4096 };

struct record {
	char id[32], key[32], value[32];
};

static struct record records[RECORDS_MAX];
static size_t nrecords, nlogged, nold;
static int bug, logfd;
static const char *log_name;

static bool done_before(const char *id)
{
	if (bug == 2)
		return false;
	for (size_t i = bug == 5 ? nold : 0; i < nrecords; i++)
		if (!strcmp(records[i].id, id))
			return true;
	return false;
}

static void write_record(int fd, const struct record *r)
{
	char line[128];
	int n = snprintf(line, sizeof line, "%s %s %s\n", r->id, r->key, r->value);

	if (write(fd, line, (size_t)n) != n)
		die("write");
}

static void flush(void)
{
	for (; nlogged < nrecords; nlogged++)
		write_record(logfd, &records[nlogged]);
	if (fdatasync(logfd) < 0)
		die("fdatasync");
}

static void append(int fd, const char *id, const char *key, const char *value)
{
	struct record *r = &records[nrecords];

	SIMRUN_SOMETIMES(done_before(id), "a request came again after it was done");
	if (!done_before(id)) {
		if (nrecords == RECORDS_MAX)
			die("too many records");
		snprintf(r->id, sizeof r->id, "%s", id);
		snprintf(r->key, sizeof r->key, "%s", key);
		snprintf(r->value, sizeof r->value, "%s", value);
		nrecords++;
		if (bug != 1)
			flush();
	}
	if (simrun_buggify("slow to answer"))
		nap_ms(10);
	answer(fd, "ok");
}

static void list(const char *key, char *out)
{
	size_t n = 0;

	out[0] = 0;
	for (size_t i = 0; i < nrecords; i++)
		if (!strcmp(records[i].key, key))
			n += (size_t)snprintf(out + n, LINE_MAX_LEN - n, "%s%s", n ? " " : "", records[i].value);
}

static void read_list(int fd, const char *key)
{
	static char cached[LINE_MAX_LEN], cached_key[32];
	static int64_t until;
	char now[LINE_MAX_LEN];

	list(key, now);
	if (bug == 3 && !strcmp(cached_key, key) && monotonic_ms() < until) {
		answer(fd, cached);
		return;
	}
	strcpy(cached, now);
	snprintf(cached_key, sizeof cached_key, "%s", key);
	until = monotonic_ms() + 20;
	answer(fd, now);
}

static void handle(int fd, char *line)
{
	char id[32], key[32], value[32];

	if (sscanf(line, "append %31s %31s %31s", id, key, value) == 3)
		append(fd, id, key, value);
	else if (sscanf(line, "read %31s", key) == 1)
		read_list(fd, key);
	else
		answer(fd, "what?");
}

static void recover(void)
{
	FILE *f = fopen(log_name, "r");
	struct record r;

	while (f && nrecords < RECORDS_MAX && fscanf(f, "%31s %31s %31s", r.id, r.key, r.value) == 3)
		records[nrecords++] = r;
	if (f)
		fclose(f);
	nold = nrecords;
	SIMRUN_SOMETIMES(nrecords > 0, "a restart found records");
}

/* The log anew, in a file of its own that takes the old one's place when it is complete. */
static void rewrite(void)
{
	char other[256];
	int fd;

	snprintf(other, sizeof other, "%s.new", log_name);
	fd = open(bug == 4 ? log_name : other, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		die(other);
	for (size_t i = 0; i < nrecords; i++) {
		write_record(fd, &records[i]);
		if (simrun_buggify("rewriting the log takes long"))
			nap_ms(300);
	}
	if (fdatasync(fd) < 0 || (bug != 4 && rename(other, log_name) < 0))
		die("rewrite");
	logfd = fd;
	nlogged = nrecords;
	SIMRUN_REACHABLE("the log was rewritten");
}

static void every_50_ms(void)
{
	if (bug == 1)
		flush();
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return fprintf(stderr, "usage: server PORT LOG\n"), 2;
	bug = planted();
	log_name = argv[2];
	recover();
	rewrite();
	serve(atoi(argv[1]), handle, every_50_ms, 50);
}
