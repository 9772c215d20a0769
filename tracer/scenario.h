/*
 * What a run consists of besides the driver: the programs that simrun.json names, how long faults last, what must have
 * happened until when, how the history is judged. simrun-config(5) describes the file.
 */
#ifndef TRACER_SCENARIO_H
#define TRACER_SCENARIO_H

#include "base/err.h"
#include "tracer/guestenv.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum role { ROLE_NODE, ROLE_WORKLOAD, ROLE_FINALLY };

struct program {
	enum role role;
	char *name;
	struct strvec argv;  /* empty: a node that the script starts, of which only the settings are given */
	struct strvec env;   /* K=V, besides those of all guests */
	char *directory;     /* NULL: where simrun was started */
	char *ip;            /* NULL: none given */
	bool faults;         /* takes part in faults */
};

/* How the history is checked; see simrun check -h. */
struct judging {
	char *model;         /* NULL: kv */
	char *initial;       /* JSON; NULL: the model's own */
	char *order, *consistency; /* NULL: the default */
	uint64_t budget;     /* configurations; 0: the default */
};

struct scenario {
	struct program *program;
	size_t n;
	int64_t duration_ns; /* of the fault phase, or, without liveness, of the run; 0: no bound */
	int64_t within_ns;   /* of the recovery phase; 0: liveness is not asked for */
	bool faults_after_setup;
	struct judging judging;
	struct strvec forbid_output; /* expressions */
	struct strvec catalog;       /* files and directories of Go sources */
	int64_t ops;         /* the most that simrun_budget() gives; 0: no bound */
	json_t *faults;      /* the member "faults", for the fault engine; NULL: none */
	json_t *options;     /* members that are options of the command as well (sched, cpus, …); NULL: none */
};

bool scenario_has(const struct scenario *sc, enum role role); /* one that simrun starts */
bool scenario_runs(const struct scenario *sc); /* it starts something by itself */

/* Reads the file. -1 with *e: `FILE:LINE: FIELD: what is wrong; what to do`. */
int scenario_load(struct scenario *sc, const char *path, struct err *e);
int scenario_parse(struct scenario *sc, const char *name, const char *text, size_t n, struct err *e);
/* What scenario_parse() reads back: for run.json. NULL: there is nothing to say. */
json_t *scenario_json(const struct scenario *sc);
void scenario_clear(struct scenario *sc);

/* "20s", "500ms", "1m30s", "1.5h": nanoseconds > 0; or -1 with what would be right. */
int duration_parse(const char *text, int64_t *ns, struct err *e);
/* "20s", "1m30s", "1.5ms" */
void duration_print(int64_t ns, char *out, size_t n);

#endif
