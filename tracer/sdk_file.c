#include "tracer/sdk_file.h"

#include "base/buf.h"
#include "base/mem.h"
#include "sdk/c/simrun_wire.h"
#include "tracer/message.h"
#include "tracer/sdk.h"
#include "tracer/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One open file: lines may come in pieces. */
struct lines {
	struct sim *s;
	bool antithesis;
	struct buf part;
};

static void take_line(struct lines *l, const char *text, size_t n)
{
	struct sender from = {.s = l->s, .p = l->s->kern.current ? l->s->kern.current->proc : NULL};

	from.stream = sdk_stream(l->s, from.p);

	while (n && strchr(" \t\r", text[n - 1]))
		n--;
	if (!n)
		return;
	if (l->antithesis)
		sdk_take_antithesis(&from, text, n);
	else
		sdk_take(&from, text, n);
}

static int64_t write_lines(struct kern *k, struct file *f, const void *data, size_t n)
{
	struct lines *l = f->obj;
	const char *at = data, *end = at + n, *nl;

	while ((nl = memchr(at, '\n', (size_t)(end - at)))) {
		buf_add(&l->part, at, (size_t)(nl - at));
		take_line(l, l->part.data ? l->part.data : "", l->part.len);
		buf_reset(&l->part);
		at = nl + 1;
	}
	if (l->part.len + (size_t)(end - at) > SIMRUN_MESSAGE_MAX)
		return -EMSGSIZE;
	buf_add(&l->part, at, (size_t)(end - at));
	return (int64_t)n;
}

static int64_t read_none(struct kern *k, struct file *f, void *buf, size_t len)
{
	return 0;
}

/* As /dev/null: programs that append look for the end. */
static int64_t seek_start(struct kern *k, struct file *f, int64_t off, int whence)
{
	return f->pos = 0;
}

/* A last line may lack its end; what a killed writer has left half written is nothing. */
static void release(struct kern *k, struct file *f)
{
	struct lines *l = f->obj;
	struct message m;
	struct err ignored = {0};

	if (l->part.len && !l->s->finished && message_parse(&m, l->part.data, l->part.len, "line", &ignored) == 0) {
		message_clear(&m);
		take_line(l, l->part.data, l->part.len);
	}
	buf_clear(&l->part);
	free(l);
}

static const struct file_ops output_ops = {
	.kind = "simrun/output", .read = read_none, .write = write_lines, .seek = seek_start, .release = release};
static const struct file_ops jsonl_ops = {
	.kind = "simrun/sdk.jsonl", .read = read_none, .write = write_lines, .seek = seek_start, .release = release};

struct file *sdk_file_open(struct sim *s, bool antithesis, uint32_t flags)
{
	struct lines *l = xnew(struct lines);

	l->s = s;
	l->antithesis = antithesis;
	return file_new(&s->kern, antithesis ? &jsonl_ops : &output_ops, l, flags);
}

int sdk_file_minor(const struct file *f)
{
	return f->ops == &output_ops ? 0 : f->ops == &jsonl_ops ? 1 : -1;
}
