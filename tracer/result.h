/* Results of runs: their names, their exit status, their way from the supervisor's process to the command, their JSON. */
#ifndef TRACER_RESULT_H
#define TRACER_RESULT_H

#include "base/buf.h"
#include "base/err.h"
#include "tracer/exit_codes.h"
#include "tracer/run.h"

#include <jansson.h>
#include <stdbool.h>

/* "deadlock"; empty for a run that passed. */
const char *verdict_class_name(enum verdict_class c);
enum exit_status verdict_status(enum verdict_class c);
/* "pass", "fail", "unknown", "unrepeatable", "timeout", "error". */
const char *verdict_name(enum verdict_class c);

/* The bytes that carry a result through a pipe between two processes of the same binary. */
void result_pack(struct buf *out, const struct run_result *r);
/* Whether `in` holds a whole message yet. */
bool result_complete(const struct buf *in);
/* 0, or -1 when these are not the bytes of a result. */
int result_unpack(const struct buf *in, struct run_result *r);

/* The object of one seed, as documented in simrun(1). The caller releases it. */
json_t *result_json(const struct run_config *cfg, uint64_t seed, const struct run_result *r);
/* The lines of `text` as an array of strings. */
json_t *json_lines(const struct buf *text);
/* Seeds beyond what a JSON reader's integers hold are written as text. */
json_t *json_seed(uint64_t seed);
/* Bytes as text; what is no UTF-8 becomes U+FFFD, because JSON has no other way. */
json_t *json_bytes(const char *s, size_t n);
/* 16 hexadecimal digits. */
json_t *json_hash(uint64_t h);

#endif
