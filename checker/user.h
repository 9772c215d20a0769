/* Loading a user's model. */
#ifndef CHECKER_USER_H
#define CHECKER_USER_H

#include "checker/model.h"
#include "checker/spec.h"

/* Lives until the process ends. NULL: e->msg says why. */
const struct model *model_load(const char *path, struct err *e);
void user_ops_clear(struct part *p);

#endif
