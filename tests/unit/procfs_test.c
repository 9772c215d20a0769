#include "tests/unit/kern_fixture.h"

#include "base/mem.h"
#include "kernel/chardev.h"
#include "kernel/pipe.h"
#include "tracer/procfs.h"
#include "tracer/procfs_rows.h"
#include "tracer/sim.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run with two processes and no guest behind them. */
struct world {
	struct sim sim;
	struct run_config cfg;
	struct node node;
	struct proc *p, *q;
	struct call c;
	size_t files, dirs;
};

static int setup(void **state)
{
	struct world *w = test_calloc(1, sizeof *w);
	struct kern *k = &w->sim.kern;
	struct thread *t;

	kern_init(k, 7, SCHED_POLICY_FIFO);
	k->host = &w->sim;
	w->cfg.cpus = 3;
	w->sim.cfg = &w->cfg;
	strcpy(w->node.name, "alpha");
	rng_init(&w->node.rng, 7, "alpha");
	w->sim.nodes[0] = &w->node;
	w->sim.nnodes = 1;
	w->p = proc_new(k, 12, NULL);
	t = thread_new(k, w->p, 12);
	strcpy(t->comm, "server");
	thread_new(k, w->p, 14);
	w->q = proc_new(k, 13, w->p);
	thread_new(k, w->q, 13);
	k->current = t;
	w->c = (struct call){.sim = &w->sim, .k = k, .thread = t, .proc = w->p};
	fdtab_add(k, w->p->fds, chardev_open(k, "null", O_RDONLY), 0, 100, true);
	struct file *rd, *wr;
	pipe_new(k, 0, &rd, &wr);
	fdtab_add(k, w->p->fds, rd, 5, 100, false);
	fdtab_add(k, w->p->fds, wr, 5, 100, false);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	kern_clear(&w->sim.kern);
	test_free(w);
	return 0;
}

static char *slurp(struct world *w, const char *path, struct buf *b)
{
	struct kern *k = &w->sim.kern;
	struct file *f = NULL;
	int64_t n;

	buf_reset(b);
	assert_int_equal(procfs_open(&w->c, path, O_RDONLY, &f), 0);
	while ((n = f->ops->pread(k, f, buf_reserve(b, 100), 100, (int64_t)b->len)) > 0)
		b->len += (size_t)n;
	assert_int_equal(n, 0);
	buf_addc(b, 0);
	b->len--;
	file_unref(k, f);
	return b->data;
}

static void patterns(void **state)
{
	int num[PROCFS_NUMS];

	assert_int_equal(procfs_match("/proc/#/fd/#", "/proc/12/fd/3", num), 1);
	assert_int_equal(num[0], 12);
	assert_int_equal(num[1], 3);
	assert_int_equal(procfs_match("/proc/#/fd/#", "/proc/12/fd", num), 2);
	assert_int_equal(procfs_match("/proc/#/fd/#", "/proc", num), 2);
	assert_int_equal(procfs_match("/proc/#/stat", "/proc/12/sta", num), 0);
	assert_int_equal(procfs_match("/proc/#/stat", "/proc/12/status", num), 0);
	assert_int_equal(procfs_match("/proc/#/stat", "/proc/012/stat", num), 0);
	assert_int_equal(procfs_match("/proc/#/stat", "/proc/-1/stat", num), 0);
	assert_int_equal(procfs_match("/proc/#/stat", "/proc/99999999999/stat", num), 0);
	assert_int_equal(procfs_match("/sys/cpu#/id", "/sys/cpu0/id", num), 1);
	assert_int_equal(procfs_match("/sys/cpu#/id", "/sys/cpu/id", num), 0);
}

/* A row is complete, absolute, and no other row stands for the same path. */
static void rows(void **state)
{
	const struct procrow *all[2] = {procfs_proc_rows, procfs_sys_rows};
	const size_t n[2] = {procfs_proc_nrows, procfs_sys_nrows};

	for (int t = 0; t < 2; t++)
		for (size_t i = 0; i < n[t]; i++) {
			const struct procrow *r = &all[t][i];
			assert_true(!strncmp(r->pattern, "/proc/", 6) || !strncmp(r->pattern, "/sys/", 5));
			assert_true(r->mode != 0);
			if (r->kind == SYNTH_FILE || r->kind == SYNTH_LINK)
				assert_int_equal((r->text != NULL) + (r->show != NULL), 1);
			for (int u = 0; u < 2; u++)
				for (size_t j = 0; j < n[u]; j++)
					if (u != t || j != i)
						assert_string_not_equal(r->pattern, all[u][j].pattern);
		}
}

/* Everything that a directory lists exists, is what the listing says, and can be read twice with the same result. */
static void visit(struct world *w, const char *path)
{
	struct vdir d = {0};
	struct buf a = {0}, b = {0};
	struct timespec btime;
	struct stat st;

	w->dirs++;
	assert_int_equal(procfs_list(&w->c, path, &d), 0);
	assert_string_equal(vdir_name(&d, 0), ".");
	assert_string_equal(vdir_name(&d, 1), "..");
	for (size_t i = 2; i < d.n; i++) {
		char *child = xasprintf("%s/%s", path, vdir_name(&d, i));
		struct synth s;
		if (procfs_lookup(&w->c, child, &s) || procfs_stat(&w->c, child, &st, &btime))
			fail_msg("%s is listed, but is not there", child);
		assert_int_equal(d.ent[i].ino, st.st_ino);
		assert_int_equal(d.ent[i].type, S_ISDIR(st.st_mode) ? DT_DIR : S_ISLNK(st.st_mode) ? DT_LNK : DT_REG);
		/* A process without a guest has no directory and no program of its own. */
		if (s.kind == SYNTH_LINK && !strstr(child, "/exe"))
			assert_true(s.target[0] != 0);
		if (s.kind == SYNTH_DIR)
			visit(w, child);
		if (s.kind == SYNTH_FILE) {
			w->files++;
			slurp(w, child, &a);
			if (!strstr(child, "random/uuid"))
				assert_string_equal(a.data, slurp(w, child, &b));
		}
		free(child);
	}
	buf_clear(&a);
	buf_clear(&b);
	vdir_clear(&d);
}

static void whole_tree(void **state)
{
	struct world *w = *state;

	visit(w, "/proc");
	visit(w, "/sys");
	assert_true(w->files > 250 && w->dirs > 40);
}

static void processes(void **state)
{
	struct world *w = *state;
	struct buf b = {0};
	struct synth s;
	int pid, ppid;
	char comm[32], st;

	assert_int_equal(sscanf(slurp(w, "/proc/12/stat", &b), "%d (%31[^)]) %c", &pid, comm, &st), 3);
	assert_int_equal(pid, 12);
	assert_string_equal(comm, "server");
	assert_int_equal(sscanf(slurp(w, "/proc/13/stat", &b), "%d () %c %d", &pid, &st, &ppid), 3);
	assert_int_equal(ppid, 12);
	assert_int_equal(procfs_lookup(&w->c, "/proc/self", &s), 0);
	assert_string_equal(s.target, "12");
	assert_int_equal(procfs_lookup(&w->c, "/proc/thread-self", &s), 0);
	assert_string_equal(s.target, "12/task/12");
	assert_int_equal(procfs_lookup(&w->c, "/proc/12/task/14", &s), 0);
	assert_int_equal(procfs_lookup(&w->c, "/proc/13/task/14", &s), -ENOENT);
	assert_int_equal(procfs_lookup(&w->c, "/proc/14/stat", &s), 0); /* a thread's number works, but is not listed */
	assert_int_equal(procfs_lookup(&w->c, "/proc/15/stat", &s), -ENOENT);
	assert_int_equal(procfs_lookup(&w->c, "/proc/12/mem", &s), -ENOENT);
	assert_int_equal(procfs_lookup(&w->c, "/proc/kmsg", &s), -ENOENT);
	buf_clear(&b);
}

static void descriptors(void **state)
{
	struct world *w = *state;
	struct buf b = {0};
	struct stat st;
	struct timespec btime;
	struct synth s;

	assert_int_equal(procfs_lookup(&w->c, "/proc/12/fd/0", &s), 0);
	assert_string_equal(s.target, "/dev/null");
	assert_int_equal(procfs_lookup(&w->c, "/proc/12/fd/5", &s), 0);
	assert_true(s.kind == SYNTH_FD && file_pipe(s.file) && !strncmp(s.target, "pipe:[", 6));
	assert_int_equal(procfs_lookup(&w->c, "/proc/12/fd/1", &s), -ENOENT);
	assert_int_equal(procfs_lookup(&w->c, "/proc/13/fd/0", &s), -ENOENT);
	assert_int_equal(procfs_stat(&w->c, "/proc/12/fd/6", &st, &btime), 0);
	assert_int_equal(st.st_mode, S_IFLNK | 0300); /* the writing end */
	assert_non_null(strstr(slurp(w, "/proc/12/fdinfo/0", &b), "flags:\t02000000\n")); /* O_CLOEXEC */
	buf_clear(&b);
}

static void machine(void **state)
{
	struct world *w = *state;
	struct buf b = {0};
	const char *s;
	int cpus = 0;

	s = slurp(w, "/proc/cpuinfo", &b);
	while ((s = strstr(s, "processor\t:")) && ++cpus)
		s++;
	assert_int_equal(cpus, 3);
	assert_string_equal(slurp(w, "/sys/devices/system/cpu/online", &b), "0-2\n");
	assert_string_equal(slurp(w, "/proc/sys/kernel/hostname", &b), "alpha\n");
	w->sim.kern.clock.now_ns = 12 * NS_PER_S + 340 * NS_PER_MS;
	assert_string_equal(slurp(w, "/proc/uptime", &b), "12.34 37.02\n");
	buf_clear(&b);
}

/* Random ones differ from read to read, the boot's does not; both have the form of RFC 4122. */
static void uuids(void **state)
{
	struct world *w = *state;
	struct buf a = {0}, b = {0};

	slurp(w, "/proc/sys/kernel/random/uuid", &a);
	assert_int_equal(a.len, 37);
	assert_true(a.data[14] == '4' && strchr("89ab", a.data[19]) && a.data[8] == '-' && a.data[23] == '-');
	assert_string_not_equal(a.data, slurp(w, "/proc/sys/kernel/random/uuid", &b));
	slurp(w, "/proc/sys/kernel/random/boot_id", &a);
	assert_string_equal(a.data, slurp(w, "/proc/sys/kernel/random/boot_id", &b));
	w->cfg.seed++;
	assert_string_not_equal(a.data, slurp(w, "/proc/sys/kernel/random/boot_id", &b));
	buf_clear(&a);
	buf_clear(&b);
}

static void opening(void **state)
{
	struct world *w = *state;
	struct kern *k = &w->sim.kern;
	struct file *f;
	struct buf b = {0};

	assert_int_equal(procfs_open(&w->c, "/proc/meminfo", O_RDWR, &f), -EACCES);
	assert_int_equal(procfs_open(&w->c, "/proc/meminfo", O_RDONLY | O_DIRECTORY, &f), -ENOTDIR);
	assert_int_equal(procfs_open(&w->c, "/proc/12", O_RDWR, &f), -EISDIR);
	assert_int_equal(procfs_open(&w->c, "/proc/nothing", O_RDONLY, &f), -ENOENT);
	assert_int_equal(procfs_open(&w->c, "/proc/12/comm", O_WRONLY, &f), 0);
	assert_int_equal(f->ops->pwrite(k, f, "renamed\n", 8, 0), 8);
	file_unref(k, f);
	assert_string_equal(slurp(w, "/proc/12/comm", &b), "renamed\n");
	/* The process ends while its file is open. */
	assert_int_equal(procfs_open(&w->c, "/proc/13/stat", O_RDONLY, &f), 0);
	assert_ptr_equal(proc_find(k, 13), w->q);
	thread_dead(k, list_first(&w->q->threads, struct thread, in_proc));
	proc_doom(k, w->q, 0);
	proc_ended(k, w->q);
	proc_reap(k, w->q);
	assert_null(proc_find(k, 13));
	assert_int_equal(f->ops->pread(k, f, buf_reserve(&b, 100), 100, 0), -ESRCH);
	file_unref(k, f);
	buf_clear(&b);
}

#define PROC_UNIT(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {PROC_UNIT(patterns), PROC_UNIT(rows),    PROC_UNIT(whole_tree), PROC_UNIT(processes),
					   PROC_UNIT(descriptors), PROC_UNIT(machine), PROC_UNIT(uuids), PROC_UNIT(opening)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
