#include "tracer/crash.h"

#include "netsim/net.h"
#include "tracer/node.h"
#include "tracer/sim.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Times are spread evenly over their magnitudes, because nobody knows how long a script runs: 10 ms to about 20 minutes. */
enum { UPTIME_MIN_MS = 10, UPTIME_DOUBLINGS = 17, DOWN_MIN_MS = 20, DOWN_DOUBLINGS = 8, CRASHES_MAX = 3 };

struct crash {
	struct list link;
	struct timer timer; /* the crash, then the restart */
	struct sim *sim;
	struct node *node;
	unsigned nth;       /* of this node */
	unsigned left;      /* crashes that follow on this node */
	int64_t at_ns, down_ns;
	int64_t crashed_ns, restarted_ns; /* -1: did not happen */
	unsigned killed;
	uint64_t connections;
	int restart_error;
};

struct crashes {
	struct list all;
	struct rng rng;
};

void crash_init(struct sim *s)
{
	if (!s->cfg->faults_crash)
		return;
	s->crashes = xnew(struct crashes);
	list_init(&s->crashes->all);
	rng_init(&s->crashes->rng, s->cfg->seed, "faults");
}

void crash_clear(struct sim *s)
{
	if (!s->crashes)
		return;
	list_each_safe(c, tmp, &s->crashes->all, struct crash, link) {
		timer_cancel(&s->kern.clock, &c->timer);
		free(c);
	}
	free(s->crashes);
	s->crashes = NULL;
}

static int64_t draw_ns(struct rng *r, int64_t min_ms, unsigned doublings)
{
	int64_t base = (min_ms * NS_PER_MS) << rng_below(r, doublings);

	return base + (int64_t)rng_below(r, (uint64_t)base);
}

static void on_crash(struct timer *t);

static void plan_next(struct sim *s, struct node *n, unsigned nth, unsigned left)
{
	struct crash *c = xnew(struct crash);

	c->sim = s;
	c->node = n;
	c->nth = nth;
	c->left = left;
	c->at_ns = s->kern.clock.now_ns + draw_ns(&s->crashes->rng, UPTIME_MIN_MS, UPTIME_DOUBLINGS);
	c->down_ns = draw_ns(&s->crashes->rng, DOWN_MIN_MS, DOWN_DOUBLINGS);
	c->crashed_ns = c->restarted_ns = -1;
	list_add_tail(&s->crashes->all, &c->link);
	timer_arm(&s->kern.clock, &c->timer, c->at_ns, on_crash);
}

static void on_restart(struct timer *t)
{
	struct crash *c = container_of(t, struct crash, timer);
	struct sim *s = c->sim;

	c->restart_error = -node_restart(s, c->node);
	if (c->restart_error) {
		sim_warn(s, "node %s could not be started again: %s", c->node->name, strerror(c->restart_error));
		return;
	}
	c->restarted_ns = s->kern.clock.now_ns;
	if (c->left)
		plan_next(s, c->node, c->nth + 1, c->left - 1);
}

static void on_crash(struct timer *t)
{
	struct crash *c = container_of(t, struct crash, timer);
	struct sim *s = c->sim;

	sim_event(s, NULL, "fault crash-%s-%u: node %s is killed", c->node->name, c->nth, c->node->name);
	c->crashed_ns = s->kern.clock.now_ns;
	c->connections = net_count_node_connections(s->net, c->node, NET_OPEN);
	c->killed = node_crash(s, c->node);
	timer_arm(&s->kern.clock, &c->timer, c->crashed_ns + c->down_ns, on_restart);
}

void crash_schedule(struct sim *s, struct node *n)
{
	unsigned count;

	if (!s->crashes)
		return;
	count = (unsigned)rng_below(&s->crashes->rng, CRASHES_MAX + 1);
	if (count)
		plan_next(s, n, 1, count - 1);
}

void crash_cancel(struct sim *s, struct node *n)
{
	if (!s->crashes)
		return;
	list_each(c, &s->crashes->all, struct crash, link)
		if (c->node == n)
			timer_cancel(&s->kern.clock, &c->timer);
}

void crash_plan(const struct sim *s, struct buf *out)
{
	const char *sep = "";

	buf_addf(out, "{\"seed\":%" PRIu64 ",\"faults\":[", s->cfg->seed);
	if (s->crashes)
		list_each(c, &s->crashes->all, struct crash, link) {
			buf_addf(out, "%s{\"id\":\"crash-%s-%u\",\"kind\":\"crash\",\"node\":\"%s\",\"at_ns\":%" PRId64
				 ",\"downtime_ns\":%" PRId64 ",\"applied\":%s",
				 sep, c->node->name, c->nth, c->node->name, c->at_ns - s->boot_ns, c->down_ns, c->crashed_ns >= 0 ? "true" : "false");
			if (c->crashed_ns >= 0)
				buf_addf(out, ",\"effect\":{\"processes_killed\":%u,\"connections_reset\":%" PRIu64
					 ",\"restarted_ns\":%" PRId64 "}", c->killed, c->connections,
				 c->restarted_ns < 0 ? -1 : c->restarted_ns - s->boot_ns);
			buf_adds(out, "}");
			sep = ",";
		}
	buf_adds(out, "]}\n");
}
