#include "tracer/sites.h"

#include "base/mem.h"
#include "tracer/result.h"
#include "tracer/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define SITES_FILE RUNDIR_PARENT "/sites.json"

static bool same(const struct site *a, const struct site *b)
{
	return a->digest == b->digest && a->size == b->size && a->offset == b->offset && a->generated == b->generated;
}

bool sites_have(const struct sites *l, const struct site *site)
{
	for (size_t i = 0; i < l->n; i++)
		if (same(&l->v[i], site))
			return true;
	return false;
}

bool sites_add(struct sites *l, const struct site *site)
{
	if (l->n == SITES_MAX || sites_have(l, site))
		return false;
	l->v[l->n++] = *site;
	return true;
}

json_t *sites_json(const struct sites *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->n; i++) {
		const struct site *s = &l->v[i];
		json_t *j = json_object();
		json_object_set_new(j, "file", json_bytes(s->file, strlen(s->file)));
		json_object_set_new(j, "xxh3", json_hash(s->digest));
		json_object_set_new(j, "size", json_integer((json_int_t)s->size));
		json_object_set_new(j, s->generated ? "address" : "offset", json_integer((json_int_t)s->offset));
		json_array_append_new(list, j);
	}
	return list;
}

static int one_from_json(struct site *s, const json_t *j, struct err *e)
{
	const char *file = json_string_value(json_object_get(j, "file")), *digest = json_string_value(json_object_get(j, "xxh3"));
	const json_t *size = json_object_get(j, "size"), *at = json_object_get(j, "offset");
	char *end;

	*s = (struct site){.generated = !at};
	if (!at)
		at = json_object_get(j, "address");
	if (!file || !digest || !json_is_integer(size) || !json_is_integer(at))
		return err_set(e, 0, "a site needs file, xxh3, size, and offset or address");
	snprintf(s->file, sizeof s->file, "%.*s", (int)sizeof s->file - 1, file);
	s->digest = strtoull(digest, &end, 16);
	if (*end || end == digest)
		return err_set(e, 0, "'%s' is no digest", digest);
	s->size = (uint64_t)json_integer_value(size);
	s->offset = (uint64_t)json_integer_value(at);
	return 0;
}

int sites_from_json(struct sites *l, const json_t *j, struct err *e)
{
	const json_t *v;
	size_t i;

	l->n = 0;
	if (!json_is_array(j))
		return err_set(e, 0, "not a list of sites");
	json_array_foreach((json_t *)(uintptr_t)j, i, v) {
		struct site s;
		if (one_from_json(&s, v, e) < 0)
			return -1;
		sites_add(l, &s);
	}
	return 0;
}

int sites_load(struct sites *l, struct err *e)
{
	json_error_t je;
	json_t *j;
	int rc;

	l->n = 0;
	if (access(SITES_FILE, F_OK) < 0)
		return 0;
	j = json_load_file(SITES_FILE, 0, &je);
	if (!j)
		return err_set(e, 0, SITES_FILE ": %s; remove it, it will be made anew", je.text);
	rc = sites_from_json(l, j, e);
	json_decref(j);
	return rc < 0 ? err_wrap(e, SITES_FILE) : 0;
}

static int write_list(const struct sites *l, struct err *e)
{
	char *tmp = xasprintf(RUNDIR_PARENT "/.sites-%d", getpid());
	json_t *j = sites_json(l);
	int rc = 0;

	if (json_dump_file(j, tmp, JSON_INDENT(2) | JSON_PRESERVE_ORDER) < 0 || rename(tmp, SITES_FILE) < 0)
		rc = err_set(e, errno, "cannot write " SITES_FILE);
	json_decref(j);
	free(tmp);
	return rc;
}

int sites_note(const struct site *site, struct err *e)
{
	struct sites *l = xnew(struct sites);
	int lock, rc;

	mkdir(RUNDIR_PARENT, 0777);
	lock = open(RUNDIR_PARENT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock >= 0)
		flock(lock, LOCK_EX);
	rc = sites_load(l, e);
	if (!rc && sites_add(l, site))
		rc = write_list(l, e);
	if (lock >= 0)
		close(lock);
	free(l);
	return rc;
}

bool site_file(int fd, uint64_t *digest, uint64_t *size)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_size)
		return false;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return false;
	*digest = XXH3_64bits(p, (size_t)st.st_size);
	*size = (uint64_t)st.st_size;
	munmap(p, (size_t)st.st_size);
	return true;
}
