/* The trace, one JSON object per line, and the record of a window of calls for the search of a difference. */
#include "base/mem.h"
#include "tracer/message.h"
#include "tracer/sim.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool trace_wants(const struct sim *s, enum trace_level l)
{
	return s->cfg->trace >= l && s->cfg->trace_fd >= 0;
}

static void add_json(struct buf *b, const char *key, const char *text, size_t n)
{
	buf_addf(b, ",\"%s\":", key);
	json_add_string(b, text, n);
}

static void begin_of(struct sim *s, struct buf *b, const char *type, const struct node *n)
{
	buf_addf(b, "{\"t\":%" PRId64 ",\"type\":\"%s\"", sim_elapsed_ns(s), type);
	add_json(b, "node", n->name, strlen(n->name));
}

static void begin(struct sim *s, struct buf *b, const char *type, const struct proc *p, const struct thread *t)
{
	begin_of(s, b, type, sim_node_of(s, p));
	if (p)
		buf_addf(b, ",\"pid\":%d", p->pid);
	if (t)
		buf_addf(b, ",\"tid\":%d", t->tid);
}

static void end(struct sim *s, struct buf *b)
{
	buf_adds(b, "}\n");
	if (write(s->cfg->trace_fd, b->data, b->len) < 0)
		return; /* a full disk must not change the run */
}

static void add_result(struct buf *b, int64_t r)
{
	if (r < 0 && r >= -4095) {
		const char *n = strerrorname_np((int)-r);
		if (r == -K_ERESTARTSYS || r == -K_ERESTARTNOHAND)
			n = "ERESTART";
		buf_addf(b, "-1 %s", n ? n : "?");
	} else {
		buf_addf(b, "%" PRId64, r);
	}
}

static void print_call(struct buf *b, const struct call *c, int64_t result)
{
	if (c->row)
		syscall_print(b, c->row, c->arg, c->note[0] ? c->note : NULL);
	else
		buf_addf(b, "syscall_%ld()", c->nr);
	buf_adds(b, " = ");
	if (!c->row || (c->row->flags & SYSF_HASH_RESULT) || result < 0)
		add_result(b, result);
	else
		buf_adds(b, "ok");
}

static void record(struct sim *s, const struct call *c, const char *text)
{
	buf_addf(&s->res->recorded, "%" PRIu64 "\t%" PRId64 ".%09" PRId64 "s %s pid %d tid %d (%s)\t%s\t%016" PRIx64 "\n",
		 s->hash.calls, sim_elapsed_ns(s) / (int64_t)NS_PER_S, sim_elapsed_ns(s) % (int64_t)NS_PER_S, sim_node_of(s, c->proc)->name,
		 c->proc->pid, c->thread->tid, c->thread->comm, text, s->hash.h);
}

void trace_call(struct sim *s, const struct call *c, int64_t result)
{
	bool rec = s->hash.calls >= s->cfg->record_from && s->hash.calls < s->cfg->record_to;
	struct buf text = {0}, b = {0};

	if (!rec && !trace_wants(s, TRACE_CALLS))
		return;
	print_call(&text, c, result);
	if (rec)
		record(s, c, text.data);
	if (trace_wants(s, TRACE_CALLS)) {
		begin(s, &b, "call", c->proc, c->thread);
		buf_addf(&b, ",\"n\":%" PRIu64 ",\"hash\":\"%016" PRIx64 "\"", s->hash.calls, s->hash.h);
		add_json(&b, "call", text.data, text.len);
		if (s->bytes.len)
			add_json(&b, "bytes", s->bytes.data, s->bytes.len);
		end(s, &b);
	}
	buf_clear(&text);
	buf_clear(&b);
}

/* The last lines for people: "    4.172s  n1  fault reset 1 connections". */
static void tail_add(struct sim *s, const char *node, const char *mark, const char *text)
{
	int64_t ms = sim_elapsed_ns(s) / 1000000;
	struct buf b = {0};
	char **at = &s->tail[s->ntail++ % TAIL_LINES];

	buf_addf(&b, "%6" PRId64 ".%03" PRId64 "s  %-8s  %s", ms / 1000, ms % 1000, node, mark);
	for (; *text && b.len < 400; text++)
		buf_addc(&b, *text == '\n' ? ' ' : *text);
	buf_addc(&b, 0);
	free(*at);
	*at = b.data;
}

void trace_tail(const struct sim *s, struct buf *out)
{
	uint64_t n = MIN(s->ntail, (uint64_t)TAIL_LINES);

	for (uint64_t i = s->ntail - n; i < s->ntail; i++)
		buf_addf(out, "%s\n", s->tail[i % TAIL_LINES]);
}

/* The stop of `simrun replay -until EVENT`; the loop sees it at the next step. */
static void note_event(struct sim *s, const char *text)
{
	if (s->has_until_event && !s->event_seen && !regexec(&s->until_event, text, 0, NULL, 0))
		s->event_seen = true;
}

void trace_line(struct sim *s, const struct proc *p, const struct thread *t, const char *kind, const char *text)
{
	struct buf b = {0};

	note_event(s, text);
	if (!trace_wants(s, TRACE_EVENTS))
		return;
	tail_add(s, p ? sim_node_of(s, p)->name : "", "", text);
	begin(s, &b, kind, p, t);
	add_json(&b, "text", text, strlen(text));
	end(s, &b);
	buf_clear(&b);
}

/* The node stands for itself: whoever wrote the line's end may be gone. */
void trace_output(struct sim *s, const struct node *n, const struct proc *p, const char *line)
{
	struct buf b = {0};

	note_event(s, line);
	if (!trace_wants(s, TRACE_EVENTS))
		return;
	tail_add(s, n->name, "| ", line);
	begin_of(s, &b, "output", n);
	if (p)
		buf_addf(&b, ",\"pid\":%d", p->pid);
	add_json(&b, "text", line, strlen(line));
	end(s, &b);
	buf_clear(&b);
}

void sim_event(struct sim *s, const struct proc *p, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (!trace_wants(s, TRACE_EVENTS) && !s->has_until_event)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	trace_line(s, p, NULL, "event", text);
}
