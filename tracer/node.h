/* Nodes: which process tree is one, how it is started again, and what the driver sees of that. */
#ifndef TRACER_NODE_H
#define TRACER_NODE_H

#include "kernel/node.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;
struct proc;
struct file;
struct fdtab;
struct kern;
struct fault;

/*
 * A descriptor that a program was started with. Of a file the launch holds a reference. Of anything whose last close somebody
 * hears of (a pipe, a socket) it must not: such a one is looked for in the node when that goes down (node_keep_files()), and
 * is only used if it is still open there. Files have ids, since their memory is used again.
 */
struct saved_file {
	int fd;
	bool counted;
	struct file *file;
	uint64_t id;
};

/* All that execve needs to start a program again. Shared by the processes that a program forks. */
struct launch {
	unsigned refs;
	bool driver;         /* the driver's own: never the start of a node */
	char *path, *cwd;
	char **argv, **envp; /* NULL-terminated */
	uint32_t uid, gid;   /* the effective ones at that exec */
	bool has_files;      /* the topmost program below the driver, or one that the script named: */
	struct saved_file *files; /* the descriptors that survived exec */
	size_t nfiles;
};

struct launch *launch_new(const char *path, const char *cwd, char **argv, char **envp); /* copies; one reference */
struct launch *launch_ref(struct launch *l);                                            /* NULL is allowed */
void launch_unref(struct sim *s, struct launch *l);                                     /* NULL is allowed */
const char *launch_env(const struct launch *l, const char *name); /* the value, or NULL */

/* How a node's tree hangs in the simulation: node->host. */
struct nodehost {
	struct launch *launch;
	struct proc *root;  /* of the present incarnation; NULL while it is down */
	struct proc *held;  /* the root that was killed, kept as the driver's child until the restart; or NULL */
	bool crashing;      /* the tree is being killed by the simulator */
	bool over;          /* ended by itself or by the script: never started again */
	bool stopping;      /* a fault asked it to end: it will be started again */
	bool exempt;        /* faults leave it alone */
	struct fdtab *kept; /* while it is down, or is being stopped: what it will be started with; or NULL */
	struct fault *slow; /* the fault that makes its calls take longer; NULL: none */
};

static inline struct nodehost *node_host(const struct node *n)
{
	return n->host;
}

struct node *node_new(struct sim *s, const char *name);
void nodes_free(struct sim *s);
/* The process has called exec with success; its hostproc.launch is set, `before` is what it was. */
void node_on_exec(struct sim *s, struct proc *p, const struct launch *before);
/* The process is about to end for the simulated kernel. */
void node_proc_ended(struct sim *s, struct proc *p);
/* Kills the whole tree without the driver hearing of it. The number of processes. */
unsigned node_crash(struct sim *s, struct node *n);
/* Before it goes down: keeps what it is to be started with open. node_crash() does so itself. */
void node_keep_files(struct sim *s, struct node *n);
int node_restart(struct sim *s, struct node *n); /* 0 or -errno */
/* Starts a program as a node without anybody's forking it; *rc is 0 or -errno. */
struct node *node_start(struct sim *s, const char *name, struct launch *l, int *rc);
/* The script killed a node that is down: it will not be started again (kern.held_killed). */
void node_killed_down(struct kern *k, struct proc *held, int status);

#endif
