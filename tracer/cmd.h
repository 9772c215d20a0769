/* The subcommands. Each is called with its own name in argv[0] and returns an exit status (exit_codes.h). */
#ifndef TRACER_CMD_H
#define TRACER_CMD_H

#include "base/err.h"
#include "tracer/options.h"

int cmd_run(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_start(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_syscalls(int argc, char **argv);
int cmd_catalog(int argc, char **argv);
int cmd_faults(int argc, char **argv);
int cmd_sdk(int argc, char **argv); /* op, prop, event, fail, setup-complete, quiet, buggify, budget, random */

/* Prints the message as a complaint about the command line; STATUS_USAGE. */
int usage_error(const struct err *e);
/* Whether the program can be started; else says why not, in *status as a shell would have it. */
int check_program(const char *program, char *const *env, int *status);

#endif
