/* -faults crash: every node but the driver may be killed at seeded times and started again after a seeded downtime. */
#ifndef TRACER_CRASH_H
#define TRACER_CRASH_H

struct sim;
struct node;
struct buf;

void crash_init(struct sim *s); /* looks at cfg->faults_crash */
void crash_clear(struct sim *s);
void crash_schedule(struct sim *s, struct node *n); /* the node has come up for the first time, or anew by the script */
void crash_cancel(struct sim *s, struct node *n);   /* the node has ended for good */
/* The plan as applied: a JSON object. */
void crash_plan(const struct sim *s, struct buf *out);

#endif
