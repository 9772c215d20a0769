/* siginfo_t of the ABI, made from and into a queued signal. */
#ifndef TRACER_SIGINFO_H
#define TRACER_SIGINFO_H

#include "kernel/task.h"

#include <signal.h>

void siginfo_make(siginfo_t *si, const struct sigitem *it);
/* What rt_sigqueueinfo and its like were given; the signal number is `sig`, whatever the structure says. */
void siginfo_parse(struct sigitem *it, int sig, const siginfo_t *si);

#endif
