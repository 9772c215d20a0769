/* Pipes and the descriptors that are made of one number: eventfd, timerfd, signalfd. */
#include "tracer/syscalls.h"
#include "tracer/timespec.h"

#include "kernel/eventfd.h"
#include "kernel/pipe.h"
#include "kernel/signalfd.h"
#include "kernel/timerfd.h"

#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

/* ---- pipes ---- */

static struct verdict make_pipe(struct call *c, uint32_t flags)
{
	struct file *rd, *wr;
	int fds[2];

	pipe_new(c->k, flags & (O_NONBLOCK | O_DIRECT), &rd, &wr);
	fds[0] = call_install(c, rd, flags & O_CLOEXEC);
	if (fds[0] < 0) {
		file_unref(c->k, wr);
		return REPLY(fds[0]);
	}
	fds[1] = call_install(c, wr, flags & O_CLOEXEC);
	if (fds[1] < 0) {
		fdtab_close(c->k, c->proc->fds, c->proc, fds[0]);
		return REPLY(fds[1]);
	}
	if (copy_out(c, c->arg[0], fds, sizeof fds)) {
		fdtab_close(c->k, c->proc->fds, c->proc, fds[0]);
		fdtab_close(c->k, c->proc->fds, c->proc, fds[1]);
		return FAIL(EFAULT);
	}
	call_note(c, "[%d, %d]", fds[0], fds[1]);
	return REPLY(0);
}

struct verdict sys_pipe(struct call *c)
{
	return make_pipe(c, 0);
}

struct verdict sys_pipe2(struct call *c)
{
	uint32_t flags = (uint32_t)c->arg[1];

	if (flags & ~(uint32_t)(O_CLOEXEC | O_NONBLOCK | O_DIRECT))
		return call_refuse(c, EINVAL, "pipe2 with flags 0x%x", flags);
	return make_pipe(c, flags);
}

/* ---- eventfd ---- */

struct verdict sys_eventfd(struct call *c)
{
	return REPLY(call_install(c, eventfd_new(c->k, (uint32_t)c->arg[0], false, 0), false));
}

struct verdict sys_eventfd2(struct call *c)
{
	uint32_t flags = (uint32_t)c->arg[1];

	if (flags & ~(uint32_t)(EFD_SEMAPHORE | EFD_CLOEXEC | EFD_NONBLOCK))
		return FAIL(EINVAL);
	return REPLY(call_install(
		c, eventfd_new(c->k, (uint32_t)c->arg[0], flags & EFD_SEMAPHORE, flags & EFD_NONBLOCK), flags & EFD_CLOEXEC));
}

/* ---- timerfd ---- */

struct abi_itimerspec {
	struct abi_timespec interval, value;
};

struct verdict sys_timerfd_create(struct call *c)
{
	int clock = (int)c->arg[0];
	uint32_t flags = (uint32_t)c->arg[1];

	if (flags & ~(uint32_t)(TFD_CLOEXEC | TFD_NONBLOCK))
		return FAIL(EINVAL);
	if (clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM)
		return FAIL(EPERM); /* without CAP_WAKE_ALARM */
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME)
		return FAIL(EINVAL);
	return REPLY(call_install(c, timerfd_new(c->k, clock == CLOCK_REALTIME, flags & TFD_NONBLOCK), flags & TFD_CLOEXEC));
}

/* 0 and the file, or -errno. */
static int timerfd_of(struct call *c, struct file **f)
{
	*f = call_file(c, c->arg[0]);
	if (!*f)
		return -EBADF;
	return file_is_timerfd(*f) ? 0 : -EINVAL;
}

static int put_spec(struct call *c, uint64_t addr, const struct timerfd_spec *s)
{
	struct abi_itimerspec out = {timespec_of(s->interval), timespec_of(s->value)};

	return copy_out(c, addr, &out, sizeof out);
}

struct verdict sys_timerfd_settime(struct call *c)
{
	uint32_t flags = (uint32_t)c->arg[1];
	struct abi_itimerspec in;
	struct timerfd_spec spec, old;
	struct file *f;
	int rc;

	if (copy_in(c, &in, c->arg[2], sizeof in))
		return FAIL(EFAULT);
	if ((flags & ~(uint32_t)(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)) || !timespec_valid(&in.interval) ||
	    !timespec_valid(&in.value))
		return FAIL(EINVAL);
	rc = timerfd_of(c, &f);
	if (rc)
		return REPLY(rc);
	spec.value = timespec_ns(&in.value);
	spec.interval = timespec_ns(&in.interval);
	timerfd_set(f, &spec, flags & TFD_TIMER_ABSTIME, flags & TFD_TIMER_CANCEL_ON_SET, &old);
	return c->arg[3] && put_spec(c, c->arg[3], &old) ? FAIL(EFAULT) : REPLY(0);
}

struct verdict sys_timerfd_gettime(struct call *c)
{
	struct timerfd_spec spec;
	struct file *f;
	int rc = timerfd_of(c, &f);

	if (rc)
		return REPLY(rc);
	timerfd_get(f, &spec);
	return REPLY(put_spec(c, c->arg[1], &spec));
}

/* ---- signalfd ---- */

static struct verdict do_signalfd(struct call *c, uint32_t flags)
{
	struct file *f;
	uint64_t mask;

	if (c->arg[2] != sizeof mask)
		return FAIL(EINVAL);
	if (copy_in(c, &mask, c->arg[1], sizeof mask))
		return FAIL(EFAULT);
	if (flags & ~(uint32_t)(SFD_CLOEXEC | SFD_NONBLOCK))
		return FAIL(EINVAL);
	if ((int)c->arg[0] == -1)
		return REPLY(call_install(c, signalfd_new(c->k, mask, flags & SFD_NONBLOCK), flags & SFD_CLOEXEC));
	f = call_file(c, c->arg[0]);
	if (!f)
		return FAIL(EBADF);
	if (!file_is_signalfd(f))
		return FAIL(EINVAL);
	signalfd_set_mask(f, mask);
	return REPLY((int)c->arg[0]);
}

struct verdict sys_signalfd(struct call *c)
{
	return do_signalfd(c, 0);
}

struct verdict sys_signalfd4(struct call *c)
{
	return do_signalfd(c, (uint32_t)c->arg[3]);
}
