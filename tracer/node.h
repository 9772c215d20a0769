/* Nodes: which process tree is one, how it is started again, and what the driver sees of that (DESIGN: nodes and scripts). */
#ifndef TRACER_NODE_H
#define TRACER_NODE_H

#include "kernel/node.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;
struct call;
struct proc;
struct fdtab;

/* All that execve needs to start a program again. */
struct launch {
	char *path, *cwd;
	char **argv, **envp;    /* NULL-terminated */
	struct fdtab *fds;      /* the descriptors that survived exec; NULL: none kept */
	uint32_t uid, gid;
	uint64_t sigmask;
};

struct launch *launch_new(const char *path, const char *cwd, char **argv, char **envp); /* copies */
void launch_free(struct sim *s, struct launch *l);                                      /* NULL is allowed */
const char *launch_env(const struct launch *l, const char *name); /* the value, or NULL */

/* How a node's tree hangs in the simulation: node->host. */
struct nodehost {
	struct launch *launch;
	struct proc *root;  /* of the present incarnation; NULL while it is down */
	struct proc *proxy; /* stands where the driver's child was, once the node has been restarted; NULL before */
	uint64_t out_lines;
};

struct node *node_new(struct sim *s, const char *name);
void node_free(struct sim *s, struct node *n);
/* The process has called exec with success; its hostproc.launch is set. */
void node_on_exec(struct sim *s, struct proc *p);
/* Called before the simulated kernel hears of the end. */
void node_proc_ended(struct sim *s, struct proc *p);
/* Kills the whole tree; returns the number of processes. The driver does not hear of it. */
unsigned node_crash(struct sim *s, struct node *n);
/* 0 or -errno. */
int node_restart(struct sim *s, struct node *n);
/* The script killed a node that is down: it will not be started again. */
void node_cancel(struct sim *s, struct node *n, int status);

#endif
