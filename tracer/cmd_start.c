/*
 * simrun start NAME [-ip A] -- CMD [ARGS]: runs CMD as the node NAME. Only variables are set, so a script that uses it runs
 * without the simulator too.
 */
#include "tracer/cmd.h"
#include "tracer/exit_codes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_LEN_MAX = 63 };

struct start {
	const char *ip;
};

static int set_ip(void *to, const char *v, struct err *e)
{
	struct in6_addr addr;

	if (inet_pton(AF_INET, v, &addr) != 1 && inet_pton(AF_INET6, v, &addr) != 1)
		return err_set(e, 0, "not an address; write one like 10.0.0.1 or fd00::1");
	((struct start *)to)->ip = v;
	return 0;
}

static const struct option table[] = {
	{"ip", "A", 0, "the node's address in the simulated network", set_ip},
	OPTIONS_END,
};

static int check_name(const char *name, struct err *e)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	if (!*name || strlen(name) > NAME_LEN_MAX || name[strspn(name, plain)] || *name == '.')
		return err_set(e, 0, "'%s' is no name for a node; use up to %d letters, digits, '-', '_', '.'", name,
			       NAME_LEN_MAX);
	return 0;
}

static void start_help(void)
{
	printf("usage: simrun start NAME [OPTIONS] [--] PROGRAM [ARGS]\n"
	       "\n"
	       "Runs PROGRAM as the node NAME. Outside the simulation it just runs PROGRAM.\n"
	       "\n"
	       "options:\n");
	options_help(table, stdout);
}

int cmd_start(int argc, char **argv)
{
	struct start s = {0};
	struct err e = {0};
	int n, at = 1;

	/* Options may stand before the name as well. */
	n = options_parse(table, &s, argc - at, argv + at, NULL, &e);
	if (n >= 0) {
		at += n;
		if (at == argc)
			return err_set(&e, 0, "no name; write simrun start NAME -- PROGRAM [ARGS]"), usage_error(&e);
		if (check_name(argv[at], &e) < 0)
			return usage_error(&e);
		n = options_parse(table, &s, argc - at - 1, argv + at + 1, NULL, &e);
	}
	if (n == OPTIONS_HELP) {
		start_help();
		return STATUS_PASS;
	}
	if (n < 0)
		return usage_error(&e);
	if (at + 1 + n == argc)
		return err_set(&e, 0, "no program; write simrun start %s -- PROGRAM [ARGS]", argv[at]), usage_error(&e);
	setenv("SIMRUN_NODE", argv[at], 1);
	if (s.ip)
		setenv("SIMRUN_IP", s.ip, 1);
	at += 1 + n;
	if (check_program(argv[at], environ, &n) < 0)
		return n;
	execvp(argv[at], argv + at);
	fprintf(stderr, "simrun: %s: %s\n", argv[at], strerror(errno));
	return STATUS_NOT_EXECUTABLE;
}
