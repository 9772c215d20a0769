#include "tracer/options.h"

#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Edit distance, for "did you mean": names are short, so the plain recurrence over two rows does. */
static size_t distance(const char *a, size_t alen, const char *b)
{
	size_t blen = strlen(b), row[64];

	if (blen >= ARRAY_LEN(row))
		return blen;
	for (size_t j = 0; j <= blen; j++)
		row[j] = j;
	for (size_t i = 1; i <= alen; i++) {
		size_t diag = row[0];
		row[0] = i;
		for (size_t j = 1; j <= blen; j++) {
			size_t change = diag + (a[i - 1] != b[j - 1]);
			diag = row[j];
			row[j] = MIN(change, MIN(row[j] + 1, row[j - 1] + 1));
		}
	}
	return row[blen];
}

static int unknown_option(const struct option *table, const char *word, const char *name, size_t len, struct err *e)
{
	const struct option *best = NULL;
	size_t best_distance = len < 4 ? 2 : 3; /* further away it is no slip of the finger */

	for (const struct option *o = table; o->name; o++) {
		size_t d = distance(name, len, o->name);
		if (!(o->flags & OPTION_HIDDEN) && d < best_distance && d < len) {
			best = o;
			best_distance = d;
		}
	}
	if (best)
		return err_set(e, 0, "unknown option '%s'; did you mean '-%s'?", word, best->name);
	return err_set(e, 0, "unknown option '%s'; -h lists the options, and '--' before a program ends them", word);
}

static const struct option *find_option(const struct option *table, const char *name, size_t len)
{
	for (const struct option *o = table; o->name; o++)
		if (strlen(o->name) == len && !strncmp(o->name, name, len))
			return o;
	return NULL;
}

static bool is_help(const char *name)
{
	return !strcmp(name, "h") || !strcmp(name, "help");
}

static void add_repro(struct buf *repro, const struct option *o, const char *value)
{
	if (!repro || !(o->flags & OPTION_REPRO))
		return;
	buf_addf(repro, "-%s ", o->name);
	if (!value)
		return;
	shell_quote(repro, value);
	buf_addc(repro, ' ');
}

int options_parse(const struct option *table, void *to, int argc, char **argv, struct buf *repro, struct err *e)
{
	for (int i = 0; i < argc; i++) {
		const char *word = argv[i], *name = word + 1, *value;
		const struct option *o;
		size_t len;

		if (word[0] != '-' || !word[1]) /* "-" alone is a file name */
			return i;
		if (!strcmp(word, "--"))
			return i + 1;
		if (*name == '-')
			name++;
		if (is_help(name))
			return OPTIONS_HELP;
		len = strcspn(name, "=");
		value = name[len] ? name + len + 1 : NULL;
		o = find_option(table, name, len);
		if (!o)
			return unknown_option(table, word, name, len, e);
		if (value && !o->arg)
			return err_set(e, 0, "option '-%s' takes no value; remove '=%s'", o->name, value);
		if (!value && o->arg && !(value = ++i < argc ? argv[i] : NULL))
			return err_set(e, 0, "option '-%s' needs a value: -%s %s", o->name, o->name, o->arg);
		if (o->set(to, value, e) < 0)
			return value ? err_wrap(e, "option '-%s %s'", o->name, value) : err_wrap(e, "option '-%s'", o->name);
		add_repro(repro, o, value);
	}
	return argc;
}

void options_help(const struct option *table, FILE *out)
{
	enum { COLUMN = 26 };

	for (const struct option *o = table; o->name; o++) {
		int n;
		if (o->flags & OPTION_HIDDEN)
			continue;
		n = fprintf(out, "  -%s%s%s", o->name, o->arg ? " " : "", o->arg ? o->arg : "");
		if (n >= COLUMN) {
			fputc('\n', out);
			n = 0;
		}
		for (const char *line = o->help; line;) {
			const char *end = strchr(line, '\n');
			fprintf(out, "%*s%.*s\n", COLUMN - n, "", end ? (int)(end - line) : (int)strlen(line), line);
			line = end ? end + 1 : NULL;
			n = 0;
		}
	}
}

void shell_quote(struct buf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^";

	if (*word && !word[strspn(word, plain)]) {
		buf_adds(out, word);
		return;
	}
	buf_addc(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_adds(out, "'\\''");
		else
			buf_addc(out, *word);
	}
	buf_addc(out, '\'');
}

int parse_u64(const char *s, uint64_t *out, struct err *e)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	char *end;

	errno = 0;
	/* Not base 0: a seed written 010 is ten to everybody who reads it. */
	*out = strtoull(s, &end, hex ? 16 : 10);
	if (!isdigit((unsigned char)s[0]) || (hex && !isxdigit((unsigned char)s[2])) || *end)
		return err_set(e, 0, "'%s' is not a number; write digits, or 0x and hexadecimal digits", s);
	if (errno == ERANGE)
		return err_set(e, 0, "%s is too large; numbers have 64 bits", s);
	return 0;
}

int parse_duration(const char *s, int64_t *seconds, struct err *e)
{
	static const char units[] = "smh";
	const char *p = s;

	*seconds = 0;
	while (isdigit((unsigned char)*p)) {
		char *end;
		const char *unit;
		unsigned long n = strtoul(p, &end, 10);
		int64_t factor = 1;

		if (*end) {
			unit = strchr(units, *end);
			if (!unit)
				break;
			for (; unit > units; unit--)
				factor *= 60;
			end++;
		}
		if (n > 100ul * 366 * 86400)
			return err_set(e, 0, "that is more than a hundred years");
		*seconds += (int64_t)n * factor;
		p = end;
	}
	if (*p || p == s)
		return err_set(e, 0, "not a duration; write 90s, 10m or 1h30m");
	if (*seconds == 0)
		return err_set(e, 0, "must be longer than nothing");
	return 0;
}

int parse_epoch(const char *s, int64_t *seconds, struct err *e)
{
	static const char *const formats[] = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"};
	uint64_t n;

	if (s[0] == '@') {
		if (parse_u64(s + 1, &n, e) < 0)
			return -1;
		if (n > INT64_MAX / 2 / 1000000000)
			return err_set(e, 0, "too late; the clock of Linux ends in the year 2262");
		*seconds = (int64_t)n;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		struct tm tm = {0};
		const char *end = strptime(s, formats[i], &tm);
		if (end && !*end && (*seconds = timegm(&tm)) >= 0) {
			if (*seconds > INT64_MAX / 2 / 1000000000)
				return err_set(e, 0, "too late; the clock of Linux ends in the year 2262");
			return 0;
		}
	}
	return err_set(e, 0, "not a time since 1970; write 2027-01-01, 2027-01-01T12:00:00Z or @1798761600");
}
