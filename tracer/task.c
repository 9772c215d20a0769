#include "tracer/task.h"

#include "base/mem.h"
#include "tracer/node.h"
#include "tracer/notify.h"
#include "tracer/sim.h"
#include "tracer/vfs.h"

#include <errno.h>
#include <stdlib.h>

struct task *task_new(struct sim *s, struct thread *th, pid_t tid, pid_t tgid)
{
	struct task *t = xnew(struct task);

	t->thread = th;
	t->sim = s;
	t->tid = tid;
	t->tgid = tgid;
	t->park = PARK_STOP;
	th->host = t;
	count_reset(s, t);
	map_put(&s->tasks, (uint64_t)tid, t);
	return t;
}

struct hostproc *hostproc_new(struct sim *s, pid_t tgid)
{
	struct hostproc *h = xnew(struct hostproc);

	(void)s;
	h->tgid = tgid;
	return h;
}

struct hostproc *hostproc_copy(struct sim *s, const struct hostproc *o, pid_t tgid, bool share_fs)
{
	struct hostproc *h = hostproc_new(s, tgid);

	h->fs = share_fs ? fs_ref(o->fs) : fs_copy(s, o->fs);
	if (o->ninstalled) {
		h->installed = xmemdup(o->installed, o->ninstalled * sizeof *o->installed);
		h->ninstalled = o->ninstalled;
	}
	if (o->auxv_len)
		h->auxv = xmemdup(o->auxv, o->auxv_len);
	h->auxv_len = o->auxv_len;
	h->exe = o->exe ? xstrdup(o->exe) : NULL;
	h->launch = launch_ref(o->launch);
	h->vdso = o->vdso;
	hwrand_patches_copy(&h->hwrand, &o->hwrand);
	h->count = o->count;
	return h;
}

void hostproc_free(struct sim *s, struct hostproc *h)
{
	if (!h)
		return;
	if (h->fs)
		fs_unref(s, h->fs);
	launch_unref(s, h->launch);
	hwrand_patches_clear(&h->hwrand);
	free(h->installed);
	free(h->auxv);
	free(h->exe);
	free(h);
}

int task_install_fd(struct task *t, int host_fd, int guest_fd)
{
	/* 0 to 2 are the clock page's and /dev/null's: see spawn.c. */
	if (guest_fd < 3)
		return -EINVAL;
	return notify_addfd(t->sim->listener, t->notify_id, host_fd, guest_fd);
}
