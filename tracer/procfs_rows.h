/* The table behind procfs.h: rows of procfs_proc.c and procfs_sys.c. */
#ifndef TRACER_PROCFS_ROWS_H
#define TRACER_PROCFS_ROWS_H

#include "base/buf.h"
#include "tracer/procfs.h"

struct sim;

/* Whose file is read or written. */
struct procctx {
	struct sim *sim;
	struct proc *proc;     /* of /proc/PID; else NULL */
	struct thread *thread; /* of /proc/PID/task/TID, or the process's first; may be NULL for one that has ended */
	const struct synth *node;
};

struct procrow {
	const char *pattern; /* '#' stands for a number */
	enum synth_kind kind;
	mode_t mode;
	const char *text;                                  /* the contents, or a link's target, when they are constant */
	void (*show)(struct procctx *x, struct buf *out);  /* else */
	int64_t (*store)(struct procctx *x, const char *data, size_t len); /* NULL: not writable. len or -errno */
};

#define PROC_FILE(p, f) {.pattern = p, .kind = SYNTH_FILE, .mode = 0444, .show = f}
#define PROC_TEXT(p, t) {.pattern = p, .kind = SYNTH_FILE, .mode = 0444, .text = t}
#define PROC_LINK(p, t) {.pattern = p, .kind = SYNTH_LINK, .mode = 0777, .text = t}
#define PROC_DIR(p) {.pattern = p, .kind = SYNTH_DIR, .mode = 0555}
/* A setting that guests may write: accepted, without effect. */
#define PROC_KNOB(p, t) {.pattern = p, .kind = SYNTH_FILE, .mode = 0644, .text = t, .store = procfs_ignore}

int64_t procfs_ignore(struct procctx *x, const char *data, size_t len);

extern const struct procrow procfs_proc_rows[], procfs_sys_rows[];
extern const size_t procfs_proc_nrows, procfs_sys_nrows;

/* procfs_maps.c: from the real process's list of mappings, with repeatable device and inode numbers. */
void procfs_show_maps(struct procctx *x, struct buf *out);
void procfs_show_smaps(struct procctx *x, struct buf *out);
void procfs_show_smaps_rollup(struct procctx *x, struct buf *out);
/* Sizes in bytes. */
struct vm_sizes {
	uint64_t total, data, stack, text, lib, resident;
};
void procfs_vm_sizes(struct procctx *x, struct vm_sizes *v);
void procfs_vm_counts(struct procctx *x, struct vm_sizes *v); /* total, text, data, resident only; cheap */
/* procfs_ipc.c */
void procfs_show_sysv_shm(struct procctx *x, struct buf *out);
void procfs_show_sysv_sem(struct procctx *x, struct buf *out);
void procfs_show_sysv_msg(struct procctx *x, struct buf *out);
/* The file NAME of the real process, whole. False: gone. */
bool procfs_read_host(struct procctx *x, const char *name, struct buf *out);

#endif
