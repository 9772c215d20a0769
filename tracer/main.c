/* simrun: the command. Chooses the subcommand; the first word that is none is a program to run. */
#include "base/mem.h"
#include "checker/cmd.h"
#include "tracer/cmd.h"
#include "tracer/exit_codes.h"
#include "tracer/run_options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int cmd_help(int argc, char **argv);

static const struct {
	const char *name, *help;
	int (*main)(int argc, char **argv);
} commands[] = {
	{"run", "run a program in the simulation (the default)", cmd_run},
	{"replay", "repeat the run of a run folder and compare", cmd_replay},
	{"start", "run a program as a node of the simulation", cmd_start},
	{"check", "check a recorded history", check_main},
	{"syscalls", "list the system calls and how each is served", cmd_syscalls},
	{"faults", "list what can be injected", cmd_faults},
	{"catalog", "list the properties that sources and programs name", cmd_catalog},
	{"op", "for scripts: record an operation of a client", cmd_sdk},
	{"prop", "for scripts: a property", cmd_sdk},
	{"event", "for scripts: a moment of the run", cmd_sdk},
	{"fail", "for scripts: end the run as failed", cmd_sdk},
	{"setup-complete", "for scripts: faults may begin", cmd_sdk},
	{"quiet", "for scripts: no faults for a while", cmd_sdk},
	{"buggify", "for scripts: shall this site misbehave?", cmd_sdk},
	{"budget", "for scripts: how many operations to make", cmd_sdk},
	{"random", "for scripts: a number from the seed", cmd_sdk},
	{"doctor", "tell whether this machine can run simulations", cmd_doctor},
	{"help", "explain a command", cmd_help},
};

static int find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (!strcmp(commands[i].name, name))
			return (int)i;
	return -1;
}

static void overview(void)
{
	printf("usage: simrun [run] [OPTIONS] [--] PROGRAM [ARGS]\n"
	       "       simrun COMMAND [ARGS]\n"
	       "\n"
	       "Runs unmodified programs, and clusters of them, in a deterministic simulation:\n"
	       "the same seed gives the same run.\n"
	       "\n"
	       "  simrun -seed 7 ./cluster.sh                 one run\n"
	       "  simrun -seeds 1-500 -j 2 -faults crash ./cluster.sh\n"
	       "                                              many, with crashes injected\n"
	       "  simrun replay seed-17                       a failure once more\n"
	       "\n"
	       "commands (simrun COMMAND -h says more; -- in front of a program of that name):\n");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		printf("  %-14s %s\n", commands[i].name, commands[i].help);
	printf("  %-14s %s\n\noptions of run:\n", "-version", "print the version");
	options_help(run_option_table, stdout);
	printf("\nexit status:\n");
#define X(name, code, meaning) printf("  %-4d %s\n", code, meaning);
	EXIT_CODES(X)
#undef X
}

static int cmd_help(int argc, char **argv)
{
	static char flag[] = "-h";
	char *args[] = {NULL, flag, NULL};
	struct err e = {0};
	int i;

	if (argc < 2 || argv[1][0] == '-') {
		overview();
		return STATUS_PASS;
	}
	i = find_command(argv[1]);
	if (i < 0)
		return err_set(&e, 0, "no command '%s'; simrun help lists them", argv[1]), usage_error(&e);
	if (commands[i].main == cmd_help) {
		overview();
		return STATUS_PASS;
	}
	args[0] = argv[1];
	return commands[i].main(2, args);
}

/* "-version" and "--version"; likewise -h and -help. */
static bool is_flag(const char *word, const char *name)
{
	return word[0] == '-' && !strcmp(word + 1 + (word[1] == '-'), name);
}

int main(int argc, char **argv)
{
	int i;

	/* Or jansson would read the clock for its seed, also in a run's process, which may not. */
	json_object_seed(1);
	if (argc < 2)
		return cmd_run(argc, argv); /* which will say what is missing */
	if (is_flag(argv[1], "version")) {
		printf("simrun %s\n", SIMRUN_VERSION);
		return STATUS_PASS;
	}
	if (is_flag(argv[1], "h") || is_flag(argv[1], "help"))
		return cmd_help(1, argv);
	i = find_command(argv[1]);
	return i < 0 ? cmd_run(argc, argv) : commands[i].main(argc - 1, argv + 1);
}
