/* /proc/sysvipc: all objects by index, one a line, in the layout of ipc/{shm,sem,msg}.c. */
#include "tracer/procfs_rows.h"

#include "kernel/sysv_msg.h"
#include "kernel/sysv_sem.h"
#include "kernel/sysv_shm.h"
#include "tracer/sim.h"

void procfs_show_sysv_shm(struct procctx *x, struct buf *out)
{
	const struct sysv_ids *ids = &sysv_of(&x->sim->kern)->shm;

	buf_adds(out, "       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid"
		      "      atime      dtime      ctime                   rss                  swap\n");
	for (unsigned i = 0; i < ids->cap; i++) {
		const struct shm_segment *s = (const struct shm_segment *)ids->slot[i];
		const struct sysv_perm *p = ids->slot[i];
		if (!p)
			continue;
		buf_addf(out, "%10d %10d  %4o %21lu %5u %5u  %5u %5u %5u %5u %5u %10lld %10lld %10lld %21lu %21lu\n", p->key, p->id,
			 p->mode, (unsigned long)s->size, (unsigned)s->creator, (unsigned)s->last, s->attached, p->uid, p->gid,
			 p->cuid, p->cgid, (long long)s->atime, (long long)s->dtime, (long long)s->ctime,
			 (unsigned long)(s->size + 4095) & ~4095ul, 0ul);
	}
}

void procfs_show_sysv_sem(struct procctx *x, struct buf *out)
{
	const struct sysv_ids *ids = &sysv_of(&x->sim->kern)->sem;

	buf_adds(out, "       key      semid perms      nsems   uid   gid  cuid  cgid      otime      ctime\n");
	for (unsigned i = 0; i < ids->cap; i++) {
		const struct sem_set *s = (const struct sem_set *)ids->slot[i];
		const struct sysv_perm *p = ids->slot[i];
		if (p)
			buf_addf(out, "%10d %10d  %4o %10u %5u %5u %5u %5u %10lld %10lld\n", p->key, p->id, p->mode, s->n, p->uid,
				 p->gid, p->cuid, p->cgid, (long long)s->otime, (long long)s->ctime);
	}
}

void procfs_show_sysv_msg(struct procctx *x, struct buf *out)
{
	const struct sysv_ids *ids = &sysv_of(&x->sim->kern)->msg;

	buf_adds(out, "       key      msqid perms      cbytes       qnum lspid lrpid   uid   gid  cuid  cgid"
		      "      stime      rtime      ctime\n");
	for (unsigned i = 0; i < ids->cap; i++) {
		const struct msg_queue *q = (const struct msg_queue *)ids->slot[i];
		const struct sysv_perm *p = ids->slot[i];
		if (!p)
			continue;
		buf_addf(out, "%10d %10d  %4o  %10lu %10lu %5u %5u %5u %5u %5u %5u %10lld %10lld %10lld\n", p->key, p->id, p->mode,
			 (unsigned long)q->bytes, (unsigned long)q->count, (unsigned)q->sender, (unsigned)q->receiver, p->uid,
			 p->gid, p->cuid, p->cgid, (long long)q->stime, (long long)q->rtime, (long long)q->ctime);
	}
}
