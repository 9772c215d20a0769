/* simrun [run] [OPTIONS] [--] PROGRAM [ARGS]: runs a program, or a whole cluster, in the simulation. */
#include "tracer/cmd.h"
#include "tracer/exit_codes.h"
#include "tracer/guestenv.h"
#include "tracer/runner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int usage_error(const struct err *e)
{
	fprintf(stderr, "simrun: %s\n", e->msg);
	return STATUS_USAGE;
}

int check_program(const char *program, char *const *env, int *status)
{
	char *path = find_program(program, env);
	bool found = path != NULL;

	if (!found) {
		*status = errno == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
		fprintf(stderr, "simrun: %s: %s\n", program,
			errno == ENOENT ? strchr(program, '/') ? "no such file" : "not found in PATH" : "not executable");
	}
	free(path);
	return found ? 0 : -1;
}

static void run_help(void)
{
	printf("usage: simrun [run] [OPTIONS] [--] PROGRAM [ARGS]\n"
	       "\n"
	       "Runs PROGRAM and everything it starts in a deterministic simulation.\n"
	       "\n"
	       "options:\n");
	options_help(run_option_table, stdout);
}

int cmd_run(int argc, char **argv)
{
	struct run_options o;
	struct runner r;
	struct err e = {0};
	int status;

	run_options_init(&o);
	switch (run_options_parse(&o, argc - 1, argv + 1, &e)) {
	case OPTIONS_HELP:
		run_help();
		status = STATUS_PASS;
		break;
	case 0:
		if (o.cfg.argv[0] && check_program(o.cfg.argv[0], o.env.v, &status) < 0)
			break;
		if (runner_open(&r, &o, &e) < 0) {
			fprintf(stderr, "simrun: %s\n", e.msg);
			status = STATUS_HARNESS;
			break;
		}
		status = runner_go(&r);
		break;
	default:
		status = usage_error(&e);
	}
	run_options_clear(&o);
	return status;
}
