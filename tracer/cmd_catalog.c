/* simrun catalog PATH...: the properties that Go sources and programs name. */
#include "tracer/catalog.h"
#include "tracer/cmd.h"
#include "tracer/exit_codes.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fcntl.h>

struct listing {
	const char *json_path; /* NULL: none */
};

static int set_json(void *to, const char *v, struct err *e)
{
	((struct listing *)to)->json_path = v;
	return 0;
}

static const struct option table[] = {
	{"json", "FILE", 0, "write an array of objects; - is standard output", set_json},
	OPTIONS_END,
};

static void help(void)
{
	printf("usage: simrun catalog [OPTIONS] PATH ...\n"
	       "\n"
	       "Lists the properties that Go sources (a file, or all below a directory) and\n"
	       "programs built with the C interface name, whether or not they are ever reached.\n"
	       "\n"
	       "options:\n");
	options_help(table, stdout);
}

static bool is_elf(const char *path)
{
	char magic[4] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool yes = fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic && !memcmp(magic, "\177ELF", 4);

	if (fd >= 0)
		close(fd);
	return yes;
}

static int write_json(const struct properties *ps, const char *path, struct err *e)
{
	bool to_stdout = !strcmp(path, "-"), bad;
	FILE *f = to_stdout ? stdout : fopen(path, "we");
	struct buf b = {0};

	if (!f)
		return err_set(e, errno, "cannot write '%s'", path);
	properties_json(ps, &b);
	fprintf(f, "%s\n", b.data);
	buf_clear(&b);
	bad = ferror(f) | (to_stdout ? fflush(f) : fclose(f));
	return bad ? err_set(e, errno, "cannot write '%s'", path) : 0;
}

static int collect(struct properties *ps, int argc, char **argv, struct err *e)
{
	for (int i = 0; i < argc; i++) {
		if (is_elf(argv[i]))
			catalog_elf(ps, argv[i]);
		else if (catalog_go(ps, argv[i], e) < 0)
			return -1;
	}
	return 0;
}

int cmd_catalog(int argc, char **argv)
{
	struct listing l = {0};
	struct properties ps = {0};
	struct err e = {0};
	int n = options_parse(table, &l, argc - 1, argv + 1, NULL, &e), rc;

	if (n == OPTIONS_HELP) {
		help();
		return STATUS_PASS;
	}
	if (n >= 0 && n == argc - 1)
		n = err_set(&e, 0, "no source; write simrun catalog PATH ...");
	if (n < 0)
		return usage_error(&e);
	rc = collect(&ps, argc - 1 - n, argv + 1 + n, &e);
	for (size_t i = 0; !rc && i < ps.n && (!l.json_path || strcmp(l.json_path, "-")); i++)
		printf("%-22s %s  (%s)\n", property_kind_name(ps.v[i].kind), ps.v[i].message,
		       ps.v[i].location ? ps.v[i].location : "?");
	if (!rc && l.json_path)
		rc = write_json(&ps, l.json_path, &e);
	properties_clear(&ps);
	if (rc < 0)
		fprintf(stderr, "simrun: %s\n", e.msg);
	return rc < 0 ? STATUS_HARNESS : STATUS_PASS;
}
