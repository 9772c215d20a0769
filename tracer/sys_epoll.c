#include "tracer/sim.h"
#include "tracer/sys_poll.h"
#include "tracer/sys_rw.h"
#include "tracer/syscalls.h"
#include "tracer/timespec.h"

#include "base/mem.h"
#include "kernel/epoll.h"

#include <limits.h>

/* EP_MAX_EVENTS of fs/eventpoll.c */
#define EVENTS_MAX (INT_MAX / (int)sizeof(struct k_epoll_event))

struct verdict sys_epoll_create(struct call *c)
{
	if ((int)c->arg[0] <= 0)
		return FAIL(EINVAL);
	return REPLY(call_install(c, epoll_new(c->k, 0), false));
}

struct verdict sys_epoll_create1(struct call *c)
{
	uint32_t flags = (uint32_t)c->arg[0];

	if (flags & ~(uint32_t)O_CLOEXEC)
		return FAIL(EINVAL);
	return REPLY(call_install(c, epoll_new(c->k, 0), flags & O_CLOEXEC));
}

struct verdict sys_epoll_ctl(struct call *c)
{
	int op = (int)c->arg[1];
	struct k_epoll_event ev = {0};
	struct file *ep, *target;
	uint32_t events;

	/* The data of an event is often an address: it stays out of the hash. */
	if (op != K_EPOLL_CTL_DEL && copy_in_raw(c, &ev, c->arg[3], sizeof ev))
		return FAIL(EFAULT);
	events = ev.events;
	runhash_bytes(&c->sim->hash, &events, sizeof events);
	ep = call_file(c, c->arg[0]);
	target = call_file(c, c->arg[2]);
	if (!ep || !target || (target->flags & O_PATH))
		return FAIL(EBADF);
	ev.events &= ~K_EPOLLWAKEUP; /* without CAP_BLOCK_SUSPEND */
	return REPLY(epoll_ctl_file(c->k, ep, op, (int)c->arg[2], target, &ev));
}

/* What an event says to the hash: the descriptor's number stands for the data. */
static void hash_events(struct call *c, const struct k_epoll_event *ev, const int *fds, int n)
{
	for (int i = 0; i < n; i++) {
		uint32_t w[2] = {ev[i].events, (uint32_t)fds[i]};
		runhash_bytes(&c->sim->hash, w, sizeof w);
	}
}

static struct verdict do_wait(struct call *c, int64_t rel_ns)
{
	struct file *ep = call_hold(c, c->arg[0]);
	int max = (int)c->arg[2], n, room, *fds;
	struct k_epoll_event *ev;

	if (!ep || (ep->flags & O_PATH))
		return FAIL(EBADF);
	if (max <= 0 || max > EVENTS_MAX || !file_is_epoll(ep))
		return FAIL(EINVAL);
	room = MIN(max, (int)epoll_items(ep) + 1);
	fds = call_scratch(c, (size_t)room * (sizeof *fds + sizeof *ev));
	ev = (void *)(fds + room);
	n = epoll_collect(c->k, ep, ev, fds, room);
	if (n) {
		hash_events(c, ev, fds, n);
		return copy_out_raw(c, c->arg[1], ev, (size_t)n * sizeof *ev) ? FAIL(EFAULT) : REPLY(n);
	}
	if (!rel_ns || (rel_ns > 0 && c->thread->timed_out))
		return REPLY(0);
	call_wait_file(c, ep, "epoll_wait");
	call_keep(c, ep);
	return poll_wait(c, rel_ns);
}

static struct verdict wait_ms(struct call *c)
{
	int ms = (int)c->arg[3];

	return do_wait(c, ms < 0 ? -1 : ms * NS_PER_MS);
}

struct verdict sys_epoll_wait(struct call *c)
{
	return wait_ms(c);
}

struct verdict sys_epoll_pwait(struct call *c)
{
	int rc = poll_set_mask(c, c->arg[4], c->arg[5]);

	return rc ? REPLY(rc) : wait_ms(c);
}

struct verdict sys_epoll_pwait2(struct call *c)
{
	struct abi_timespec ts;
	int64_t rel_ns = -1;
	int rc;

	if (c->arg[3]) {
		if (copy_in(c, &ts, c->arg[3], sizeof ts))
			return FAIL(EFAULT);
		if (!timespec_valid(&ts))
			return FAIL(EINVAL);
		rel_ns = timespec_ns(&ts);
	}
	rc = poll_set_mask(c, c->arg[4], c->arg[5]);
	return rc ? REPLY(rc) : do_wait(c, rel_ns);
}
