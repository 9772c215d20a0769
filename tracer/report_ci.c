#include "tracer/report_ci.h"

#include "base/mem.h"
#include "tracer/result.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Text of an element or attribute. XML has no way to write most control characters, nor what is no UTF-8. */
static void xml_add(struct buf *out, const char *s, size_t n)
{
	json_t *text = json_bytes(s, n);
	const char *p = json_string_value(text);

	for (size_t i = 0; i < json_string_length(text); i++) {
		unsigned char c = (unsigned char)p[i];
		if (c == '<')
			buf_adds(out, "&lt;");
		else if (c == '>')
			buf_adds(out, "&gt;");
		else if (c == '&')
			buf_adds(out, "&amp;");
		else if (c == '"')
			buf_adds(out, "&quot;");
		else if (c == '\n')
			buf_adds(out, "&#10;");
		else if (c < 0x20 && c != '\t')
			buf_adds(out, "\xef\xbf\xbd");
		else
			buf_addc(out, (char)c);
	}
	json_decref(text);
}

static void xml_adds(struct buf *out, const char *s)
{
	xml_add(out, s, strlen(s));
}

int junit_open(struct junit *j, const char *path, const char *program, struct err *e)
{
	*j = (struct junit){0};
	if (!path)
		return 0;
	j->file = fopen(path, "we");
	if (!j->file)
		return err_set(e, errno, "cannot write '%s'", path);
	j->name = xstrdup(program);
	return 0;
}

static void begin_case(struct junit *j, const char *name, int64_t ms)
{
	j->tests++;
	buf_adds(&j->cases, "  <testcase classname=\"");
	xml_adds(&j->cases, j->name);
	buf_adds(&j->cases, "\" name=\"");
	xml_adds(&j->cases, name);
	buf_addf(&j->cases, "\" time=\"%" PRId64 ".%03" PRId64 "\"", ms / 1000, ms % 1000);
}

/* What JUnit calls it: a failure is the program's, an error ours, and what says nothing is skipped. */
static const char *element_of(struct junit *j, const struct run_result *res)
{
	enum exit_status status = verdict_status(res->cls);

	if (status == STATUS_HARNESS) {
		j->errors++;
		return "error";
	}
	if (status == STATUS_UNKNOWN || res->inconclusive) {
		j->skipped++;
		return "skipped";
	}
	j->failures++;
	return "failure";
}

void junit_seed(struct junit *j, const struct seed_outcome *o, const char *command)
{
	const struct run_result *res = &o->res;
	const char *element;
	char name[32];

	if (!j->file)
		return;
	snprintf(name, sizeof name, "seed %" PRIu64, o->seed);
	begin_case(j, name, res->real_ms);
	if (verdict_status(res->cls) == STATUS_PASS && !res->inconclusive) {
		buf_adds(&j->cases, "/>\n");
		return;
	}
	element = element_of(j, res);
	buf_addf(&j->cases, ">\n    <%s type=\"%s\" message=\"", element, verdict_class_name(res->cls));
	xml_adds(&j->cases, res->inconclusive && !*res->message ? "the check of the history ran out of its budget" : res->message);
	buf_adds(&j->cases, "\">");
	if (*res->node) {
		buf_adds(&j->cases, "node: ");
		xml_adds(&j->cases, res->node);
		buf_adds(&j->cases, "&#10;");
	}
	xml_add(&j->cases, res->details.data, res->details.len);
	xml_add(&j->cases, res->tail.data, res->tail.len);
	buf_adds(&j->cases, "reproduce: ");
	xml_adds(&j->cases, command);
	buf_addf(&j->cases, "&#10;determinism hash: %016" PRIx64 "</%s>\n  </testcase>\n", res->hash, element);
}

void junit_missing(struct junit *j, const struct coverage *c)
{
	for (size_t i = 0; j->file && i < c->n; i++) {
		const struct property *p = &c->v[i].p;
		const char *what = coverage_missing_how(&c->v[i]);
		char *name;
		if (!what)
			continue;
		name = xasprintf("%s: %s", property_kind_name(p->kind), p->message);
		begin_case(j, name, 0);
		j->failures++;
		buf_addf(&j->cases, ">\n    <failure type=\"property\" message=\"%s in %" PRIu64 " seeds\">", what, c->seeds);
		xml_adds(&j->cases, p->location ? p->location : "");
		buf_adds(&j->cases, "</failure>\n  </testcase>\n");
		free(name);
	}
}

bool junit_close(struct junit *j, int64_t elapsed_ms)
{
	struct buf head = {0};
	bool ok;

	if (!j->file)
		return true;
	buf_adds(&head, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"");
	xml_adds(&head, j->name);
	buf_addf(&head, "\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" errors=\"%" PRIu64 "\" skipped=\"%" PRIu64 "\"", j->tests,
		 j->failures, j->errors, j->skipped);
	buf_addf(&head, " time=\"%" PRId64 ".%03" PRId64 "\">\n", elapsed_ms / 1000, elapsed_ms % 1000);
	fwrite(head.data, 1, head.len, j->file);
	if (j->cases.len)
		fwrite(j->cases.data, 1, j->cases.len, j->file);
	fputs("</testsuite>\n", j->file);
	ok = !ferror(j->file);
	ok = !fclose(j->file) && ok;
	buf_clear(&head);
	buf_clear(&j->cases);
	free(j->name);
	*j = (struct junit){0};
	return ok;
}

void step_summary(const char *heading, const struct buf *report)
{
	const char *path = getenv("GITHUB_STEP_SUMMARY");
	FILE *f = path && *path ? fopen(path, "ae") : NULL;

	if (!f)
		return;
	/* What guests printed may hold a fence of three. */
	fprintf(f, "### %s\n\n~~~~~~~~text\n", heading);
	if (report->len)
		fwrite(report->data, 1, report->len, f);
	fputs("~~~~~~~~\n\n", f);
	fclose(f);
}
