#include "tracer/fault_value.h"

#include "base/mem.h"
#include "vclock/clock.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

struct unit {
	const char *name;
	int64_t factor;
};

static const struct unit time_units[] = {
	{"ns", 1},		 {"us", NS_PER_US},	  {"ms", NS_PER_MS}, {"s", NS_PER_S},
	{"m", 60 * NS_PER_S}, {"h", 3600 * NS_PER_S}, {"d", 86400 * NS_PER_S},
};
static const struct unit byte_units[] = {{"", 1}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}};
/* Millionths. */
static const struct unit chance_units[] = {{"", 1000000}, {"%", 10000}};
static const struct unit ppm_units[] = {{"ppm", 1}, {"%", 10000}, {"", 1}};

static const struct unit *find_unit(const struct unit *u, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(u[i].name, name))
			return &u[i];
	return NULL;
}

/*
 * [-]DIGITS[.DIGITS]UNIT, exactly: in integers, a fraction finer than the smallest step is an error. 0, or -1 when it is
 * no such text or too large.
 */
static int scale(const char *text, const struct unit *units, size_t nunits, int64_t *out)
{
	bool minus = *text == '-';
	const char *s = text + minus, *frac = NULL;
	unsigned __int128 n = 0, tens = 1;
	const struct unit *u;

	if (!isdigit((unsigned char)*s))
		return -1;
	for (; isdigit((unsigned char)*s) || (*s == '.' && !frac); s++) {
		if (*s == '.') {
			frac = s + 1;
			continue;
		}
		n = n * 10 + (unsigned)(*s - '0');
		if (frac)
			tens *= 10;
		if (n > (unsigned __int128)INT64_MAX * 1000 || s - text > 40)
			return -1;
	}
	if (frac && !isdigit((unsigned char)*frac))
		return -1;
	u = find_unit(units, nunits, s);
	if (!u)
		return -1;
	n *= (unsigned __int128)u->factor;
	if (n % tens || n / tens > (unsigned __int128)(INT64_MAX / 2))
		return -1;
	*out = minus ? -(int64_t)(n / tens) : (int64_t)(n / tens);
	return 0;
}

/* n / factor as a decimal number without superfluous zeros; factor is a power of ten. */
static void print_decimal(int64_t n, int64_t factor, const char *unit, struct buf *out)
{
	uint64_t abs = n < 0 ? -(uint64_t)n : (uint64_t)n, whole = abs / (uint64_t)factor, rest = abs % (uint64_t)factor;

	buf_addf(out, "%s%" PRIu64, n < 0 ? "-" : "", whole);
	if (rest) {
		buf_addc(out, '.');
		for (uint64_t place = (uint64_t)factor / 10; rest; place /= 10) {
			buf_addc(out, (char)('0' + rest / place));
			rest %= place;
		}
	}
	buf_adds(out, unit);
}

void time_print(int64_t ns, struct buf *out)
{
	int64_t abs = ns < 0 ? -ns : ns;

	if (ns == VCLOCK_NEVER)
		buf_adds(out, "forever");
	else if (abs >= NS_PER_S || !ns)
		print_decimal(ns, NS_PER_S, "s", out);
	else if (abs >= NS_PER_MS)
		print_decimal(ns, NS_PER_MS, "ms", out);
	else if (abs >= NS_PER_US)
		print_decimal(ns, NS_PER_US, "us", out);
	else
		print_decimal(ns, 1, "ns", out);
}

int time_parse(const char *text, int64_t *ns, struct err *e)
{
	if (!strcmp(text, "forever")) {
		*ns = VCLOCK_NEVER;
		return 0;
	}
	if (scale(text, time_units, ARRAY_LEN(time_units), ns) < 0)
		return err_set(e, 0, "'%s' is no time; write for example 20ms, 1.5s or 2m", text);
	return 0;
}

int rate_parse(const char *text, int64_t *interval_ns, struct err *e)
{
	static const struct unit per[] = {{"", 60 * NS_PER_S}, {"/s", NS_PER_S}, {"/m", 60 * NS_PER_S}, {"/h", 3600 * NS_PER_S}};
	size_t digits = strspn(text, "0123456789.");
	static const struct unit millionths[] = {{"", 1000000}};
	char *number = xstrndup(text, digits);
	const struct unit *u = find_unit(per, ARRAY_LEN(per), text + digits);
	int64_t n;
	int rc = u && digits ? scale(number, millionths, 1, &n) : -1;

	free(number);
	if (rc < 0 || n <= 0)
		return err_set(e, 0, "'%s' is no rate; write for example 6 or 6/m for six a minute, 2/s, 0.5/h", text);
	*interval_ns = MAX((int64_t)((__int128)u->factor * 1000000 / n), 1);
	return 0;
}

void rate_print(int64_t interval_ns, struct buf *out)
{
	static const struct unit per[] = {{"/s", NS_PER_S}, {"/m", 60 * NS_PER_S}, {"/h", 3600 * NS_PER_S}};

	/* The first form that says it exactly; a rate that was parsed has one. */
	for (size_t i = 0; i < ARRAY_LEN(per); i++) {
		__int128 n = (__int128)per[i].factor * 1000000 / interval_ns;
		if (n > 0 && n < INT64_MAX && (int64_t)((__int128)per[i].factor * 1000000 / n) == interval_ns) {
			print_decimal((int64_t)n, 1000000, per[i].name, out);
			return;
		}
	}
	print_decimal((int64_t)MAX((__int128)3600 * NS_PER_S * 1000000 / interval_ns, 1), 1000000, "/h", out);
}

/* ---- names ---- */

int fault_text_check(const char *text, struct err *e)
{
	for (const char *s = text; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return err_set(e, 0, "a control character (0x%02x) is no part of a fault", (unsigned)*s);
	return 0;
}

int word_index(const char *words, const char *name, size_t len)
{
	for (int i = 0;; i++) {
		size_t n = strcspn(words, "|");
		if (n == len && !strncmp(words, name, len))
			return i;
		if (!words[n])
			return -1;
		words += n + 1;
	}
}

static void print_word(const char *words, int64_t i, struct buf *out)
{
	while (i-- > 0)
		words += strcspn(words, "|") + 1;
	buf_add(out, words, strcspn(words, "|"));
	buf_adds(out, "");
}

static bool is_name(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("._-/", s[i]))
			return false;
	return n > 0 && n < 64;
}

/* Names with one of `sep` between them. */
static int parse_names(const char *text, const char *sep, const char *example, struct fault_value *v, struct err *e)
{
	for (const char *s = text;;) {
		size_t n = strcspn(s, sep);
		if (!is_name(s, n))
			return err_set(e, 0, "'%s' names no node; write %s", text, example);
		if (!s[n])
			break;
		s += n + 1;
	}
	v->text = xstrdup(text);
	return 0;
}

static int parse_errno(const char *text, int64_t *n, struct err *e)
{
	for (int i = 1; i < 134; i++)
		if (strerrorname_np(i) && !strcmp(strerrorname_np(i), text)) {
			*n = i;
			return 0;
		}
	return err_set(e, 0, "'%s' is no error; write its name, for example EMFILE", text);
}

/* ---- values ---- */

static int parse_number(const struct fault_param *p, const char *text, int64_t *n, struct err *e)
{
	static const struct unit one[] = {{"", 1}};

	switch (p->type) {
	case FV_TIME:
		return time_parse(text, n, e);
	case FV_COUNT:
		return scale(text, one, 1, n) < 0 ? err_set(e, 0, "'%s' is no number", text) : 0;
	case FV_BYTES:
		return scale(text, byte_units, ARRAY_LEN(byte_units), n) < 0
			       ? err_set(e, 0, "'%s' is no number of bytes; write for example 4096 or 64k", text)
			       : 0;
	case FV_CHANCE:
		return scale(text, chance_units, ARRAY_LEN(chance_units), n) < 0
			       ? err_set(e, 0, "'%s' is no chance; write for example 25%% or 0.25", text)
			       : 0;
	case FV_PPM:
		return scale(text, ppm_units, ARRAY_LEN(ppm_units), n) < 0
			       ? err_set(e, 0, "'%s' is no rate of a clock; write for example 200ppm, -200ppm or 5%%", text)
			       : 0;
	case FV_ERRNO:
		return parse_errno(text, n, e);
	case FV_WORD:
		*n = word_index(p->words, text, strlen(text));
		return *n < 0 ? err_set(e, 0, "'%s' is none of %s", text, p->words) : 0;
	default:
		BUG("parameter %s is no number", p->name);
	}
}

static int check_range(const struct fault_param *p, const char *text, int64_t n, struct err *e)
{
	struct buf lo = {0}, hi = {0};
	int rc = 0;

	if (p->type == FV_WORD || p->type == FV_ERRNO || (n >= p->min && n <= p->max))
		return 0;
	fault_value_print(p, &(struct fault_value){.set = true, .n = p->min}, &lo);
	fault_value_print(p, &(struct fault_value){.set = true, .n = p->max}, &hi);
	rc = err_set(e, 0, "'%s' is out of range; it can be %s to %s", text, lo.data, hi.data);
	buf_clear(&lo);
	buf_clear(&hi);
	return rc;
}

int fault_value_parse(const struct fault_param *p, const char *text, struct fault_value *v, struct err *e)
{
	int rc;

	*v = (struct fault_value){0};
	switch (p->type) {
	case FV_NODE:
		rc = parse_names(text, "", "one name", v, e);
		break;
	case FV_NODES:
		rc = parse_names(text, "+", "names with + between them, as in n1+n2", v, e);
		break;
	case FV_GROUPS:
		rc = parse_names(text, "+|", "groups of names, as in n1+n2|n3", v, e);
		break;
	default:
		rc = parse_number(p, text, &v->n, e);
		if (!rc)
			rc = check_range(p, text, v->n, e);
	}
	v->set = !rc;
	return rc;
}

void fault_value_print(const struct fault_param *p, const struct fault_value *v, struct buf *out)
{
	switch (p->type) {
	case FV_TIME:
		time_print(v->n, out);
		break;
	case FV_COUNT:
	case FV_BYTES:
		buf_addf(out, "%" PRId64, v->n);
		break;
	case FV_CHANCE:
		print_decimal(v->n, 10000, "%", out);
		break;
	case FV_PPM:
		print_decimal(v->n, 1, "ppm", out);
		break;
	case FV_ERRNO:
		buf_adds(out, strerrorname_np((int)v->n) ? strerrorname_np((int)v->n) : "?");
		break;
	case FV_WORD:
		print_word(p->words, v->n, out);
		break;
	case FV_NODE:
	case FV_NODES:
	case FV_GROUPS:
		buf_adds(out, v->text ? v->text : "");
	}
}

void fault_value_copy(struct fault_value *to, const struct fault_value *from)
{
	*to = *from;
	if (from->text)
		to->text = xstrdup(from->text);
}

void fault_value_clear(struct fault_value *v)
{
	free(v->text);
	*v = (struct fault_value){0};
}

int64_t draw_magnitude(struct rng *r, int64_t from, int64_t to)
{
	unsigned doublings = 0;
	int64_t base, n;

	while (doublings < 62 && from <= (to >> (doublings + 1)))
		doublings++;
	base = from << rng_below(r, doublings + 1);
	n = base + (int64_t)rng_below(r, (uint64_t)base);
	return MIN(n, to);
}
