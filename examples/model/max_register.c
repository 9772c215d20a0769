/*
 * A model of one's own for `simrun check`: a register that keeps the largest value written to it.
 *
 *     cc -shared -fPIC -I. -o max_register.so examples/model/max_register.c
 *     simrun check -history examples/model/good.jsonl -model ./max_register.so
 */
#include "checker/model.h"

#include <stdio.h>
#include <stdlib.h>

struct state {
	int64_t max;
};

static void *state_of(int64_t max)
{
	struct state *s = malloc(sizeof *s);

	if (!s)
		abort();
	s->max = max;
	return s;
}

static void *init(const char *initial)
{
	return state_of(initial ? atoll(initial) : 0);
}

static void *step(void *state, const struct simrun_op *op)
{
	struct state *s = state;

	if (op->f[0] == 'w') /* writes of unknown outcome are given to us only where they take effect */
		return op->input_int > s->max ? state_of(op->input_int) : s;
	return !op->output || op->output_int == s->max ? s : NULL;
}

static bool equal(const void *a, const void *b)
{
	return ((const struct state *)a)->max == ((const struct state *)b)->max;
}

static uint64_t hash(const void *state)
{
	return (uint64_t)((const struct state *)state)->max;
}

static void print(const void *state, char *text, size_t n)
{
	snprintf(text, n, "max %lld", (long long)((const struct state *)state)->max);
}

static bool readonly(const struct simrun_op *op)
{
	return op->f[0] == 'r';
}

static const char *check(const struct simrun_op *op)
{
	if (op->f[0] == 'w' && !op->input_is_int)
		return "its value is not an integer";
	if (op->f[0] == 'r' && op->output && !op->output_is_int)
		return "its output is not an integer";
	return NULL;
}

static const char *const operations[] = {"read", "write", NULL};

const struct simrun_model simrun_model = {
	.abi = SIMRUN_MODEL_ABI, .name = "max-register", .operations = operations, .init = init, .step = step, .equal = equal,
	.hash = hash, .print = print, .release = free, .check = check, .readonly = readonly};
