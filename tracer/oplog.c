#include "tracer/oplog.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* An operation of a stream of lines: by the id that its writer gave, or by process. */
struct pairing {
	char *key; /* "i" and the id, or "p" and the process: JSON */
	int64_t id;
	bool open;
	size_t next; /* 1 + the older one with the same hash; 0: none */
};

struct opstream {
	struct pairing *v;
	size_t n, cap;
	struct map by_hash; /* 1 + the youngest */
};

static char *pairing_key(const struct member *id, const struct member *process)
{
	struct buf b = {0};

	buf_adds(&b, id ? "i" : "p");
	if (id || process)
		member_add(&b, id ? id : process);
	buf_addc(&b, 0);
	return b.data;
}

static struct opstream *stream_of(struct oplog *l, uint64_t stream)
{
	struct opstream *s = map_get(&l->streams, stream);

	if (!s) {
		s = xnew(struct opstream);
		map_put(&l->streams, stream, s);
	}
	return s;
}

/* The youngest of that key; NULL: none. */
static struct pairing *find_pairing(const struct opstream *s, const char *key)
{
	size_t at = (uintptr_t)map_get(&s->by_hash, XXH3_64bits(key, strlen(key)));

	while (at && strcmp(s->v[at - 1].key, key))
		at = s->v[at - 1].next;
	return at ? &s->v[at - 1] : NULL;
}

static int pair(struct oplog *l, uint64_t stream, const struct message *m, int64_t id, struct err *e)
{
	struct opstream *s = stream_of(l, stream);
	char *key = pairing_key(message_get(m, "id"), message_get(m, "process"));
	struct pairing *p = find_pairing(s, key);
	uint64_t hash = XXH3_64bits(key, strlen(key));

	if (p && (p->open || *key == 'i')) {
		err_set(e, 0, *key == 'i' ? "id %s was used before" : "process %s has an operation open already", key + 1);
		free(key);
		return -1;
	}
	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 8;
		s->v = xrealloc(s->v, s->cap * sizeof *s->v);
	}
	s->v[s->n++] = (struct pairing){key, id, true, (uintptr_t)map_get(&s->by_hash, hash)};
	map_put(&s->by_hash, hash, (void *)(uintptr_t)s->n);
	return 0;
}

/* Ends the pairing; its operation, or -1. */
static int64_t unpair(struct oplog *l, uint64_t stream, const struct message *m, struct err *e)
{
	char *key = pairing_key(message_get(m, "id"), message_get(m, "process"));
	struct pairing *p = find_pairing(stream_of(l, stream), key);
	int64_t id = p && p->open ? p->id : -1;

	if (id < 0)
		err_set(e, 0, "%s %s has no operation open", *key == 'i' ? "id" : "process", key + 1);
	else
		p->open = false;
	free(key);
	return id;
}

/* "after": the ids of a stream's writer become ours. NULL with *e. */
static char *translate_after(struct oplog *l, uint64_t stream, const struct member *after, struct err *e)
{
	struct buf out = {0};
	const char *at = after->raw + 1, *end = after->raw + after->n - 1;

	buf_addc(&out, '[');
	while (at < end) {
		size_t n = strcspn(at, ",]");
		struct member id = {.raw = at, .n = n};
		char *key = pairing_key(&id, NULL);
		const struct pairing *p = stream == OPLOG_CALLS ? NULL : find_pairing(stream_of(l, stream), key);
		char *stop;
		int64_t ours = p ? p->id : strtoll(at, &stop, 10);
		if (!p && (stream != OPLOG_CALLS || stop == at || ours < 0 || (uint64_t)ours >= l->n)) {
			err_set(e, 0, "\"after\" names operation %s, which there is not", key + 1);
			free(key);
			buf_clear(&out);
			return NULL;
		}
		free(key);
		buf_addf(&out, "%s%" PRId64, out.len > 1 ? "," : "", ours);
		at += n + 1;
	}
	buf_addc(&out, ']');
	buf_addc(&out, 0);
	return out.data;
}

/* ---- lines ---- */

static char *dup_value(const struct member *v)
{
	struct buf b = {0};

	if (v)
		member_add(&b, v);
	else
		buf_adds(&b, "null");
	buf_addc(&b, 0);
	return b.data;
}

static void line(struct oplog *l, const char *type, const struct logged_op *o, const char *value, const char *after, int64_t time_ns,
		 int64_t id)
{
	buf_addf(&l->text, "{\"index\":%" PRIu64 ",\"type\":\"%s\",\"process\":%s,\"f\":%s", l->index++, type, o->process, o->f);
	if (o->key)
		buf_addf(&l->text, ",\"key\":%s", o->key);
	buf_addf(&l->text, ",\"value\":%s", value);
	if (after)
		buf_addf(&l->text, ",\"after\":%s", after);
	buf_addf(&l->text, ",\"time\":%" PRId64 ",\"id\":%" PRId64 "}\n", time_ns, id);
}

static void describe(struct buf *note, const char *type, int64_t id, const struct logged_op *o, const char *value)
{
	buf_addf(note, "%s %" PRId64 ": process %s %s", type, id, o->process, o->f);
	if (o->key && strcmp(o->key, "null"))
		buf_addf(note, " %s", o->key);
	buf_addf(note, " %s", value);
}

static int64_t invoke(struct oplog *l, uint64_t stream, const struct message *m, int64_t time_ns, struct buf *note, struct err *e)
{
	const struct member *f = message_get(m, "f"), *process = message_get(m, "process"), *key = message_get(m, "key"),
			    *after = message_get(m, "after");
	int64_t id = (int64_t)l->n;
	struct logged_op *o;
	char *edges = NULL;

	if (!f || *f->raw != '"')
		return err_set(e, 0, "an invocation needs \"f\", the operation's name");
	if (!process || strchr("[{tfn", *process->raw))
		return err_set(e, 0, "an invocation needs \"process\", a number or a name");
	if (after && *after->raw != '[')
		return err_set(e, 0, "\"after\" is an array of operations' ids");
	if (after && !(edges = translate_after(l, stream, after, e)))
		return -1;
	if (stream != OPLOG_CALLS && pair(l, stream, m, id, e) < 0) {
		free(edges);
		return -1;
	}
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 64;
		l->op = xrealloc(l->op, l->cap * sizeof *l->op);
	}
	o = &l->op[l->n++];
	*o = (struct logged_op){dup_value(process), dup_value(f), member_is(key, "null") || !key ? NULL : dup_value(key),
				dup_value(message_get(m, "value")), false};
	line(l, "invoke", o, o->input, edges, time_ns, id);
	free(edges);
	describe(note, "invoke", id, o, o->input);
	return id;
}

static int64_t complete(struct oplog *l, uint64_t stream, const char *type, const struct message *m, int64_t time_ns,
			struct buf *note, struct err *e)
{
	bool ok = !strcmp(type, "ok");
	struct logged_op *o;
	int64_t id;
	char *value;

	if (stream != OPLOG_CALLS) {
		id = unpair(l, stream, m, e);
		if (id < 0)
			return -1;
	} else if (!message_int(m, "id", &id)) {
		return err_set(e, 0, "a completion needs \"id\", which its invocation gave");
	}
	if (id < 0 || (uint64_t)id >= l->n)
		return err_set(e, 0, "there is no operation %" PRId64, id);
	o = &l->op[id];
	if (o->done)
		return err_set(e, 0, "operation %" PRId64 " is completed twice", id);
	o->done = true;
	value = ok ? dup_value(message_get(m, "value")) : o->input;
	line(l, type, o, value, NULL, time_ns, id);
	describe(note, type, id, o, value);
	if (ok)
		free(value);
	return id;
}

int64_t oplog_take(struct oplog *l, uint64_t stream, const struct message *m, int64_t time_ns, struct buf *note, struct err *e)
{
	char *type = message_text(m, "type");
	int64_t id;

	if (type && !strcmp(type, "invoke"))
		id = invoke(l, stream, m, time_ns, note, e);
	else if (type && (!strcmp(type, "ok") || !strcmp(type, "info") || !strcmp(type, "fail")))
		id = complete(l, stream, type, m, time_ns, note, e);
	else
		id = err_set(e, 0, "\"type\" is one of \"invoke\", \"ok\", \"info\", \"fail\"");
	free(type);
	return id;
}

void oplog_clear(struct oplog *l)
{
	map_each(&l->streams, i) {
		struct opstream *s = l->streams.vals[i];
		for (size_t k = 0; k < s->n; k++)
			free(s->v[k].key);
		free(s->v);
		map_clear(&s->by_hash);
		free(s);
	}
	map_clear(&l->streams);
	for (size_t i = 0; i < l->n; i++) {
		free(l->op[i].process);
		free(l->op[i].f);
		free(l->op[i].key);
		free(l->op[i].input);
	}
	free(l->op);
	buf_clear(&l->text);
	*l = (struct oplog){0};
}
