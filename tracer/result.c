#include "tracer/result.h"

#include "base/mem.h"
#include "tracer/fault_tally.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum exit_status status;
} classes[] = {
	[CLASS_PASS] = {"", STATUS_PASS},
	[CLASS_EXIT] = {"exit", STATUS_FAIL},
	[CLASS_DEADLOCK] = {"deadlock", STATUS_FAIL},
	[CLASS_CRASH] = {"crash", STATUS_FAIL},
	[CLASS_TIMEOUT] = {"timeout", STATUS_TIMEOUT},
	[CLASS_UNKNOWN] = {"unknown", STATUS_UNKNOWN},
	[CLASS_HARNESS] = {"harness", STATUS_HARNESS},
	[CLASS_NONDETERMINISM] = {"nondeterminism", STATUS_UNREPEATABLE},
	[CLASS_UNREPEATABLE] = {"unrepeatable", STATUS_UNREPEATABLE},
	[CLASS_ASSERT] = {"assert", STATUS_FAIL},
	[CLASS_PROPERTY] = {"property", STATUS_FAIL},
	[CLASS_LINEARIZABILITY] = {"linearizability", STATUS_FAIL},
	[CLASS_ISOLATION] = {"isolation", STATUS_FAIL},
	[CLASS_LIVENESS] = {"liveness", STATUS_FAIL},
	[CLASS_OUTPUT] = {"output", STATUS_FAIL},
	/* The run says nothing about what it was to test: neither pass nor failure. */
	[CLASS_SETUP] = {"harness", STATUS_UNKNOWN},
};

const char *verdict_class_name(enum verdict_class c)
{
	return classes[c].name;
}

enum exit_status verdict_status(enum verdict_class c)
{
	return classes[c].status;
}

const char *verdict_name(enum verdict_class c)
{
	if (c == CLASS_SETUP)
		return "invalid";
	switch (classes[c].status) {
	case STATUS_PASS:
		return "pass";
	case STATUS_FAIL:
		return "fail";
	case STATUS_UNKNOWN:
		return "unknown";
	case STATUS_UNREPEATABLE:
		return "unrepeatable";
	case STATUS_TIMEOUT:
		return "timeout";
	default:
		return "error";
	}
}

/*
 * The message: its length, then the fixed part of struct run_result as it lies in memory (both sides are one binary), then
 * the windows and the buffers, each with its length.
 */
struct head {
	uint64_t bytes; /* of the whole message */
	struct run_result r;
};

enum { NBUFS = 13 };

/* The buffers of a result, in the order of the message. */
static void bufs_of(struct run_result *r, struct buf *b[NBUFS])
{
	b[0] = &r->warnings;
	b[1] = &r->output;
	b[2] = &r->plan;
	b[3] = &r->recorded;
	b[4] = &r->digests;
	b[5] = &r->details;
	b[6] = &r->properties;
	b[7] = &r->events;
	b[8] = &r->history;
	b[9] = &r->timeline;
	b[10] = &r->tail;
	b[11] = &r->faults;
	b[12] = &r->idle_faults;
}

static void put(struct buf *out, const void *p, uint64_t n)
{
	buf_add(out, &n, sizeof n);
	if (n)
		buf_add(out, p, n);
}

void result_pack(struct buf *out, const struct run_result *r)
{
	struct head h = {.r = *r};
	struct buf *b[NBUFS];
	size_t start = out->len;

	buf_add(out, &h, sizeof h);
	put(out, r->windows, r->nwindows * sizeof *r->windows);
	bufs_of(&h.r, b);
	for (unsigned i = 0; i < NBUFS; i++)
		put(out, b[i]->data, b[i]->len);
	h.bytes = out->len - start;
	memcpy(out->data + start, &h.bytes, sizeof h.bytes);
}

bool result_complete(const struct buf *in)
{
	uint64_t n;

	if (in->len < sizeof(struct head))
		return false;
	memcpy(&n, in->data, sizeof n);
	return in->len >= n;
}

/* The next length-prefixed piece; NULL when the bytes end before it does. */
static const char *get(const struct buf *in, size_t *at, uint64_t *n)
{
	const char *p;

	if (in->len - *at < sizeof *n)
		return NULL;
	memcpy(n, in->data + *at, sizeof *n);
	*at += sizeof *n;
	if (in->len - *at < *n)
		return NULL;
	p = in->data + *at;
	*at += *n;
	return p;
}

int result_unpack(const struct buf *in, struct run_result *r)
{
	struct head h;
	struct buf *b[NBUFS];
	size_t at = sizeof h;
	const char *p;
	uint64_t n;

	*r = (struct run_result){0};
	if (in->len < sizeof h)
		return -1;
	memcpy(&h, in->data, sizeof h);
	if (h.r.cls >= VERDICT_CLASSES || !(p = get(in, &at, &n)) || n != h.r.nwindows * sizeof *r->windows)
		return -1;
	*r = h.r;
	r->windows = n ? xmemdup(p, n) : NULL;
	bufs_of(r, b);
	for (unsigned i = 0; i < NBUFS; i++)
		*b[i] = (struct buf){0};
	for (unsigned i = 0; i < NBUFS; i++) {
		if (!(p = get(in, &at, &n)))
			return -1;
		buf_add(b[i], p, n);
	}
	return 0;
}

void run_result_clear(struct run_result *r)
{
	struct buf *b[NBUFS];

	bufs_of(r, b);
	for (unsigned i = 0; i < NBUFS; i++)
		buf_clear(b[i]);
	free(r->windows);
	*r = (struct run_result){0};
}

json_t *json_seed(uint64_t seed)
{
	char text[32];

	if (seed <= INT64_MAX)
		return json_integer((json_int_t)seed);
	snprintf(text, sizeof text, "%" PRIu64, seed);
	return json_string(text);
}

json_t *json_hash(uint64_t h)
{
	char text[32];

	snprintf(text, sizeof text, "%016" PRIx64, h);
	return json_string(text);
}

json_t *json_bytes(const char *s, size_t n)
{
	json_t *j = json_stringn(s ? s : "", n);
	struct buf b = {0};

	if (j)
		return j;
	/* jansson refuses text that is no UTF-8: keep what is ASCII. */
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)s[i] < 0x80)
			buf_addc(&b, s[i]);
		else
			buf_adds(&b, "\xef\xbf\xbd");
	}
	j = json_stringn(b.data, b.len);
	buf_clear(&b);
	return j;
}

json_t *json_lines(const struct buf *text)
{
	json_t *list = json_array();

	for (size_t at = 0; at < text->len;) {
		const char *end = memchr(text->data + at, '\n', text->len - at);
		size_t n = end ? (size_t)(end - text->data) - at : text->len - at;
		json_array_append_new(list, json_bytes(text->data + at, n));
		at += n + 1;
	}
	return list;
}

/* A text that is JSON already; absent when it is empty. */
static void set_json(json_t *j, const char *key, const struct buf *text)
{
	json_t *v = text->len ? json_loadb(text->data, text->len, JSON_DECODE_ANY, NULL) : NULL;

	if (v)
		json_object_set_new(j, key, v);
}

json_t *result_json(const struct run_config *cfg, uint64_t seed, const struct run_result *r)
{
	json_t *j = json_object();

	json_object_set_new(j, "seed", json_seed(seed));
	json_object_set_new(j, "verdict", json_string(verdict_name(r->cls)));
	json_object_set_new(j, "class", json_string(verdict_class_name(r->cls)));
	json_object_set_new(j, "message", json_bytes(r->message, strlen(r->message)));
	if (r->details.len)
		json_object_set_new(j, "details", json_lines(&r->details));
	json_object_set_new(j, "virtual_ns", json_integer(r->virtual_ns));
	json_object_set_new(j, "real_ms", json_integer(r->real_ms));
	json_object_set_new(j, "host_calls", json_integer((json_int_t)r->calls));
	json_object_set_new(j, "determinism_hash", json_hash(r->hash));
	json_object_set_new(j, "sched", json_string(sched_policy_name(sched_policy_for(cfg->sched, seed))));
	if (*r->node)
		json_object_set_new(j, "node", json_bytes(r->node, strlen(r->node)));
	if (*r->group)
		json_object_set_new(j, "group", json_bytes(r->group, strlen(r->group)));
	json_object_set_new(j, "time_horizon", json_boolean(r->horizon));
	json_object_set_new(j, "inconclusive", json_boolean(r->inconclusive));
	set_json(j, "properties", &r->properties);
	set_json(j, "events", &r->events);
	json_object_set_new(j, "faults", fault_tally_json(&r->faults));
	json_object_set_new(j, "faults_without_effect", json_lines(&r->idle_faults));
	if (r->budget_asked >= 0)
		json_object_set_new(j, "budget", json_integer(r->budget_asked));
	json_object_set_new(j, "warnings", json_lines(&r->warnings));
	if (cfg->until_output)
		json_object_set_new(j, "matched_output", json_boolean(r->matched_output));
	return j;
}
