/* The programs of a scenario: nodes, workloads, and those that check the end. Who has finished, and what follows from it. */
#ifndef TRACER_STAGE_H
#define TRACER_STAGE_H

#include "base/err.h"

struct sim;
struct node;
struct stage;

void stage_init(struct sim *s);
/* Starts what is to be started at the beginning. */
int stage_begin(struct sim *s, struct err *e);
void stage_clear(struct sim *s);
/* The driver has exited with 0. */
void stage_driver_done(struct sim *s);
/* A node has ended for good. */
void stage_node_over(struct sim *s, struct node *n, int status);
/* A node comes into being (by the script, or by us), before faults may touch it. */
void stage_node_new(struct sim *s, struct node *n);
/* A line that a node has printed. */
void stage_output(struct sim *s, struct node *n, const char *line);
/* What has still to finish: a node's name; NULL: nothing. */
const char *stage_waits_for(struct sim *s);
/* Nodes that are down and will be started again. */
unsigned stage_nodes_down(struct sim *s);

#endif
