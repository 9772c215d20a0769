/* Processes: what clone and the time calls need from here. */
#ifndef TRACER_SYS_PROC_H
#define TRACER_SYS_PROC_H

#include "tracer/call.h"

/* A new pidfd of p in the caller's table: its number or -EMFILE. */
int proc_pidfd(struct call *c, struct proc *p, bool cloexec);

#endif
