/*
 * The environment of the guests: PATH, HOME, USER and SHELL of the caller, a fixed TERM, LANG and TZ, the SIMRUN_*
 * variables, and what -env names. Nothing else passes, so a run does not depend on who starts it from where.
 */
#ifndef TRACER_GUESTENV_H
#define TRACER_GUESTENV_H

#include "base/err.h"

#include <stddef.h>

struct strvec {
	char **v; /* NULL-terminated once it holds anything; owned, as are the strings */
	size_t n;
};

void strvec_add(struct strvec *l, const char *s);
void strvec_clear(struct strvec *l);

/* Notes -env K or K=V: 0, or -1 with *e. The last one for a name counts. */
int guestenv_add(struct strvec *env, const char *arg, struct err *e);
/* The whole environment, sorted: `added` (K=V) over what passes of `outside` (an environ) over the fixed values. */
struct strvec guestenv_make(const struct strvec *added, char *const *outside);
/* The value of `name` in a NULL-terminated K=V list, or NULL. */
const char *env_get(char *const *env, const char *name);
/*
 * Where `program` is found as execvp(3) would: itself when it has a slash, else along PATH of `env`. A heap string, or NULL
 * with errno ENOENT or EACCES.
 */
char *find_program(const char *program, char *const *env);

#endif
