/*
 * What guests print. Each node's standard output and error are taken line by line; with -v every line is shown as
 * "12.345678s node | line", else the driver's bytes pass through as they come.
 */
#include "tracer/sim.h"
#include "tracer/stage.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put(int fd, const void *p, size_t n)
{
	const char *b = p;

	while (fd >= 0 && n) {
		ssize_t k = write(fd, b, n);
		if (k <= 0)
			return;
		b += k;
		n -= (size_t)k;
	}
}

static void whole_line(struct sim *s, struct node *nd, const struct proc *p, const char *line, size_t n)
{
	int64_t us = sim_elapsed_ns(s) / 1000;
	struct buf b = {0};
	size_t text;

	buf_addf(&b, "%" PRId64 ".%06" PRId64 "s %s | ", us / 1000000, us % 1000000, nd->name);
	text = b.len;
	buf_add(&b, line, n);
	buf_addc(&b, '\n');
	buf_add(&s->res->output, b.data, b.len);
	if (s->cfg->verbose)
		put(s->cfg->guest_err, b.data, b.len);
	buf_addc(&b, 0);
	b.data[b.len - 2] = 0;
	if (s->has_until && !regexec(&s->until, b.data + text, 0, NULL, 0)) {
		s->res->matched_output = true;
		sim_event(s, NULL, "output matched");
	}
	trace_output(s, nd, p, b.data + text);
	stage_output(s, nd, b.data + text);
	buf_clear(&b);
}

void output_emit(struct sim *s, struct proc *p, bool err, const void *data, size_t n)
{
	struct node *nd = sim_node_of(s, p);
	struct buf *part = &s->partial[nd->index][err];
	const char *at = data, *end = at + n, *nl;

	if (!s->cfg->verbose && nd->index == 0)
		put(err ? s->cfg->guest_err : s->cfg->guest_out, data, n);
	while ((nl = memchr(at, '\n', (size_t)(end - at)))) {
		buf_add(part, at, (size_t)(nl - at));
		whole_line(s, nd, p, part->data ? part->data : "", part->len);
		buf_reset(part);
		at = nl + 1;
	}
	buf_add(part, at, (size_t)(end - at));
}

void output_finish(struct sim *s)
{
	for (unsigned i = 0; i < s->nnodes; i++)
		for (int err = 0; err < 2; err++) {
			struct buf *part = &s->partial[i][err];
			if (part->len)
				whole_line(s, s->nodes[i], NULL, part->data, part->len);
			buf_clear(part);
		}
}
