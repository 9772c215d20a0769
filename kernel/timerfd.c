/*
 * As in fs/timerfd.c a periodic timer fires once, and further expirations are counted when somebody reads: a timer that
 * nobody reads causes no events.
 */
#include "kernel/timerfd.h"

#include "base/mem.h"
#include "kernel/wall.h"

#include <string.h>

struct timerfd {
	struct timer timer;
	struct kern *k;
	struct file *file;
	int64_t interval;
	int64_t at_ns; /* the last time it was armed for */
	uint64_t ticks;
	bool expired; /* fired, and a periodic one not armed again yet */
	bool realtime;
	bool wall;          /* at_wall_ns is what was asked for: it follows the wall clock */
	bool cancel_on_set, cancelled; /* TFD_TIMER_CANCEL_ON_SET */
	int64_t at_wall_ns;
};

static const struct file_ops timerfd_ops;

static void fire(struct timer *timer)
{
	struct timerfd *t = container_of(timer, struct timerfd, timer);

	t->expired = true;
	t->ticks++;
	file_notify(t->file, K_EPOLLIN);
}

static void arm(struct timerfd *t, int64_t at_ns)
{
	t->at_ns = at_ns;
	timer_arm(&t->k->clock, &t->timer, at_ns, fire);
}

/* A periodic timer that fired goes on: adds the expirations missed since (hrtimer_forward() - 1). */
static void forward(struct timerfd *t)
{
	int64_t missed;

	if (!t->expired || !t->interval)
		return;
	missed = (t->k->clock.now_ns - t->at_ns) / t->interval;
	t->ticks += (uint64_t)missed;
	t->expired = false;
	t->wall = false; /* further ones count from here, by the steady clock */
	arm(t, vclock_add(t->at_ns, (missed + 1) * t->interval));
}

static int64_t timerfd_read(struct kern *k, struct file *f, void *buf, size_t len)
{
	struct timerfd *t = f->obj;

	if (len < sizeof t->ticks)
		return -EINVAL;
	if (t->cancelled) {
		t->cancelled = false;
		t->ticks = 0;
		return -ECANCELED;
	}
	if (!t->ticks)
		return -EAGAIN;
	forward(t);
	memcpy(buf, &t->ticks, sizeof t->ticks);
	t->expired = false;
	t->ticks = 0;
	return sizeof t->ticks;
}

static uint32_t timerfd_poll(struct kern *k, struct file *f)
{
	const struct timerfd *t = f->obj;

	return t->ticks || t->cancelled ? K_EPOLLIN : 0;
}

static void timerfd_release(struct kern *k, struct file *f)
{
	struct timerfd *t = f->obj;

	timer_cancel(&k->clock, &t->timer);
	arena_release_of(k->arena, t);
}

static const struct file_ops timerfd_ops = {
	.kind = "timerfd",
	.read = timerfd_read,
	.poll = timerfd_poll,
	.release = timerfd_release,
};

struct file *timerfd_new(struct kern *k, bool realtime, uint32_t flags)
{
	struct timerfd *t = arena_new_of(k->arena, struct timerfd);

	t->k = k;
	t->realtime = realtime;
	t->file = file_new(k, &timerfd_ops, t, O_RDWR | flags);
	return t->file;
}

bool file_is_timerfd(const struct file *f)
{
	return f->ops == &timerfd_ops;
}

static void get(const struct timerfd *t, struct timerfd_spec *out)
{
	out->value = timer_armed(&t->timer) ? MAX(t->at_ns - t->k->clock.now_ns, (int64_t)0) : 0;
	out->interval = t->interval;
}

void timerfd_get(struct file *f, struct timerfd_spec *out)
{
	struct timerfd *t = f->obj;

	forward(t);
	get(t, out);
}

bool timerfd_wall_changed(struct file *f, bool set)
{
	struct timerfd *t = f->obj;

	if (!t->wall || !timer_armed(&t->timer))
		return false;
	arm(t, wall_deadline(t->k, f->node, t->at_wall_ns));
	if (set && t->cancel_on_set) {
		t->cancelled = true;
		file_notify(f, K_EPOLLIN);
	}
	return true;
}

void timerfd_set(struct file *f, const struct timerfd_spec *spec, bool absolute, bool cancel_on_set, struct timerfd_spec *old)
{
	struct timerfd *t = f->obj;
	struct kern *k = t->k;
	int64_t at = spec->value;

	timerfd_get(f, old);
	timer_cancel(&k->clock, &t->timer);
	t->expired = false;
	t->ticks = 0;
	t->cancelled = false;
	t->interval = spec->interval;
	t->wall = absolute && t->realtime && spec->value;
	t->cancel_on_set = t->wall && cancel_on_set;
	if (!spec->value)
		return;
	if (!absolute)
		at = vclock_add(k->clock.now_ns, at);
	else if (t->realtime)
		at = wall_deadline(k, f->node, at);
	t->at_wall_ns = spec->value;
	arm(t, at);
	if (at <= k->clock.now_ns) {
		timer_cancel(&k->clock, &t->timer);
		fire(&t->timer);
	}
}
