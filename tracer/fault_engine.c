#include "tracer/fault_engine.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- beginning and end ---- */

static int by_time(const void *a, const void *b)
{
	const struct fault *x = *(struct fault *const *)a, *y = *(struct fault *const *)b;

	if (x->spec.at_ns != y->spec.at_ns)
		return x->spec.at_ns < y->spec.at_ns ? -1 : 1;
	return x->step < y->step ? -1 : x->step > y->step; /* the order they are written in */
}

/* Calls that the kernel answers unseen, but that some fault is about. */
static void add_notify(struct faults *fs, const struct callset *calls)
{
	for (unsigned i = 0; i < FAULT_CALL_WORDS; i++)
		fs->notify.bits[i] |= calls->bits[i];
}

int faults_init(struct sim *s, struct err *e)
{
	const struct fault_config *cfg = s->cfg->faults;
	struct faults *fs;

	if (!cfg || (fault_config_empty(cfg) && !cfg->is_plan))
		return 0;
	fs = s->faults = xnew(struct faults);
	fs->s = s;
	fs->cfg = cfg;
	list_init(&fs->all);
	list_init(&fs->due);
	list_init(&fs->live);
	fs->next_ns = VCLOCK_NEVER;
	fs->notify = cfg->notify;
	fault_decide(fs);
	for (unsigned i = 0; i < fs->ngen; i++) {
		struct callset calls = {0};
		if (fs->gen[i].kind->calls && callset_parse(fs->gen[i].kind->calls, &calls, e) < 0)
			return -1;
		add_notify(fs, &calls);
	}
	for (unsigned i = 0; i < cfg->nspecs; i++)
		if (cfg->specs[i].matches)
			add_notify(fs, &cfg->specs[i].set);
	return 0;
}

const struct callset *faults_notify(const struct sim *s)
{
	return s->faults ? &s->faults->notify : NULL;
}

static void add_spec(struct faults *fs, const struct fault_spec *spec, unsigned nth)
{
	struct fault *f = fault_new(fs, spec);

	if (!f->spec.id[0])
		snprintf(f->spec.id, sizeof f->spec.id, "%s.%u", spec->kind->name, nth);
	rng_init(&f->rng, fs->s->cfg->seed, f->spec.id);
	if (spec->at_ns != VCLOCK_NEVER) {
		f->step = fs->ntimed;
		fs->timed = xrealloc(fs->timed, (fs->ntimed + 1) * sizeof *fs->timed);
		fs->timed[fs->ntimed++] = f;
	} else {
		if (spec->kind->flags & KIND_CALL) {
			f->state = FAULT_ACTIVE;
			fault_ends_in(fs, f, fault_spec_number(spec, "for"));
		}
		fault_watch(fs, f, true);
	}
}

void faults_begin(struct sim *s)
{
	struct faults *fs = s->faults;

	if (!fs)
		return;
	fs->origin_ns = s->boot_ns;
	fs->phase = PHASE_FAULTS; /* unless fault_phase() says otherwise before anything runs */
	for (unsigned i = 0; i < fs->cfg->nspecs; i++) {
		unsigned nth = 1;
		for (unsigned k = 0; k < i; k++)
			nth += fs->cfg->specs[k].kind == fs->cfg->specs[i].kind;
		add_spec(fs, &fs->cfg->specs[i], nth);
	}
	if (fs->ntimed)
		qsort(fs->timed, fs->ntimed, sizeof *fs->timed, by_time);
	for (unsigned i = 0; i < fs->ntimed; i++)
		fs->timed[i]->step = 0;
	fault_reckon(fs);
}

struct fault *fault_new(struct faults *fs, const struct fault_spec *spec)
{
	struct fault *f = xnew(struct fault);

	f->fs = fs;
	fault_spec_copy(&f->spec, spec);
	f->first_ns = -1;
	f->ends_ns = VCLOCK_NEVER;
	list_init(&f->in_due);
	list_init(&f->in_live);
	rng_init(&f->rng, fs->s->cfg->seed, spec->id);
	list_add_tail(&fs->all, &f->link);
	return f;
}

void fault_discard(struct fault *f)
{
	timer_cancel(&f->fs->s->kern.clock, &f->timer);
	list_del(&f->link);
	list_del(&f->in_due);
	list_del(&f->in_live);
	fault_spec_clear(&f->spec);
	free(f->priv);
	free(f);
}

void faults_clear(struct sim *s)
{
	struct faults *fs = s->faults;

	if (!fs)
		return;
	list_each_safe(f, tmp, &fs->all, struct fault, link)
		fault_discard(f);
	free(fs->timed);
	free(fs);
	s->faults = NULL;
}

/* ---- when ---- */

void fault_reckon(struct faults *fs)
{
	int64_t next = VCLOCK_NEVER;

	if (!list_empty(&fs->due))
		next = fault_now(fs);
	if (fs->ntimed)
		next = MIN(next, vclock_add(fs->origin_ns, fs->timed[0]->spec.at_ns));
	for (unsigned i = 0; i < fs->ngen; i++)
		next = MIN(next, fs->gen[i].next_ns);
	fs->next_ns = next;
}

int64_t fault_next(const struct sim *s)
{
	return s->faults ? s->faults->next_ns : VCLOCK_NEVER;
}

static struct fault *take_timed(struct faults *fs)
{
	struct fault *f = fs->timed[0];

	memmove(fs->timed, fs->timed + 1, --fs->ntimed * sizeof *fs->timed);
	return f;
}

static struct generator *earliest(struct faults *fs)
{
	struct generator *best = NULL;

	for (unsigned i = 0; i < fs->ngen; i++)
		if (!best || fs->gen[i].next_ns < best->next_ns)
			best = &fs->gen[i];
	return best;
}

/* The one thing that is due first. False: there is none. */
static bool fire_one(struct faults *fs)
{
	struct fault *f = list_first(&fs->due, struct fault, in_due);
	struct generator *g = earliest(fs);
	int64_t now = fault_now(fs), timed = fs->ntimed ? vclock_add(fs->origin_ns, fs->timed[0]->spec.at_ns) : VCLOCK_NEVER;

	if (f) {
		list_del(&f->in_due);
		fault_start(fs, f);
	} else if (timed <= now && !(g && g->next_ns < timed)) {
		fault_start(fs, take_timed(fs));
	} else if (g && g->next_ns <= now) {
		fault_draw(fs, g);
	} else {
		return false;
	}
	return true;
}

void fault_fire(struct sim *s)
{
	struct faults *fs = s->faults;

	if (!fs)
		return;
	while (!s->finished && fire_one(fs))
		;
	fault_reckon(fs);
}

/* ---- starting and ending ---- */

const char *fault_forbidden(const struct faults *fs)
{
	switch (fs->phase) {
	case PHASE_SETUP:
		return "setup";
	case PHASE_RECOVERY:
		return "recovery";
	case PHASE_FINALLY:
		return "the final check";
	case PHASE_FAULTS:
		break;
	}
	return fs->quiet_until_ns > fault_now(fs) ? "a quiet period" : NULL;
}

static void tell(struct faults *fs, const struct fault *f, const char *what)
{
	struct buf b = {0};

	fault_spec_print(&f->spec, &b);
	sim_event(fs->s, NULL, "fault %s %s: %s", f->spec.id, what, b.data);
	buf_clear(&b);
}

static bool not_now(struct faults *fs, struct fault *f, const char *why)
{
	f->suppressed = why;
	if (f->spec.at_ns != VCLOCK_NEVER)
		f->state = FAULT_OVER;
	sim_event(fs->s, NULL, "fault %s suppressed: %s", f->spec.id, why);
	return false;
}

/* Who it is about, where the fault does not say so itself. */
static bool settle_target(struct faults *fs, struct fault *f)
{
	const struct fault_kind *k = f->spec.kind;
	int node = fault_param_index(k, "node", 4);
	char stream[96];
	struct rng r;

	if (node >= 0 && !f->spec.val[node].set && f->node)
		fault_set_nodes(f, "node", &f->node, 1); /* who made the call */
	if (k->choose && !(k->flags & KIND_CALL)) {
		/* A stream of its own: in a plan the choice is made already. */
		snprintf(stream, sizeof stream, "choice of %s", f->spec.id);
		rng_init(&r, fs->s->cfg->seed, stream);
		if (!k->choose(fs, f, &r))
			return not_now(fs, f, "there is no node for it");
	}
	if (node >= 0 && f->spec.val[node].set && !(k->flags & KIND_CALL)) {
		f->node = fault_find_node(fs, f->spec.val[node].text);
		if (!f->node) {
			f->awaits_node = true; /* fault_node_up() */
			return false;
		}
		if (!f->node->index && (k->flags & KIND_NODES_ONLY))
			return not_now(fs, f, "it cannot be done to the driver");
	}
	return true;
}

void fault_start(struct faults *fs, struct fault *f)
{
	const struct fault_kind *k = f->spec.kind;
	const char *why = fault_forbidden(fs);

	if (f->state == FAULT_ACTIVE)
		return; /* it came again before it was over */
	if (why) {
		not_now(fs, f, why);
		return;
	}
	if (!settle_target(fs, f))
		return;
	if (fs->cfg->max_down && !fs->cfg->is_plan && fault_count_down(fs, f) > fs->cfg->max_down) {
		not_now(fs, f, "too many nodes would be down");
		return;
	}
	if (!k->start(fs, f)) {
		not_now(fs, f, "it is not possible now");
		return;
	}
	f->suppressed = NULL;
	f->state = FAULT_ACTIVE;
	f->applied++;
	if (f->first_ns < 0)
		f->first_ns = fault_now(fs);
	tell(fs, f, "starts");
	if (k->flags & KIND_WINDOW)
		fault_ends_in(fs, f, fault_spec_number(&f->spec, "for"));
	else if (!k->stop)
		f->state = FAULT_OVER;
}

/* More occurrences of its call may start it again. */
static bool comes_again(const struct fault *f)
{
	return f->spec.at_ns == VCLOCK_NEVER && f->seen < f->spec.when.last && !(f->spec.kind->flags & KIND_CALL);
}

void fault_end(struct faults *fs, struct fault *f)
{
	if (f->state != FAULT_ACTIVE)
		return;
	timer_cancel(&fs->s->kern.clock, &f->timer);
	if (f->spec.kind->stop)
		f->spec.kind->stop(fs, f);
	f->state = comes_again(f) ? FAULT_WAITING : FAULT_OVER;
	sim_event(fs->s, NULL, "fault %s ends", f->spec.id);
}

static void on_end(struct timer *t)
{
	struct fault *f = container_of(t, struct fault, timer);

	fault_end(f->fs, f);
}

void fault_ends_in(struct faults *fs, struct fault *f, int64_t for_ns)
{
	f->ends_ns = vclock_add(fault_now(fs), for_ns);
	if (f->ends_ns != VCLOCK_NEVER)
		timer_arm(&fs->s->kern.clock, &f->timer, f->ends_ns, on_end);
}

void fault_watch(struct faults *fs, struct fault *f, bool on)
{
	list_del(&f->in_live);
	if (on)
		list_add_tail(&fs->live, &f->in_live);
	fs->watched = (struct callset){0};
	list_each(o, &fs->live, struct fault, in_live)
		for (unsigned i = 0; i < FAULT_CALL_WORDS; i++)
			fs->watched.bits[i] |= o->spec.set.bits[i];
}

/* ---- phases ---- */

static bool ends_with_healing(const struct fault *f)
{
	/* What somebody wrote about calls, without an end, is of the program's world; it only rests. */
	return f->state == FAULT_ACTIVE && (f->spec.kind->flags & KIND_WINDOW) &&
	       !((f->spec.kind->flags & KIND_CALL) && f->ends_ns == VCLOCK_NEVER);
}

unsigned fault_heal_all(struct sim *s)
{
	unsigned n = 0;

	if (s->faults)
		list_each(f, &s->faults->all, struct fault, link)
			if (ends_with_healing(f)) {
				fault_end(s->faults, f);
				n++;
			}
	return n;
}

unsigned fault_restart_all(struct sim *s)
{
	unsigned n = 0;

	if (s->faults)
		list_each(f, &s->faults->all, struct fault, link)
			if (f->state == FAULT_ACTIVE && f->node && !(f->spec.kind->flags & KIND_WINDOW)) {
				fault_end(s->faults, f);
				n++;
			}
	return n;
}

void fault_phase(struct sim *s, enum fault_phase p)
{
	static const char *const names[] = {[PHASE_SETUP] = "setup", [PHASE_FAULTS] = "faults", [PHASE_RECOVERY] = "recovery",
					    [PHASE_FINALLY] = "final check"};
	struct faults *fs = s->faults;
	unsigned healed = 0, restarted = 0;

	if (!fs || fs->phase == p)
		return;
	fs->phase = p;
	fs->quiet_until_ns = 0;
	if (p == PHASE_RECOVERY || p == PHASE_FINALLY) {
		healed = fault_heal_all(s);
		restarted = fault_restart_all(s);
		for (unsigned i = 0; i < fs->ngen; i++)
			fs->gen[i].next_ns = VCLOCK_NEVER;
		fault_reckon(fs);
	}
	sim_event(s, NULL, "phase %s: %u faults healed, %u nodes restarted", names[p], healed, restarted);
	if (p == PHASE_FAULTS && !fs->drawing)
		for (unsigned i = 1; i < s->nnodes; i++)
			if (s->nodes[i]->up) {
				fault_begin_drawing(fs);
				break;
			}
}

void fault_quiet(struct sim *s, int64_t for_ns)
{
	struct faults *fs = s->faults;

	if (!fs || fs->phase != PHASE_FAULTS)
		return;
	fs->quiet_until_ns = MAX(fs->quiet_until_ns, vclock_add(fault_now(fs), for_ns));
	sim_event(s, NULL, "quiet period: %u faults healed", fault_heal_all(s));
}

void fault_exempt(struct sim *s, struct node *n, bool exempt)
{
	node_host(n)->exempt = exempt;
}

/* ---- nodes come and go ---- */

void fault_node_up(struct sim *s, struct node *n)
{
	struct faults *fs = s->faults;

	if (!fs)
		return;
	list_each(f, &fs->all, struct fault, link)
		if (f->awaits_node && !strcmp(fault_spec_text(&f->spec, "node"), n->name)) {
			f->awaits_node = false;
			list_add_tail(&fs->due, &f->in_due);
		}
	if (!fs->drawing && fs->phase == PHASE_FAULTS)
		fault_begin_drawing(fs);
	fault_reckon(fs);
}

void fault_node_over(struct sim *s, struct node *n)
{
	struct faults *fs = s->faults;

	if (!fs)
		return;
	list_each(f, &fs->all, struct fault, link)
		if (f->state == FAULT_ACTIVE && f->node == n && (f->spec.kind->flags & KIND_DOWN)) {
			timer_cancel(&s->kern.clock, &f->timer);
			f->state = FAULT_OVER;
		}
}
