/*
 * The calls of the SDK in Go sources: a scan of tokens, which knows comments, literals, imports and brackets, and nothing
 * else of the language. The message must be a string literal, or several joined by '+'.
 */
#include "tracer/catalog.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 64 << 20, DEPTH_MAX = 64, IMPORTS_MAX = 8 };

/* X(function, kind, place of the message among its arguments): of our package, and of Antithesis' package assert. */
#define GO_CALLS(X)                                                                                                \
	X(Always, ALWAYS, 1)                                                                                       \
	X(AlwaysOrUnreachable, ALWAYS_OR_UNREACHABLE, 1)                                                           \
	X(Unreachable, UNREACHABLE, 0)                                                                             \
	X(Sometimes, SOMETIMES, 1)                                                                                 \
	X(Reachable, REACHABLE, 0)                                                                                 \
	X(Eventually, EVENTUALLY, 1)                                                                               \
	X(AlwaysGreaterThan, ALWAYS, 2)                                                                            \
	X(AlwaysGreaterThanOrEqualTo, ALWAYS, 2)                                                                   \
	X(AlwaysLessThan, ALWAYS, 2)                                                                               \
	X(AlwaysLessThanOrEqualTo, ALWAYS, 2)                                                                      \
	X(SometimesGreaterThan, SOMETIMES, 2)                                                                      \
	X(SometimesGreaterThanOrEqualTo, SOMETIMES, 2)                                                             \
	X(SometimesLessThan, SOMETIMES, 2)                                                                         \
	X(SometimesLessThanOrEqualTo, SOMETIMES, 2)                                                                \
	X(AlwaysSome, ALWAYS, 1)                                                                                   \
	X(SometimesAll, SOMETIMES, 1)

static const struct go_call {
	const char *name;
	enum property_kind kind;
	int message;
} calls[] = {
#define X(name, kind, at) {#name, PROP_##kind, at},
	GO_CALLS(X)
#undef X
};

enum token { T_END, T_IDENT, T_STRING, T_OTHER };

struct lexer {
	const char *p, *end;
	unsigned line;
	enum token kind;
	unsigned at_line;     /* where the token begins */
	char c;               /* T_OTHER */
	struct buf text;      /* T_IDENT, T_STRING: NUL-terminated */
};

static bool is_letter(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static void skip_blank(struct lexer *l)
{
	while (l->p < l->end) {
		if (*l->p == '\n') {
			l->line++;
			l->p++;
		} else if (*l->p == ' ' || *l->p == '\t' || *l->p == '\r') {
			l->p++;
		} else if (l->end - l->p > 1 && l->p[0] == '/' && l->p[1] == '/') {
			while (l->p < l->end && *l->p != '\n')
				l->p++;
		} else if (l->end - l->p > 1 && l->p[0] == '/' && l->p[1] == '*') {
			for (l->p += 2; l->p < l->end && !(l->p[-1] == '*' && l->p[0] == '/'); l->p++)
				l->line += *l->p == '\n';
			l->p += l->p < l->end;
		} else {
			return;
		}
	}
}

static void add_rune(struct buf *b, unsigned long c)
{
	if (c < 0x80) {
		buf_addc(b, (char)c);
	} else if (c < 0x800) {
		buf_addc(b, (char)(0xc0 | c >> 6));
		buf_addc(b, (char)(0x80 | (c & 63)));
	} else if (c < 0x10000) {
		buf_addc(b, (char)(0xe0 | c >> 12));
		buf_addc(b, (char)(0x80 | (c >> 6 & 63)));
		buf_addc(b, (char)(0x80 | (c & 63)));
	} else {
		buf_addc(b, (char)(0xf0 | (c >> 18 & 7)));
		buf_addc(b, (char)(0x80 | (c >> 12 & 63)));
		buf_addc(b, (char)(0x80 | (c >> 6 & 63)));
		buf_addc(b, (char)(0x80 | (c & 63)));
	}
}

static unsigned long digits(struct lexer *l, int n, int base)
{
	char t[9] = {0};

	for (int i = 0; i < n && l->p < l->end; i++)
		t[i] = *l->p++;
	return strtoul(t, NULL, base);
}

/* After a backslash. */
static void escape(struct lexer *l)
{
	static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	char c = *l->p;
	const char *at = strchr(letters, c);

	if (c >= '0' && c <= '7') {
		buf_addc(&l->text, (char)digits(l, 3, 8));
		return;
	}
	l->p++;
	if (c == 'x')
		buf_addc(&l->text, (char)digits(l, 2, 16));
	else if (c == 'u' || c == 'U')
		add_rune(&l->text, digits(l, c == 'u' ? 4 : 8, 16));
	else
		buf_addc(&l->text, c && at ? values[at - letters] : c);
}

static void quoted(struct lexer *l, char quote)
{
	for (l->p++; l->p < l->end && *l->p != quote && *l->p != '\n';) {
		if (*l->p == '\\' && l->end - l->p > 1) {
			l->p++;
			escape(l);
		} else {
			buf_addc(&l->text, *l->p++);
		}
	}
	l->p += l->p < l->end;
}

static void raw(struct lexer *l)
{
	for (l->p++; l->p < l->end && *l->p != '`'; l->p++) {
		l->line += *l->p == '\n';
		if (*l->p != '\r') /* as the language says */
			buf_addc(&l->text, *l->p);
	}
	l->p += l->p < l->end;
}

static void next(struct lexer *l)
{
	skip_blank(l);
	l->at_line = l->line;
	buf_reset(&l->text);
	if (l->p >= l->end) {
		l->kind = T_END;
	} else if (is_letter(*l->p) || (*l->p >= '0' && *l->p <= '9')) {
		/* A number is as good as a name: neither is followed by what we look for. */
		while (l->p < l->end && (is_letter(*l->p) || (*l->p >= '0' && *l->p <= '9')))
			buf_addc(&l->text, *l->p++);
		l->kind = T_IDENT;
	} else if (*l->p == '"' || *l->p == '\'') {
		l->kind = *l->p == '"' ? T_STRING : T_OTHER;
		l->c = 0;
		quoted(l, *l->p);
	} else if (*l->p == '`') {
		l->kind = T_STRING;
		raw(l);
	} else {
		l->kind = T_OTHER;
		l->c = *l->p++;
	}
	buf_addc(&l->text, 0);
	l->text.len--;
}

static bool is_other(const struct lexer *l, char c)
{
	return l->kind == T_OTHER && l->c == c;
}

/* ---- imports ---- */

struct imports {
	char *name[IMPORTS_MAX]; /* by which the package is called; "." for none */
	size_t n;
};

static bool ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), k = strlen(tail);

	return n >= k && !strcmp(s + n - k, tail) && (n == k || s[n - k - 1] == '/');
}

/* The name that the package gives itself, or NULL: it is none of those with properties. */
static const char *package_of(const char *path)
{
	if (ends_with(path, "antithesis-sdk-go/assert"))
		return "assert";
	return ends_with(path, "simrun") || ends_with(path, "simrun/sdk/go") ? "simrun" : NULL;
}

/* [name] "path"; l stands at the first of the two. */
static void one_import(struct lexer *l, struct imports *im)
{
	char *name = NULL;
	const char *own;

	if (l->kind == T_IDENT || is_other(l, '.')) {
		name = xstrdup(l->kind == T_IDENT ? l->text.data : ".");
		next(l);
	}
	own = l->kind == T_STRING ? package_of(l->text.data) : NULL;
	if (own && im->n < IMPORTS_MAX) {
		im->name[im->n++] = name ? name : xstrdup(own);
		name = NULL;
	}
	free(name);
	next(l);
}

static void imports(struct lexer *l, struct imports *im)
{
	next(l);
	if (!is_other(l, '(')) {
		one_import(l, im);
		return;
	}
	next(l);
	while (l->kind != T_END && !is_other(l, ')'))
		if (l->kind == T_IDENT || l->kind == T_STRING || is_other(l, '.'))
			one_import(l, im);
		else
			next(l);
}

/* ---- calls ---- */

static const struct go_call *call_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}

/* The argument's text, where it is made of string literals only; NULL otherwise. l stands behind the '('. On return l is
 * behind the literals, which may hold further calls. */
static char *literal_argument(struct lexer l, int place)
{
	int depth = 0;
	struct buf b = {0};
	bool any = false;

	next(&l);
	while (place > 0 && l.kind != T_END) {
		if (l.kind == T_OTHER && strchr("([{", l.c) && l.c)
			depth++;
		if (l.kind == T_OTHER && strchr(")]}", l.c) && l.c && depth-- == 0)
			break;
		place -= depth == 0 && is_other(&l, ',');
		next(&l);
	}
	while (place == 0 && l.kind == T_STRING) {
		buf_add(&b, l.text.data, l.text.len);
		any = true;
		next(&l);
		if (!is_other(&l, '+'))
			break;
		next(&l);
	}
	any = any && (is_other(&l, ',') || is_other(&l, ')'));
	buf_clear(&l.text);
	buf_addc(&b, 0);
	if (any)
		return b.data;
	buf_clear(&b);
	return NULL;
}

static void found_call(struct properties *ps, const struct lexer *l, const struct go_call *c, unsigned line, const char *path)
{
	struct lexer copy = *l;
	char *message, *place;

	copy.text = (struct buf){0};
	message = literal_argument(copy, c->message);
	if (message && *message) {
		place = xasprintf("%s:%u", path, line);
		property_note(ps, c->kind, message, place);
		free(place);
	}
	free(message);
}

/* l stands at an identifier. PACKAGE.FUNCTION(, or FUNCTION( after an import of everything. */
static void maybe_call(struct lexer *l, const struct imports *im, struct properties *ps, const char *path, bool after_dot)
{
	const struct go_call *c = NULL;
	unsigned line = l->at_line;
	bool package = false, dot_import = false;

	for (size_t i = 0; i < im->n; i++) {
		package |= !strcmp(im->name[i], l->text.data);
		dot_import |= !strcmp(im->name[i], ".");
	}
	if (after_dot || (!package && !dot_import)) {
		next(l);
		return;
	}
	if (package) {
		next(l);
		if (!is_other(l, '.'))
			return;
		next(l);
		if (l->kind != T_IDENT)
			return;
	}
	c = call_named(l->text.data);
	next(l);
	if (is_other(l, '[')) /* type arguments */
		while (l->kind != T_END && !is_other(l, ']'))
			next(l);
	if (is_other(l, ']'))
		next(l);
	if (c && is_other(l, '('))
		found_call(ps, l, c, line, path);
}

int catalog_go_text(struct properties *ps, const char *path, const char *text, size_t n, struct err *e)
{
	struct lexer l = {.p = text, .end = text + n, .line = 1};
	struct imports im = {0};
	bool after_dot = false;

	next(&l);
	while (l.kind != T_END) {
		if (l.kind == T_IDENT && !after_dot && !strcmp(l.text.data, "import")) {
			imports(&l, &im);
		} else if (l.kind == T_IDENT) {
			maybe_call(&l, &im, ps, path, after_dot);
			after_dot = false;
		} else {
			after_dot = is_other(&l, '.');
			next(&l);
		}
	}
	buf_clear(&l.text);
	for (size_t i = 0; i < im.n; i++)
		free(im.name[i]);
	return 0;
}

/* ---- files ---- */

static int one_file(struct properties *ps, const char *path, struct err *e)
{
	struct buf text = {0};
	FILE *f = fopen(path, "re");
	size_t n;
	int rc;

	if (!f)
		return err_set(e, errno, "cannot open '%s'", path);
	do {
		n = fread(buf_reserve(&text, 65536), 1, 65536, f);
		text.len += n;
	} while (n == 65536 && text.len < FILE_MAX);
	rc = ferror(f) ? err_set(e, EIO, "cannot read '%s'", path) : 0;
	fclose(f);
	if (!rc && text.len)
		rc = catalog_go_text(ps, path, text.data, text.len, e);
	buf_clear(&text);
	return rc;
}

static bool ends(const char *s, const char *tail)
{
	size_t n = strlen(s), k = strlen(tail);

	return n >= k && !strcmp(s + n - k, tail);
}

static int wanted(const struct dirent *d)
{
	return d->d_name[0] != '.' && d->d_name[0] != '_' && strcmp(d->d_name, "vendor") && strcmp(d->d_name, "testdata");
}

static int walk(struct properties *ps, const char *path, int depth, struct err *e)
{
	struct dirent **list;
	struct stat st;
	int n, rc = 0;

	if (stat(path, &st) < 0)
		return err_set(e, errno, "cannot open '%s'", path);
	if (!S_ISDIR(st.st_mode))
		return one_file(ps, path, e);
	n = scandir(path, &list, wanted, alphasort);
	if (n < 0)
		return err_set(e, errno, "cannot list '%s'", path);
	for (int i = 0; i < n; i++) {
		char *sub = strcmp(path, ".") ? xasprintf("%s/%s", path, list[i]->d_name) : xstrdup(list[i]->d_name);
		if (!rc && lstat(sub, &st) == 0 &&
		    (S_ISDIR(st.st_mode) ? depth < DEPTH_MAX : S_ISREG(st.st_mode) && ends(sub, ".go") && !ends(sub, "_test.go")))
			rc = walk(ps, sub, depth + 1, e);
		free(sub);
		free(list[i]);
	}
	free(list);
	return rc;
}

int catalog_go(struct properties *ps, const char *path, struct err *e)
{
	/* "." itself would stand in front of every name. */
	while (path[0] == '.' && path[1] == '/' && path[2])
		path += 2;
	return walk(ps, path, 0, e);
}
