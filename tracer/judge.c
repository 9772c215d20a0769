#include "tracer/judge.h"

#include "base/mem.h"
#include "checker/check.h"
#include "checker/user.h"
#include "tracer/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DETAILS_MAX = 64 << 10 };

static const struct judging none;

/* "realtime", "process", "explicit", "none"; several with commas. 0: no such word. */
static unsigned order_bits(const char *text)
{
	static const struct {
		const char *name;
		unsigned bits;
	} words[] = {{"realtime", ORDER_REALTIME | ORDER_EXPLICIT}, {"process", ORDER_PROCESS | ORDER_EXPLICIT},
		     {"explicit", ORDER_EXPLICIT}, {"none", 8}};
	unsigned bits = 0;

	while (*text) {
		size_t n = strcspn(text, ","), i = 0;
		while (i < ARRAY_LEN(words) && (strlen(words[i].name) != n || memcmp(words[i].name, text, n)))
			i++;
		if (i == ARRAY_LEN(words))
			return 0;
		bits |= words[i].bits;
		text += n + (text[n] == ',');
	}
	return bits;
}

static const char *model_name(const struct judging *j)
{
	return j->model ? j->model : "kv";
}

static bool is_own(const struct judging *j)
{
	return j->model && strchr(j->model, '/');
}

int judging_check(const struct judging *j, struct err *e)
{
	struct buf all = {0};
	int rc = 0;

	if (!is_own(j) && !model_find(model_name(j))) {
		for (const struct model *const *m = models; *m; m++)
			buf_addf(&all, "%s%s", m == models ? "" : ", ", (*m)->name);
		rc = err_set(e, 0, "there is no model '%s'; there are %s, and ./MODEL.so for one of your own", j->model, all.data);
	} else if (j->order && !order_bits(j->order)) {
		rc = err_set(e, 0, "'%s' is no order; use realtime, process, explicit, none, or several with commas", j->order);
	} else if (j->consistency && level_find(j->consistency) < 0) {
		rc = err_set(e, 0, "there is no consistency '%s'; simrun check -h lists them", j->consistency);
	}
	buf_clear(&all);
	return rc;
}

static int set_options(const struct judging *j, struct check_options *opt, struct err *e)
{
	*opt = CHECK_DEFAULTS;
	if (judging_check(j, e) < 0)
		return -1;
	opt->model = model_name(j);
	if (is_own(j) && !(opt->own = model_load(j->model, e)))
		return -1;
	opt->initial = j->initial;
	if (j->order)
		opt->order = order_bits(j->order);
	if (j->consistency)
		opt->consistency = (enum level)level_find(j->consistency);
	if (j->budget)
		opt->limits.configs = j->budget;
	return 0;
}

static void set_verdict(struct run_result *res, enum verdict_class cls, const char *group, const char *message)
{
	res->cls = cls;
	res->judged = true;
	snprintf(res->message, sizeof res->message, "%.*s", (int)sizeof res->message - 1, message);
	snprintf(res->group, sizeof res->group, "%.*s", (int)sizeof res->group - 1, group);
}

static bool about_isolation(const struct model *m)
{
	return (m->flags & M_TXN) || !strcmp(m->name, "bank") || !strcmp(m->name, "long-fork");
}

static void failed(struct check *c, struct run_result *res)
{
	const char *kinds = strstr(c->summary, ": ");
	char *group = about_isolation(c->model) && kinds ? xstrdup(kinds + 2) : xasprintf("model %s", c->model->name);
	struct buf text = {0};

	set_verdict(res, about_isolation(c->model) ? CLASS_ISOLATION : CLASS_LINEARIZABILITY, group, c->summary);
	report_text(c, &text);
	buf_add(&res->details, text.data ? text.data : "", MIN(text.len, (size_t)DETAILS_MAX));
	buf_clear(&text);
	report_html(c, &res->timeline);
	free(group);
}

static void judge(const struct judging *j, struct history *h, struct run_result *res, struct buf *note)
{
	struct check_options opt;
	struct check c = {0};
	struct err e = {0};
	uint32_t line = 0;
	int rc = set_options(j, &opt, &e);

	if (!rc)
		rc = check_prepare(&c, h, &opt, &e, &line);
	if (!rc)
		rc = check_run(&c, &e, &line);
	if (rc < 0) {
		/* A history that is not one of its model: a typo must not weaken the check. */
		char *message = line ? xasprintf("%s (line %u of the history)", e.msg, line) : xstrdup(e.msg);
		set_verdict(res, CLASS_ASSERT, e.msg, message);
		free(message);
	} else if (c.verdict == NOT_LINEARIZABLE) {
		failed(&c, res);
		buf_adds(note, c.summary);
	} else if (c.verdict == UNDECIDED) {
		res->inconclusive = true;
		buf_addf(note, "gave up checking %u operations for %s", h->n,
			 about_isolation(c.model) ? "isolation" : "linearizability");
	}
	if (c.h)
		check_clear(&c);
}

void judge_history(const struct scenario *sc, struct run_result *res, struct buf *note)
{
	struct history h = {0};
	struct err e = {0};

	if (!res->history.len)
		return;
	if (hist_parse(&h, "history", xmemdup(res->history.data, res->history.len), res->history.len, FMT_JSON, &e) < 0)
		set_verdict(res, CLASS_ASSERT, e.msg, e.msg);
	else
		judge(sc ? &sc->judging : &none, &h, res, note);
	hist_clear(&h);
}
