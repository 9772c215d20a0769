/*
 * What programs say that were made for Antithesis: assertions, guidance, setup, events. Facts of the format are from the
 * published SDKs (antithesis-sdk-go, antithesis-sdk-cpp): one JSON object a message.
 */
#include "tracer/message.h"
#include "tracer/phase.h"
#include "tracer/sdk.h"
#include "tracer/sim.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The members of an object that stands in another. */
static bool object(const struct message *m, const char *key, struct message *out)
{
	const struct member *v = message_get(m, key);
	struct err ignored = {0};

	return v && *v->raw == '{' && message_parse(out, v->raw, v->n, key, &ignored) == 0;
}

static bool word_is(const struct message *m, const char *key, const char *word)
{
	char *text = message_text(m, key);
	bool is = text && !strcmp(text, word);

	free(text);
	return is;
}

/* display_type says it best; a newer SDK may have words that we do not know, but the test and must_hit stay. */
static bool kind_of(const struct message *m, enum property_kind *k)
{
	static const struct {
		const char *word;
		enum property_kind kind;
	} words[] = {{"Always", PROP_ALWAYS}, {"AlwaysOrUnreachable", PROP_ALWAYS_OR_UNREACHABLE}, {"Sometimes", PROP_SOMETIMES},
		     {"Reachable", PROP_REACHABLE}, {"Unreachable", PROP_UNREACHABLE}};
	bool must_hit;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (word_is(m, "display_type", words[i].word)) {
			*k = words[i].kind;
			return true;
		}
	message_bool(m, "must_hit", &must_hit);
	if (word_is(m, "assert_type", "always"))
		*k = must_hit ? PROP_ALWAYS : PROP_ALWAYS_OR_UNREACHABLE;
	else if (word_is(m, "assert_type", "sometimes"))
		*k = PROP_SOMETIMES;
	else if (word_is(m, "assert_type", "reachability"))
		*k = must_hit ? PROP_REACHABLE : PROP_UNREACHABLE;
	else
		return false;
	return true;
}

/* "file.cc:12" */
static char *location_of(const struct message *m)
{
	struct message l;
	char *file, *place = NULL;
	int64_t line = 0;

	if (!object(m, "location", &l))
		return NULL;
	file = message_text(&l, "file");
	message_int(&l, "begin_line", &line);
	if (file && *file)
		place = xasprintf("%s:%lld", file, (long long)line);
	free(file);
	message_clear(&l);
	return place;
}

static char *details_of(const struct message *m)
{
	const struct member *v = message_get(m, "details");
	struct buf b = {0};

	if (!v || member_is(v, "null") || member_is(v, "{}"))
		return NULL;
	member_add(&b, v);
	buf_addc(&b, 0);
	return b.data;
}

/* What an SDK asserts about itself: that the Go one could load the library, which it needs for what simrun does not use. */
static bool is_about_sdk(const char *message)
{
	return !strcmp(message, "Go application under test compiled with CGO enabled");
}

static int64_t take_assert(struct sender *from, const struct message *m)
{
	char *message = message_text(m, "message"), *location = location_of(m), *details = details_of(m);
	struct evaluation ev = {.message = message, .location = location, .details = details};
	int64_t rc = 0;

	if (!message || !kind_of(m, &ev.kind)) {
		rc = -1;
	} else if (is_about_sdk(message)) {
		rc = 0;
	} else if (!member_is(message_get(m, "hit"), "true")) {
		sdk_catalog(from->s, ev.kind, message, location);
	} else {
		message_bool(m, "condition", &ev.condition);
		/* That it is reached is what counts. */
		if (ev.kind == PROP_REACHABLE || ev.kind == PROP_UNREACHABLE)
			ev.condition = ev.kind == PROP_REACHABLE;
		sdk_evaluate(from, &ev);
	}
	free(message);
	free(location);
	free(details);
	return rc;
}

static struct property *find(struct properties *ps, const char *message)
{
	for (size_t i = 0; i < ps->n; i++)
		if (!strcmp(ps->v[i].message, message))
			return &ps->v[i];
	return NULL;
}

/*
 * Guidance is sent for comparisons, behind their assertion. Its direction tells which comparison it was: an SDK minimises
 * left - right of an "always greater", so that it may fail, and maximises that of a "sometimes greater".
 */
static int64_t take_guidance(struct sender *from, const struct message *m)
{
	char *message = message_text(m, "message");
	struct property *p = message ? find(&from->s->sdk->props, message) : NULL;
	struct message data;
	long double left, right;
	bool maximize, li, ri;

	message_bool(m, "maximize", &maximize);
	if (p && word_is(m, "guidance_type", "numeric") && member_is(message_get(m, "hit"), "true") &&
	    object(m, "guidance_data", &data)) {
		if (message_number(&data, "left", &left, &li) && message_number(&data, "right", &right, &ri))
			property_margin(p, (p->kind == PROP_SOMETIMES) == maximize ? left - right : right - left, li && ri);
		message_clear(&data);
	}
	free(message);
	return 0;
}

static int64_t take_setup(struct sender *from, const struct message *m)
{
	if (word_is(m, "status", "complete"))
		phase_setup_complete(from->s, from->p);
	return 0;
}

int64_t antithesis_take(struct sender *from, const struct message *m)
{
	static const struct {
		const char *key;
		int64_t (*take)(struct sender *from, const struct message *m);
	} kinds[] = {{"antithesis_assert", take_assert}, {"antithesis_guidance", take_guidance}, {"antithesis_setup", take_setup}};
	struct message sub;
	int64_t rc = -1;

	for (size_t i = 0; i < m->n; i++) {
		size_t k = 0;
		while (k < ARRAY_LEN(kinds) && strcmp(kinds[k].key, m->m[i].key))
			k++;
		rc = 0;
		if (k == ARRAY_LEN(kinds)) {
			/* "antithesis_sdk" says which SDK it is; anything else is an event. */
			if (strncmp(m->m[i].key, "antithesis_", 11))
				sdk_event(from, m->m[i].key, &m->m[i]);
		} else if (object(m, m->m[i].key, &sub)) {
			rc = kinds[k].take(from, &sub);
			message_clear(&sub);
		} else {
			rc = -1;
		}
		if (rc < 0)
			break;
	}
	return rc;
}
