/* The C side of docs/sdk.md. One file, to be compiled into a program, or linked as libsimrun.a. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "simrun.h"

#include "simrun_wire.h"

#include <elf.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int simrun_state_ = -1;

/* ---- is there a simulation? ---- */

/*
 * Simrun's own vDSO has the marker symbol. The host's may have no DT_HASH at all, in which case it is not simrun's.
 * Addresses in its dynamic section are relative to where it lies, as in every vDSO (it is not relocated).
 */
#ifndef SIMRUN_CALL_ /* a test puts its own in place of these two */
static bool find_mark(const unsigned char *base)
{
	const Elf64_Ehdr *eh = (const void *)base;
	const Elf64_Phdr *ph = (const void *)(base + eh->e_phoff);
	const Elf64_Dyn *dyn = NULL;
	const Elf64_Sym *sym = NULL;
	const char *str = NULL;
	const uint32_t *hash = NULL;

	for (int i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_DYNAMIC)
			dyn = (const void *)(base + ph[i].p_vaddr);
	for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
		const void *at = base + dyn->d_un.d_ptr;
		if (dyn->d_tag == DT_SYMTAB)
			sym = at;
		else if (dyn->d_tag == DT_STRTAB)
			str = at;
		else if (dyn->d_tag == DT_HASH)
			hash = at;
	}
	for (uint32_t i = 0; sym && str && hash && i < hash[1]; i++)
		if (!strcmp(str + sym[i].st_name, SIMRUN_MARK))
			return true;
	return false;
}

static bool detect(void)
{
	unsigned long base = getauxval(AT_SYSINFO_EHDR);

	return base && !memcmp((const void *)base, ELFMAG, SELFMAG) && find_mark((const void *)base);
}

static long call(const char *msg, size_t n, void *reply, size_t room)
{
	int saved = errno;
	long r = syscall(SIMRUN_NR, SIMRUN_WIRE, msg, n, reply, room);

	r = r == -1 ? -errno : r;
	errno = saved;
	return r;
}
#define SIMRUN_CALL_ call
#define SIMRUN_DETECT_ detect
#endif

bool simrun_active(void)
{
	if (simrun_state_ < 0)
		simrun_state_ = SIMRUN_DETECT_();
	return simrun_state_ > 0;
}

/* ---- messages: JSON objects on one line ---- */

struct msg {
	char *p;
	size_t n, cap;
	char small[1024];
};

static void room(struct msg *m, size_t more)
{
	char *p;

	if (m->n + more <= m->cap)
		return;
	m->cap = (m->n + more) * 2;
	p = realloc(m->p == m->small ? NULL : m->p, m->cap);
	if (!p)
		abort();
	if (m->p == m->small)
		memcpy(p, m->small, m->n);
	m->p = p;
}

static void raw(struct msg *m, const char *s)
{
	size_t n = strlen(s);

	room(m, n);
	memcpy(m->p + m->n, s, n);
	m->n += n;
}

/* Bytes that are no UTF-8 pass as they are: simrun replaces them. */
static void text(struct msg *m, const char *s)
{
	char esc[8];

	raw(m, "\"");
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		room(m, 6);
		if (c == '"' || c == '\\') {
			m->p[m->n++] = '\\';
			m->p[m->n++] = (char)c;
		} else if (c == '\n' || c == '\r' || c == '\t') {
			m->p[m->n++] = '\\';
			m->p[m->n++] = c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
		} else if (c < 0x20) {
			snprintf(esc, sizeof esc, "\\u%04x", c);
			raw(m, esc);
		} else {
			m->p[m->n++] = (char)c;
		}
	}
	raw(m, "\"");
}

static void key(struct msg *m, const char *k)
{
	raw(m, m->n ? "," : "{");
	text(m, k);
	raw(m, ":");
}

static void add_text(struct msg *m, const char *k, const char *s)
{
	key(m, k);
	if (s)
		text(m, s);
	else
		raw(m, "null");
}

static void add_json(struct msg *m, const char *k, const char *json)
{
	key(m, k);
	raw(m, json ? json : "null");
}

static void add_int(struct msg *m, const char *k, int64_t v)
{
	char s[32];

	snprintf(s, sizeof s, "%lld", (long long)v);
	add_json(m, k, s);
}

static void add_bool(struct msg *m, const char *k, bool v)
{
	add_json(m, k, v ? "true" : "false");
}

#define BEGIN(m) \
	struct msg m; \
	m.p = m.small, m.n = 0, m.cap = sizeof m.small

static long ask(struct msg *m, void *reply, size_t room_)
{
	long r;

	raw(m, "}");
	r = SIMRUN_CALL_(m->p, m->n, reply, room_);
	if (m->p != m->small)
		free(m->p);
	return r;
}

static void tell(struct msg *m)
{
	(void)ask(m, NULL, 0);
}

int64_t simrun_send(const char *json)
{
	return simrun_active() ? SIMRUN_CALL_(json, strlen(json), NULL, 0) : -1;
}

/* ---- ending ---- */

static void stop(const char *what, const char *msg, const char *where, const char *details)
{
	fprintf(stderr, "simrun: %s: %s%s%s (%s)\n", what, msg, details ? ": " : "", details ? details : "", where);
	abort();
}

void simrun_fail_(const char *where, const char *func, const char *fmt, ...)
{
	char msg[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof msg, fmt, ap);
	va_end(ap);
	if (simrun_active()) {
		BEGIN(m);
		add_text(&m, "simrun", "fail");
		add_text(&m, "message", msg);
		add_text(&m, "location", where);
		add_text(&m, "function", func);
		tell(&m);
	}
	stop("failed", msg, where, NULL);
	abort();
}

/* ---- properties ---- */

static const char *const kinds[] = {"always", "always_or_unreachable", "unreachable", "sometimes", "reachable"};

const char *simrun_details_(const char *fmt, ...)
{
	static __thread char s[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s, sizeof s, fmt, ap);
	va_end(ap);
	return s;
}

static void begin_property(struct msg *m, struct simrun_site_ *site, bool cond)
{
	site->told |= cond ? 2 : 1;
	add_text(m, "simrun", kinds[site->kind]);
	add_text(m, "message", site->msg);
	if (site->kind != SIMRUN_K_REACHABLE && site->kind != SIMRUN_K_UNREACHABLE)
		add_bool(m, "condition", cond);
	add_text(m, "location", site->where);
	add_text(m, "function", site->func);
}

static bool violated(const struct simrun_site_ *site, bool cond)
{
	return !cond && site->kind <= SIMRUN_K_UNREACHABLE;
}

void simrun_tell_(struct simrun_site_ *site, bool cond, const char *details)
{
	if (simrun_active()) {
		BEGIN(m);
		begin_property(&m, site, cond);
		if (details)
			add_text(&m, "details", details);
		tell(&m);
	} else if (violated(site, cond)) {
		stop(kinds[site->kind], site->msg, site->where, details);
	}
}

/* ---- numbers ---- */

static int compare_ints(struct simrun_num_ l, struct simrun_num_ r)
{
	__int128 a = l.kind ? (__int128)l.u : l.i, b = r.kind ? (__int128)r.u : r.i;

	return a < b ? -1 : a > b;
}

/* An integer against a double, exactly: both fit into a long double of x86-64 (64 bits of mantissa). */
static long double wide(struct simrun_num_ n)
{
	return n.kind == 0 ? (long double)n.i : n.kind == 1 ? (long double)n.u : (long double)n.d;
}

bool simrun_compare_mixed_(struct simrun_num_ l, const char *op, struct simrun_num_ r)
{
	bool less, equal;

	if (l.kind < 2 && r.kind < 2) {
		less = compare_ints(l, r) < 0;
		equal = compare_ints(l, r) == 0;
	} else {
		/* Whatever is compared with NaN is false. */
		if (isnan(wide(l)) || isnan(wide(r)))
			return false;
		less = wide(l) < wide(r);
		equal = wide(l) == wide(r);
	}
	if (equal)
		return op[1] == '=';
	return less == (op[0] == '<');
}

static double margin(struct simrun_num_ l, const char *op, struct simrun_num_ r)
{
	long double d = wide(l) - wide(r);

	return (double)(op[0] == '<' ? -d : d);
}

bool simrun_news_(struct simrun_site_ *site, struct simrun_num_ l, const char *op, struct simrun_num_ r)
{
	bool always = site->kind == SIMRUN_K_ALWAYS, cond = simrun_compare_(l, op, r);
	double m = margin(l, op, r);

	if (simrun_want_(site, cond))
		return true;
	return !(site->told & 4) || (always ? m < site->margin : m > site->margin);
}

static void number(struct msg *m, const char *k, struct simrun_num_ n)
{
	char s[40];
	int digits = 1;

	if (n.kind == 0)
		snprintf(s, sizeof s, "%lld", (long long)n.i);
	else if (n.kind == 1)
		snprintf(s, sizeof s, "%llu", (unsigned long long)n.u);
	else if (isfinite(n.d))
		do /* as few digits as bring it back */
			snprintf(s, sizeof s, "%.*g", digits, n.d);
		while (strtod(s, NULL) != n.d && digits++ < 17);
	else
		snprintf(s, sizeof s, "\"%s\"", isnan(n.d) ? "NaN" : n.d < 0 ? "-Infinity" : "Infinity");
	add_json(m, k, s);
}

void simrun_tell_numbers_(struct simrun_site_ *site, struct simrun_num_ l, const char *op, struct simrun_num_ r,
			  const char *details)
{
	bool cond = simrun_compare_(l, op, r);
	double now = margin(l, op, r);

	if (simrun_active()) {
		BEGIN(m);
		if (!(site->told & 4) || (site->kind == SIMRUN_K_ALWAYS ? now < site->margin : now > site->margin))
			site->margin = now;
		site->told |= 4;
		begin_property(&m, site, cond);
		number(&m, "left", l);
		add_text(&m, "op", op);
		number(&m, "right", r);
		if (details)
			add_text(&m, "details", details);
		tell(&m);
	} else if (violated(site, cond)) {
		BEGIN(m);
		number(&m, "left", l);
		number(&m, "right", r);
		if (details)
			add_text(&m, "details", details);
		raw(&m, "}");
		room(&m, 1);
		m.p[m.n] = 0;
		stop(kinds[site->kind], site->msg, site->where, m.p);
	}
}

/* ---- groups ---- */

bool simrun_names_true_(struct simrun_names_ names, bool all)
{
	for (size_t i = 0; i < names.n; i++)
		if (names.v[i].value != all)
			return !all;
	return all;
}

/* {"primary":true,… without its end. */
static void begin_names(struct msg *m, struct simrun_names_ names)
{
	for (size_t i = 0; i < names.n; i++)
		add_bool(m, names.v[i].name, names.v[i].value);
}

static void add_names(struct msg *m, struct simrun_names_ names)
{
	BEGIN(sub);

	begin_names(&sub, names);
	room(&sub, 2);
	sub.p[sub.n++] = '}';
	sub.p[sub.n] = 0;
	add_json(m, "named", sub.p);
	if (sub.p != sub.small)
		free(sub.p);
}

void simrun_tell_group_(struct simrun_site_ *site, const char *op, bool cond, struct simrun_names_ names, const char *details)
{
	BEGIN(m);

	if (simrun_active()) {
		begin_property(&m, site, cond);
		add_text(&m, "op", op);
		add_names(&m, names);
		if (details)
			add_text(&m, "details", details);
		tell(&m);
	} else if (violated(site, cond)) {
		begin_names(&m, names);
		if (details)
			add_text(&m, "details", details);
		raw(&m, "}");
		room(&m, 1);
		m.p[m.n] = 0;
		stop(kinds[site->kind], site->msg, site->where, m.p);
	}
}

/* ---- eventually ---- */

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * SIMRUN_SECOND + ts.tv_nsec;
}

static void sleep_ns(int64_t ns)
{
	struct timespec ts = {.tv_sec = ns / SIMRUN_SECOND, .tv_nsec = ns % SIMRUN_SECOND};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}

static void tell_eventually(const char *where, const char *func, const char *msg, int64_t within, int cond)
{
	BEGIN(m);

	add_text(&m, "simrun", "eventually");
	add_text(&m, "message", msg);
	if (cond >= 0)
		add_bool(&m, "condition", cond);
	add_text(&m, "location", where);
	add_text(&m, "function", func);
	add_int(&m, "within", within);
	tell(&m);
}

bool simrun_eventually_(const char *where, const char *func, const char *msg, bool (*cond)(void *arg), void *arg,
			int64_t within)
{
	int64_t until = now_ns() + within, step = within / 100;
	bool done;

	if (simrun_active())
		tell_eventually(where, func, msg, within, -1);
	while (!(done = cond(arg)) && now_ns() < until)
		sleep_ns(step > 0 ? step : 1);
	if (simrun_active())
		tell_eventually(where, func, msg, within, done);
	else if (!done)
		stop("eventually", msg, where, simrun_details_("not true within %gms", (double)within / 1e6));
	return done;
}

/* ---- events and the rest ---- */

void simrun_event(const char *name, const char *details)
{
	BEGIN(m);

	if (!simrun_active())
		return;
	add_text(&m, "simrun", "event");
	add_text(&m, "name", name);
	add_json(&m, "details", details);
	tell(&m);
}

void simrun_eventf(const char *name, const char *fmt, ...)
{
	char *details = NULL;
	va_list ap;

	if (!simrun_active())
		return;
	va_start(ap, fmt);
	if (vasprintf(&details, fmt, ap) < 0)
		abort();
	va_end(ap);
	simrun_event(name, details);
	free(details);
}

bool simrun_buggify(const char *site)
{
	BEGIN(m);

	if (!simrun_active())
		return false;
	add_text(&m, "simrun", "buggify");
	add_text(&m, "site", site);
	return ask(&m, NULL, 0) == 1;
}

void simrun_quiet_for(int64_t ns)
{
	BEGIN(m);

	if (!simrun_active())
		return;
	add_text(&m, "simrun", "quiet");
	add_int(&m, "for", ns);
	tell(&m);
}

void simrun_setup_complete(void)
{
	BEGIN(m);

	if (!simrun_active())
		return;
	add_text(&m, "simrun", "setup_complete");
	tell(&m);
}

int64_t simrun_budget(int64_t n)
{
	long r;
	BEGIN(m);

	if (!simrun_active())
		return n;
	add_text(&m, "simrun", "budget");
	add_int(&m, "n", n);
	r = ask(&m, NULL, 0);
	return r < 0 ? n : r;
}

uint64_t simrun_random(void)
{
	uint64_t v = 0;
	BEGIN(m);

	if (simrun_active()) {
		add_text(&m, "simrun", "random");
		ask(&m, &v, sizeof v);
	} else {
		while (syscall(SYS_getrandom, &v, sizeof v, 0) != (long)sizeof v)
			;
	}
	return v;
}

/* ---- history ---- */

static simrun_id invoke(int64_t client, const char *f, const char *k, struct msg *value)
{
	BEGIN(m);
	simrun_id id;

	raw(value, "");
	room(value, 1);
	value->p[value->n] = 0;
	add_text(&m, "type", "invoke");
	add_int(&m, "process", client);
	add_text(&m, "f", f);
	add_text(&m, "key", k);
	add_json(&m, "value", value->p);
	id = ask(&m, NULL, 0);
	if (value->p != value->small)
		free(value->p);
	return id;
}

static void complete(simrun_id id, const char *type, const char *json)
{
	BEGIN(m);

	if (!simrun_active() || id < 0)
		return;
	add_text(&m, "type", type);
	add_int(&m, "id", id);
	if (!strcmp(type, "ok"))
		add_json(&m, "value", json);
	tell(&m);
}

simrun_id simrun_put(int64_t client, const char *k, const char *value)
{
	BEGIN(v);

	if (!simrun_active())
		return -1;
	text(&v, value);
	return invoke(client, "put", k, &v);
}

simrun_id simrun_get(int64_t client, const char *k)
{
	return simrun_invoke(client, "get", k, NULL);
}

simrun_id simrun_invoke(int64_t client, const char *f, const char *k, const char *value)
{
	BEGIN(v);

	if (!simrun_active())
		return -1;
	raw(&v, value ? value : "null");
	return invoke(client, f, k, &v);
}

void simrun_ok(simrun_id id, const char *output)
{
	BEGIN(v);

	if (!output) {
		complete(id, "ok", "null");
		return;
	}
	text(&v, output);
	room(&v, 1);
	v.p[v.n] = 0;
	complete(id, "ok", v.p);
	if (v.p != v.small)
		free(v.p);
}

void simrun_ok_int(simrun_id id, int64_t output)
{
	char s[32];

	snprintf(s, sizeof s, "%lld", (long long)output);
	complete(id, "ok", s);
}

void simrun_ok_bool(simrun_id id, bool output)
{
	complete(id, "ok", output ? "true" : "false");
}

void simrun_ok_json(simrun_id id, const char *json)
{
	complete(id, "ok", json ? json : "null");
}

void simrun_unknown(simrun_id id)
{
	complete(id, "info", NULL);
}

void simrun_failed(simrun_id id)
{
	complete(id, "fail", NULL);
}

/* As triples [f, key, value]; a read's value is null before it is known. */
static void add_mops(struct msg *v, const struct simrun_mop *mops, size_t n, bool results)
{
	raw(v, "[");
	for (size_t i = 0; i < n; i++) {
		const struct simrun_mop *p = &mops[i];
		raw(v, i ? ",[" : "[");
		text(v, p->append ? "append" : "r");
		raw(v, ",");
		text(v, p->key);
		raw(v, ",");
		if (p->append) {
			text(v, p->append);
		} else if (!results) {
			raw(v, "null");
		} else {
			raw(v, "[");
			for (size_t k = 0; k < p->n; k++) {
				if (k)
					raw(v, ",");
				text(v, p->list[k]);
			}
			raw(v, "]");
		}
		raw(v, "]");
	}
	raw(v, "]");
}

simrun_id simrun_txn(int64_t client, const struct simrun_mop *mops, size_t n)
{
	BEGIN(v);

	if (!simrun_active())
		return -1;
	add_mops(&v, mops, n, false);
	return invoke(client, "txn", NULL, &v);
}

void simrun_ok_txn(simrun_id id, const struct simrun_mop *mops, size_t n)
{
	BEGIN(v);

	if (!simrun_active() || id < 0)
		return;
	add_mops(&v, mops, n, true);
	room(&v, 1);
	v.p[v.n] = 0;
	complete(id, "ok", v.p);
	if (v.p != v.small)
		free(v.p);
}

const char *simrun_json(const char *s)
{
	enum { BUFS = 4 };
	static __thread char *bufs[BUFS];
	static __thread unsigned next;
	char **b = &bufs[next++ % BUFS];
	BEGIN(m);

	text(&m, s);
	room(&m, 1);
	m.p[m.n] = 0;
	free(*b);
	*b = m.p == m.small ? strdup(m.small) : m.p;
	return *b ? *b : "\"\"";
}
