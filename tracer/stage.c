#include "tracer/stage.h"

#include "base/mem.h"
#include "tracer/fault.h"
#include "tracer/node.h"
#include "tracer/phase.h"
#include "tracer/scenario.h"
#include "tracer/sim.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STAGGER_US = 1000 };

/* One program of the scenario in this run. */
struct actor {
	struct sim *s;
	const struct program *program;
	struct node *node; /* NULL: not started yet */
	struct timer start;
	bool over;
};

struct stage {
	struct actor *actor;
	size_t n;
	bool script_runs;  /* the driver is a workload, too */
	size_t finally_at; /* actors before it have been started */
	regex_t *forbidden;
	size_t nforbidden;
};

static const struct program *program_named(const struct sim *s, const char *name)
{
	const struct scenario *sc = s->cfg->scenario;

	for (size_t i = 0; sc && i < sc->n; i++)
		if (!strcmp(sc->program[i].name, name))
			return &sc->program[i];
	return NULL;
}

void stage_init(struct sim *s)
{
	const struct scenario *sc = s->cfg->scenario;
	struct stage *st = xnew(struct stage);

	s->stage = st;
	st->script_runs = s->cfg->argv && s->cfg->argv[0];
	st->n = sc ? sc->n : 0;
	st->actor = xnewn(struct actor, st->n + 1);
	for (size_t i = 0; i < st->n; i++)
		st->actor[i] = (struct actor){.s = s, .program = &sc->program[i], .over = !sc->program[i].argv.n};
	st->forbidden = xnewn(regex_t, (sc ? sc->forbid_output.n : 0) + 1);
	for (size_t i = 0; sc && i < sc->forbid_output.n; i++)
		if (!regcomp(&st->forbidden[st->nforbidden], sc->forbid_output.v[i], REG_EXTENDED | REG_NOSUB))
			st->nforbidden++;
}

void stage_output(struct sim *s, struct node *n, const char *line)
{
	struct stage *st = s->stage;

	for (size_t i = 0; i < st->nforbidden && !s->finished; i++) {
		if (regexec(&st->forbidden[i], line, 0, NULL, 0))
			continue;
		snprintf(s->res->node, sizeof s->res->node, "%s", n->name);
		snprintf(s->res->group, sizeof s->res->group, "%s", s->cfg->scenario->forbid_output.v[i]);
		sim_verdict(s, CLASS_OUTPUT, "%s printed what \"%s\" forbids: %s", n->name, s->cfg->scenario->forbid_output.v[i],
			    line);
	}
}

void stage_clear(struct sim *s)
{
	struct stage *st = s->stage;

	if (!st)
		return;
	for (size_t i = 0; i < st->n; i++)
		timer_cancel(&s->kern.clock, &st->actor[i].start);
	for (size_t i = 0; i < st->nforbidden; i++)
		regfree(&st->forbidden[i]);
	free(st->forbidden);
	free(st->actor);
	free(st);
	s->stage = NULL;
}

void stage_node_new(struct sim *s, struct node *n)
{
	const struct program *p = program_named(s, n->name);

	if (p)
		fault_exempt(s, n, !p->faults);
}

/* ---- starting ---- */

/* The guests' environment, the program's own, and its name. */
static char **environment(const struct sim *s, const struct program *p)
{
	struct strvec env = {0}, own = {0};
	struct err e = {0};
	char *kv;

	for (size_t i = 0; i < p->env.n; i++)
		guestenv_add(&own, p->env.v[i], &e);
	kv = xasprintf("SIMRUN_NODE=%s", p->name);
	guestenv_add(&own, kv, &e);
	free(kv);
	if (p->ip) {
		kv = xasprintf("SIMRUN_IP=%s", p->ip);
		guestenv_add(&own, kv, &e);
		free(kv);
	}
	for (const char *const *v = s->cfg->env; v && *v; v++) {
		size_t len = strcspn(*v, "=") + 1;
		bool replaced = false;
		for (size_t i = 0; i < own.n; i++)
			replaced |= !strncmp(own.v[i], *v, len);
		if (!replaced)
			strvec_add(&env, *v);
	}
	for (size_t i = 0; i < own.n; i++)
		strvec_add(&env, own.v[i]);
	strvec_clear(&own);
	return env.v;
}

static void start_actor(struct actor *a)
{
	struct sim *s = a->s;
	const struct program *p = a->program;
	char cwd[4096], **env = environment(s, p), *path = find_program(p->argv.v[0], env);
	struct launch *l;
	int rc;

	if (!getcwd(cwd, sizeof cwd))
		strcpy(cwd, "/");
	if (p->directory && p->directory[0] == '/')
		snprintf(cwd, sizeof cwd, "%s", p->directory);
	else if (p->directory)
		snprintf(cwd + strlen(cwd), sizeof cwd - strlen(cwd), "/%s", p->directory);
	l = launch_new(path ? path : p->argv.v[0], cwd, p->argv.v, env);
	for (char **v = env; *v; v++)
		free(*v);
	free(env);
	free(path);
	a->node = node_start(s, p->name, l, &rc);
	launch_unref(s, l);
	if (rc)
		sim_verdict(s, CLASS_HARNESS, "cannot start %s: %s", p->name, strerror(-rc));
}

static void on_start(struct timer *t)
{
	start_actor(container_of(t, struct actor, start));
}

static void start_at(struct sim *s, struct actor *a, int64_t at_ns)
{
	timer_arm(&s->kern.clock, &a->start, at_ns, on_start);
}

/* Servers that start in the same nanosecond live in step ever after (elections that never end): each a little later. */
static void start_role(struct sim *s, enum role role, struct rng *r, int64_t *at_ns)
{
	for (size_t i = 0; i < s->stage->n; i++) {
		struct actor *a = &s->stage->actor[i];
		if (a->program->role != role || a->over)
			continue;
		start_at(s, a, *at_ns);
		*at_ns += (1 + (int64_t)rng_below(r, STAGGER_US)) * NS_PER_US;
	}
}

int stage_begin(struct sim *s, struct err *e)
{
	int64_t at = s->kern.clock.now_ns;
	struct rng r;

	rng_init(&r, s->cfg->seed, "stagger");
	start_role(s, ROLE_NODE, &r, &at);
	start_role(s, ROLE_WORKLOAD, &r, &at);
	return 0;
}

/* ---- ending ---- */

const char *stage_waits_for(struct sim *s)
{
	struct stage *st = s->stage;

	for (int role = ROLE_WORKLOAD; role <= ROLE_FINALLY; role++) {
		if (role == ROLE_WORKLOAD && st->script_runs)
			return s->nodes[0]->name;
		for (size_t i = 0; i < st->n; i++)
			if ((int)st->actor[i].program->role == role && !st->actor[i].over)
				return st->actor[i].program->name;
	}
	return NULL;
}

/* The next program that checks the end; none left: the run has passed. */
static void next_finally(struct sim *s)
{
	struct stage *st = s->stage;

	for (; st->finally_at < st->n; st->finally_at++)
		if (st->actor[st->finally_at].program->role == ROLE_FINALLY)
			break;
	if (st->finally_at == st->n) {
		sim_verdict(s, CLASS_PASS, "%s", "");
		return;
	}
	if (phase_now(s) != PHASE_FINALLY) {
		phase_recovery(s, "the workload is done");
		phase_finally(s);
	}
	start_at(s, &st->actor[st->finally_at++], s->kern.clock.now_ns);
}

static bool workload_done(const struct stage *st)
{
	bool done = !st->script_runs;

	for (size_t i = 0; i < st->n; i++)
		done &= st->actor[i].program->role != ROLE_WORKLOAD || st->actor[i].over;
	return done;
}

void stage_driver_done(struct sim *s)
{
	s->stage->script_runs = false;
	if (workload_done(s->stage))
		next_finally(s);
}

static void say_how_it_ended(struct sim *s, const struct program *p, int status)
{
	snprintf(s->res->node, sizeof s->res->node, "%s", p->name);
	s->res->exit_status = status;
	sim_verdict(s, CLASS_EXIT, "%s %s", p->name, ending_of(status).text);
}

void stage_node_over(struct sim *s, struct node *n, int status)
{
	struct stage *st = s->stage;
	struct actor *a = NULL;

	for (size_t i = 0; i < st->n && !a; i++)
		if (st->actor[i].node == n)
			a = &st->actor[i];
	if (!a || s->finished)
		return;
	a->over = true;
	if (a->program->role == ROLE_NODE) {
		sim_warn(s, "node %s ended by itself: it %s", n->name, ending_of(status).text);
		return;
	}
	if (status) {
		say_how_it_ended(s, a->program, status);
		return;
	}
	if (a->program->role == ROLE_FINALLY || workload_done(st))
		next_finally(s);
}

unsigned stage_nodes_down(struct sim *s)
{
	unsigned n = 0;

	for (unsigned i = 1; i < s->nnodes; i++)
		n += !s->nodes[i]->up && !node_host(s->nodes[i])->over;
	return n;
}
