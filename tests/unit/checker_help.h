/* Short ways to write histories and ask for verdicts. */
#ifndef TESTS_UNIT_CHECKER_HELP_H
#define TESTS_UNIT_CHECKER_HELP_H

#include "checker/check.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One check with everything it needs; `text` is what the command would print. */
struct checked {
	struct history h;
	struct check c;
	struct check_options opt;
	struct err e;
	uint32_t line;
	int failed; /* the history is not one of the model's, or cannot be read */
	struct buf text;
};

static inline void run_check(struct checked *x, const char *text)
{
	x->failed = hist_parse(&x->h, "h", xstrdup(text), strlen(text), FMT_AUTO, &x->e);
	if (!x->failed)
		x->failed = check_prepare(&x->c, &x->h, &x->opt, &x->e, &x->line);
	if (!x->failed)
		x->failed = check_run(&x->c, &x->e, &x->line);
	if (!x->failed)
		report_text(&x->c, &x->text);
}

static inline void end_check(struct checked *x)
{
	check_clear(&x->c);
	hist_clear(&x->h);
	buf_clear(&x->text);
}

static inline void expect_text(const struct checked *x, const char *part)
{
	if (!strstr(x->text.data, part)) {
		print_error("expected \"%s\" in:\n%s", part, x->text.data);
		fail();
	}
}

/* Check `text` with the model; the verdict must be `want`. */
static inline void expect_verdict(const char *model, const char *initial, const char *text, enum verdict want)
{
	struct checked x = {.opt = CHECK_DEFAULTS};

	x.opt.model = model;
	x.opt.initial = initial;
	run_check(&x, text);
	if (x.failed)
		fail_msg("%s: %s", model, x.e.msg);
	if (x.c.verdict != want)
		print_error("%s:\n%s%s\n", model, text, x.text.data);
	assert_int_equal(x.c.verdict, want);
	end_check(&x);
}

/* The history must be refused with this message (part of it) at this line. */
static inline void expect_error(const char *model, const char *text, const char *message, uint32_t line)
{
	struct checked x = {.opt = CHECK_DEFAULTS};

	x.opt.model = model;
	run_check(&x, text);
	assert_true(x.failed);
	if (!strstr(x.e.msg, message))
		fail_msg("expected \"%s\", got \"%s\"", message, x.e.msg);
	assert_int_equal(x.line, line);
	end_check(&x);
}

/*
 * Operations in one line each, "process f key input = output [start end]", as simrun's whole operations:
 *     A get x null = "1" [5 7]
 * Output "?" is unknown, "!" failed; key "-" is none; without [..] it has no times.
 */
static inline char *ops(const char *lines)
{
	struct buf b = {0};
	char line[512], process[32], f[32], key[32], in[160], out[160];
	int id = 0;

	while (*lines) {
		size_t n = strcspn(lines, "\n");
		long start = -1, end = -1;
		char *t;
		snprintf(line, sizeof line, "%.*s", (int)n, lines);
		lines += n + (lines[n] == '\n');
		if (!n)
			continue;
		if ((t = strrchr(line, '[')) && sscanf(t, "[%ld %ld]", &start, &end) == 2)
			*t = 0;
		assert_int_equal(sscanf(line, "%31s %31s %31s %159s = %159s", process, f, key, in, out), 5);
		buf_addf(&b, "{\"id\":%d,\"process\":\"%s\",\"f\":\"%s\",\"value\":%s,", id++, process, f, in);
		if (strcmp(key, "-"))
			buf_addf(&b, "\"key\":\"%s\",", key);
		if (*out == '?' || *out == '!')
			buf_addf(&b, "\"status\":\"%s\"", *out == '?' ? "info" : "fail");
		else
			buf_addf(&b, "\"output\":%s", out);
		if (start >= 0)
			buf_addf(&b, ",\"start\":%ld", start);
		if (end >= 0)
			buf_addf(&b, ",\"end\":%ld", end);
		buf_adds(&b, "}\n");
	}
	return b.data;
}

static inline void expect_ops(const char *model, const char *initial, const char *lines, enum verdict want)
{
	char *text = ops(lines);

	expect_verdict(model, initial, text, want);
	free(text);
}

/*
 * Transactions, one a line: "[F|I] [Pn] a x 1 a y 2 r x [1,2]" (w for registers; r x - is a read of nil). All of them
 * overlap, unless `sequential`; processes are 0, 1, 2, … unless named.
 */
static inline char *txns(const char *lines, bool sequential)
{
	struct buf inv = {0}, done = {0}, all = {0};
	int id = 0;

	while (*lines) {
		size_t n = strcspn(lines, "\n");
		char line[512], *save = NULL, *w;
		const char *type = "ok";
		int process = id;
		struct buf mops = {0}, asked = {0};
		snprintf(line, sizeof line, "%.*s", (int)n, lines);
		lines += n + (lines[n] == '\n');
		for (w = strtok_r(line, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
			char *key, *value;
			bool read = !strcmp(w, "r");
			if (!strcmp(w, "F") || !strcmp(w, "I")) {
				type = *w == 'F' ? "fail" : "info";
				continue;
			}
			if (*w == 'P') {
				process = atoi(w + 1);
				continue;
			}
			key = strtok_r(NULL, " ", &save);
			value = strtok_r(NULL, " ", &save);
			if (!strcmp(value, "-"))
				value = (char *)"null";
			buf_addf(&mops, "%s[\"%s\",\"%s\",%s]", mops.len ? "," : "", !strcmp(w, "a") ? "append" : w, key, value);
			buf_addf(&asked, "%s[\"%s\",\"%s\",%s]", asked.len ? "," : "", !strcmp(w, "a") ? "append" : w, key,
			         read ? "null" : value);
		}
		buf_reset(&inv);
		buf_addf(&inv, "{\"type\":\"invoke\",\"process\":%d,\"f\":\"txn\",\"value\":[%s],\"id\":%d,\"time\":%d}\n", process,
		         asked.data, id, id * 10);
		buf_adds(&all, inv.data);
		buf_addf(sequential ? &all : &done,
		         "{\"type\":\"%s\",\"process\":%d,\"f\":\"txn\",\"value\":[%s],\"id\":%d,\"time\":%d}\n", type, process,
		         !strcmp(type, "ok") ? mops.data : asked.data, id, id * 10 + 5);
		id++;
		buf_clear(&mops);
		buf_clear(&asked);
	}
	buf_adds(&all, done.len ? done.data : "");
	buf_clear(&inv);
	buf_clear(&done);
	return all.data;
}

#endif
