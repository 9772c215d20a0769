/*
 * A shard: the only writer of its records. What a batch wants of it comes in one request and is one line of its log, so it
 * lands as a whole or not at all.
 *
 *     apply OP OP ... -> ok          (c:ID:SRC creates, unless the id is there already; d:ID deletes)
 *     dump -> ID/SRC ID/SRC ...
 */
#include "net.h"

#include <fcntl.h>

enum { RECORDS_MAX = 1024 };

static struct record {
	char id[24], src[24];
} records[RECORDS_MAX];
static size_t nrecords;
static int logfd;

static struct record *find(const char *id)
{
	for (size_t i = 0; i < nrecords; i++)
		if (!strcmp(records[i].id, id))
			return &records[i];
	return NULL;
}

static void one_op(char *op)
{
	char id[24], src[24];
	struct record *r;

	if (sscanf(op, "c:%23[^:]:%23s", id, src) == 2) {
		if (find(id) || nrecords == RECORDS_MAX)
			return;
		strcpy(records[nrecords].id, id);
		strcpy(records[nrecords++].src, src);
	} else if (sscanf(op, "d:%23s", id) == 1 && (r = find(id))) {
		*r = records[--nrecords];
	}
}

static void apply(char *ops)
{
	for (char *op = strtok(ops, " "); op; op = strtok(NULL, " "))
		one_op(op);
}

static void handle(int fd, char *line)
{
	char reply[LINE_MAX_LEN] = "";
	size_t n = 0;

	if (!strncmp(line, "apply ", 6)) {
		/* In one write, before anything of it is seen. */
		snprintf(reply, sizeof reply, "%s\n", line + 6);
		if (write(logfd, reply, strlen(reply)) != (ssize_t)strlen(reply) || fdatasync(logfd) < 0)
			die("log");
		apply(line + 6);
		answer(fd, "ok");
		return;
	}
	for (size_t i = 0; i < nrecords; i++)
		n += (size_t)snprintf(reply + n, sizeof reply - n, "%s%s/%s", i ? " " : "", records[i].id, records[i].src);
	answer(fd, reply);
}

int main(int argc, char **argv)
{
	char line[LINE_MAX_LEN];
	FILE *f;

	if (argc != 3)
		return fprintf(stderr, "usage: shard PORT LOG\n"), 2;
	f = fopen(argv[2], "r");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		apply(line);
	}
	if (f)
		fclose(f);
	logfd = open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (logfd < 0)
		die(argv[2]);
	serve(atoi(argv[1]), handle, NULL, 0);
}
