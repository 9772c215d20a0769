/*
 * A model of your own for `simrun check -model ./my.so`: a shared object that exports
 *
 *     const struct simrun_model simrun_model = { .abi = SIMRUN_MODEL_ABI, .name = …, … };
 *
 * A state is a pointer that only the model understands. It must not change once it has been returned. Equality is
 * always asked of the model: the hash only finds candidates. See simrun-model(5) and examples/model/.
 */
#ifndef SIMRUN_MODEL_H
#define SIMRUN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIMRUN_MODEL_ABI 1

enum simrun_status { SIMRUN_OK = 1, SIMRUN_UNKNOWN = 2 };

struct simrun_op {
	const char *f;      /* the operation's name */
	const char *key;    /* JSON, "null" when the history has none */
	const char *input;  /* JSON */
	const char *output; /* JSON; NULL when the outcome is unknown: any output is possible */
	int64_t input_int, output_int; /* the same, where they are integers */
	bool input_is_int, output_is_int;
	enum simrun_status status;
	int64_t id;
	const char *process; /* JSON */
};

struct simrun_model {
	unsigned abi;
	const char *name;
	const char *const *operations; /* NULL-terminated, alphabetical: others are an error */
	bool whole_history;            /* false: each key is checked on its own */
	/* The first state. initial: JSON from -initial, or NULL. */
	void *(*init)(const char *initial);
	/* The state after op in `state`, or NULL when op cannot happen there with this output. May return `state`
	 * itself. With status SIMRUN_UNKNOWN the state after op has taken effect. */
	void *(*step)(void *state, const struct simrun_op *op);
	bool (*equal)(const void *a, const void *b);
	uint64_t (*hash)(const void *state);
	/* A short text for people; at most n bytes with the final NUL. */
	void (*print)(const void *state, char *text, size_t n);
	void (*release)(void *state);
	/* Optional. NULL, or what is wrong with op: the check then ends with this error. */
	const char *(*check)(const struct simrun_op *op);
	/* Optional. True when op never changes a state: makes the search faster. */
	bool (*readonly)(const struct simrun_op *op);
};

#endif
