/*
 * Run folders, .simrun/seed-N below the launch directory: run.json (what the run is), result.json, plan.json, trace.jsonl
 * and output/NODE. Folders appear whole or not at all: they are made under another name and renamed.
 *
 * A run that is not to be kept touches no file until it has failed: its run.json is made up before the first guest starts,
 * but held in memory, so that a simrun that is killed leaves nothing. With -keep it is written at once.
 */
#ifndef TRACER_RUNDIR_H
#define TRACER_RUNDIR_H

#include "base/buf.h"
#include "base/err.h"
#include "tracer/run.h"
#include "tracer/run_options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The path of a seed's folder, relative to the launch directory. Heap. */
char *rundir_path(uint64_t seed);
/* What run.json says before the run. The caller releases it. */
json_t *rundir_header(const struct run_config *cfg);
/* Writes a folder with nothing but run.json. */
int rundir_begin(uint64_t seed, const json_t *header, struct err *e);
/* Writes the whole folder in place of an older one. trace_fd: a file with the trace, or -1. */
int rundir_write(uint64_t seed, json_t *header, const struct run_config *cfg, const struct run_result *res, int trace_fd,
		 struct err *e);

/* Writes history.jsonl and timeline.html, where the run has them, into an existing folder. */
int rundir_add_history(const char *path, const struct run_result *res, struct err *e);

/* What a folder tells of an earlier run. */
struct rundir_record {
	char *directory;   /* the launch directory */
	char *version;
	struct strvec argv;
	bool has_result;   /* result.json was there; then: */
	uint64_t hash, calls;
	struct strvec binaries; /* "path digest" */
	struct sites sites;
	char *at, *until_output; /* that cfg points to */
};
/* Fills in o->cfg, o->env and o->seeds, and *rec, which must live as long as *o is used. */
int rundir_load(const char *dir, struct run_options *o, struct rundir_record *rec, struct err *e);
void rundir_record_clear(struct rundir_record *rec);

/* A file without a name, for a trace that may not be wanted in the end. -1 with *e. */
int unnamed_file(struct err *e);
/* Appends all of the file `from` to the descriptor `to`. */
int copy_file(int from, int to, struct err *e);

#endif
