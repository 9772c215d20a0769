/* flock(2) and the record locks of fcntl(2). */
#include "tracer/locks.h"

#include "base/mem.h"
#include "tracer/realfile.h"
#include "tracer/sim.h"
#include "tracer/sys_rw.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

static struct verdict wait_for(struct call *c, struct file *f, const uint64_t key[2], const char *what)
{
	c->thread->wait_what = what;
	c->thread->wait_detail = f->id;
	thread_wait_on(c->k, c->thread, locks_waitq(&c->sim->vfs->locks, key));
	return BLOCK(-K_ERESTARTSYS);
}

/* --- record locks --- */

static int64_t range_base(struct call *c, struct file *f, int whence)
{
	if (whence == SEEK_SET)
		return 0;
	if (whence == SEEK_CUR)
		return f->pos;
	if (whence == SEEK_END)
		return f->ops->end ? f->ops->end(c->k, f) : 0;
	return -EINVAL;
}

/* flock_to_posix_lock(), fs/locks.c */
static int range_of(struct call *c, struct file *f, const struct flock *fl, struct lock *want)
{
	int64_t base = range_base(c, f, fl->l_whence);

	if (base < 0)
		return (int)base;
	if (__builtin_add_overflow(base, (int64_t)fl->l_start, &want->start))
		return -EOVERFLOW;
	if (want->start < 0)
		return -EINVAL;
	want->end = INT64_MAX;
	if (fl->l_len > 0) {
		if (__builtin_add_overflow(want->start, (int64_t)fl->l_len - 1, &want->end))
			return -EOVERFLOW;
	} else if (fl->l_len < 0) {
		if (want->start + fl->l_len < 0)
			return -EINVAL;
		want->end = want->start - 1;
		want->start += fl->l_len;
	}
	return 0;
}

static struct verdict get_lock(struct call *c, const uint64_t key[2], const struct lock *want, struct flock *fl)
{
	const struct lock *h = locks_conflict(&c->sim->vfs->locks, key, want);

	fl->l_type = F_UNLCK;
	if (h) {
		fl->l_type = h->write ? F_WRLCK : F_RDLCK;
		fl->l_whence = SEEK_SET;
		fl->l_start = h->start;
		fl->l_len = h->end == INT64_MAX ? 0 : h->end - h->start + 1;
		fl->l_pid = h->pid;
	}
	return copy_out_raw(c, c->arg[2], fl, sizeof *fl) ? FAIL(EFAULT) : REPLY(0);
}

static struct verdict set_lock(struct call *c, struct file *f, const uint64_t key[2], const struct lock *want, bool unlock,
			       bool wait)
{
	struct locks *l = &c->sim->vfs->locks;

	locks_wait_end(l, c->thread->tid);
	if (!unlock && locks_conflict(l, key, want)) {
		if (!wait)
			return FAIL(EAGAIN);
		if (locks_deadlock(l, key, want))
			return FAIL(EDEADLK);
		if (want->kind == LOCK_KIND_POSIX)
			locks_wait_begin(l, c->thread->tid, key, want);
		return wait_for(c, f, key, "a record lock");
	}
	locks_apply(l, key, want, unlock);
	return REPLY(0);
}

struct verdict lock_fcntl(struct call *c, struct file *f, int cmd, uint64_t arg)
{
	bool ofd = cmd == F_OFD_GETLK || cmd == F_OFD_SETLK || cmd == F_OFD_SETLKW, get = cmd == F_GETLK || cmd == F_OFD_GETLK;
	struct realfile *rf = realfile_io(f);
	struct lock want = {.kind = ofd ? LOCK_KIND_OFD : LOCK_KIND_POSIX, .pid = ofd ? -1 : c->proc->pid};
	uint64_t key[2];
	struct flock fl;
	int rc;

	if (!rf)
		return call_refuse(c, EINVAL, "record locks on %s", f->ops->kind);
	if (copy_in_raw(c, &fl, arg, sizeof fl))
		return FAIL(EFAULT);
	if ((ofd && fl.l_pid) || (fl.l_type != F_RDLCK && fl.l_type != F_WRLCK && (fl.l_type != F_UNLCK || get)))
		return FAIL(EINVAL);
	rc = range_of(c, f, &fl, &want);
	if (rc < 0)
		return FAIL(-rc);
	if (!get && ((fl.l_type == F_RDLCK && !file_readable(f)) || (fl.l_type == F_WRLCK && !file_writable(f))))
		return FAIL(EBADF);
	want.owner = ofd ? (const void *)f : c->proc;
	want.write = fl.l_type == F_WRLCK;
	key[0] = rf->dev;
	key[1] = rf->ino;
	if (get)
		return get_lock(c, key, &want, &fl);
	if (ofd)
		rf->locked = true;
	return set_lock(c, f, key, &want, fl.l_type == F_UNLCK, cmd == F_SETLKW || cmd == F_OFD_SETLKW);
}

/* --- flock --- */

struct verdict lock_flock(struct call *c, struct file *f, int op)
{
	struct lock want = {.kind = LOCK_KIND_FLOCK, .owner = f, .end = INT64_MAX, .pid = c->proc->pid};
	struct locks *l = &c->sim->vfs->locks;
	struct realfile *rf = realfile_io(f);
	int what = op & ~LOCK_NB;
	uint64_t key[2];

	if (what != LOCK_SH && what != LOCK_EX && what != LOCK_UN)
		return FAIL(EINVAL);
	if (!rf)
		return call_refuse(c, EINVAL, "flock on %s", f->ops->kind);
	key[0] = rf->dev;
	key[1] = rf->ino;
	rf->locked = true;
	want.write = what == LOCK_EX;
	/* A lock of another type is given up first, even if the new one cannot be had: flock(2). */
	if (what == LOCK_UN || locks_conflict(l, key, &want))
		locks_release_owner(l, key, LOCK_KIND_FLOCK, f);
	if (what == LOCK_UN)
		return REPLY(0);
	if (locks_conflict(l, key, &want))
		return op & LOCK_NB ? FAIL(EWOULDBLOCK) : wait_for(c, f, key, "a file lock");
	locks_apply(l, key, &want, false);
	return REPLY(0);
}

struct verdict sys_flock(struct call *c)
{
	struct file *f = call_hold(c, c->arg[0]);
	struct verdict v;

	if (!f || (f->flags & O_PATH))
		return FAIL(EBADF);
	v = lock_flock(c, f, (int)c->arg[1]);
	if (v.kind == V_BLOCK)
		call_keep(c, f);
	return v;
}

/* --- ends --- */

void lock_closed(struct kern *k, const uint64_t key[2], const struct proc *p)
{
	struct sim *s = k->host;

	locks_release_owner(&s->vfs->locks, key, LOCK_KIND_POSIX, p);
}

void lock_released(struct kern *k, const uint64_t key[2], const struct file *f)
{
	struct sim *s = k->host;

	locks_release_owner(&s->vfs->locks, key, LOCK_KIND_FLOCK, f);
	locks_release_owner(&s->vfs->locks, key, LOCK_KIND_OFD, f);
}
