/* The private view of the host's file system in which a run lives (DESIGN: copy-on-write, nothing outside changes). */
#ifndef TRACER_VIEW_H
#define TRACER_VIEW_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * Moves this process into namespaces of its own: user (unless root), mount, network, IPC, UTS, and pid for its children.
 * Builds the view and enters it; `at`: where the current directory is bound, or NULL. The current directory afterwards is
 * the launch directory inside the view. /proc is mounted by view_init_process().
 */
int view_enter(const char *at, struct err *e);
/* Forks pid 1 of the new pid namespace, which mounts /proc and then only sleeps; it dies with the supervisor and takes
 * every guest with it. Its pid, or -1. */
pid_t view_init_process(struct err *e);
/* Swaps the guests' /proc for the host's, and back: for libunwind, which looks up the supervisor's pids there. */
void view_show_host_proc(bool on);

#endif
