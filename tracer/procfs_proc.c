/* /proc/PID: what the simulation knows about its processes, in the formats of proc(5). */
#include "tracer/procfs_rows.h"

#include "base/mem.h"
#include "kernel/cred.h"
#include "kernel/tty.h"
#include "tracer/machine.h"
#include "tracer/sim.h"
#include "tracer/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int64_t procfs_ignore(struct procctx *x, const char *data, size_t len)
{
	(void)x;
	(void)data;
	return (int64_t)len;
}

static bool of_thread(const struct procctx *x)
{
	return x->node->num[1] >= 0;
}

static char state_letter(const struct procctx *x)
{
	if (x->proc->zombie || (of_thread(x) && !x->thread))
		return 'Z';
	if (x->proc->stopped)
		return 'T';
	return x->thread && x->thread->state == THREAD_BLOCKED ? 'S' : 'R';
}

static const char *comm_of(const struct procctx *x)
{
	return x->thread ? x->thread->comm : x->proc->comm;
}

static int shown_tid(const struct procctx *x)
{
	return of_thread(x) && x->thread ? x->thread->tid : x->proc->pid;
}

/* As getppid: an orphan's parent is init, the driver's root has none. */
static int parent_pid(const struct procctx *x)
{
	return x->proc->parent ? x->proc->parent->pid : x->proc == x->sim->driver ? 0 : 1;
}

/* --- stat, status, statm --- */

static int64_t ticks(int64_t ns)
{
	return ns / MACHINE_TICK_NS;
}

enum { PTS_MAJOR = 136 };

static void show_stat(struct procctx *x, struct buf *out)
{
	const struct proc *p = x->proc;
	int64_t cpu = ticks(of_thread(x) && x->thread ? x->thread->cpu_ns : p->cpu_ns);
	int nice = x->thread ? x->thread->attrs.nice : 0;
	struct vm_sizes v;

	procfs_vm_counts(x, &v);
	buf_addf(out, "%d (%s) %c %d %d %d %d %d 4194304 ", shown_tid(x), comm_of(x), state_letter(x), parent_pid(x), p->pgid, p->sid,
		 p->ctty ? PTS_MAJOR << 8 | (p->ctty->index & 0xff) | (p->ctty->index >> 8) << 20 : 0, p->ctty ? p->ctty->pgrp : -1);
	/* minflt cminflt majflt cmajflt utime stime cutime cstime */
	buf_addf(out, "0 0 0 0 %" PRId64 " 0 %" PRId64 " 0 ", cpu, ticks(p->child_cpu_ns));
	buf_addf(out, "%d %d %u 0 %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " ", 20 + nice, nice, p->nthreads,
		 ticks(p->start_ns), v.total, v.resident / 4096, p->rlim[5][0]);
	/* From startcode on: addresses, and signal sets that status shows better. */
	buf_addf(out, "0 0 0 0 0 0 0 0 0 0 0 0 %d 0 0 0 0 0 0 0 0 0 0 0 0 0 %d\n", p->exit_signal ? p->exit_signal : SIGCHLD,
		 p->zombie ? p->exit_status : 0);
}

static void show_statm(struct procctx *x, struct buf *out)
{
	struct vm_sizes v;

	procfs_vm_counts(x, &v);
	buf_addf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " 0 %" PRIu64 " 0\n", v.total / 4096, v.resident / 4096,
		 MIN(v.resident, v.text + v.lib) / 4096, v.text / 4096, (v.data + v.stack) / 4096);
}

static void status_memory(struct procctx *x, struct buf *out)
{
	struct vm_sizes v;

	procfs_vm_sizes(x, &v);
	const struct {
		const char *name;
		uint64_t bytes;
	} rows[] = {{"VmPeak", v.total}, {"VmSize", v.total}, {"VmLck", 0}, {"VmPin", 0},
		    {"VmHWM", v.resident}, {"VmRSS", v.resident}, {"RssAnon", v.resident / 2}, {"RssFile", v.resident / 2},
		    {"RssShmem", 0}, {"VmData", v.data}, {"VmStk", v.stack}, {"VmExe", v.text}, {"VmLib", v.lib},
		    {"VmPTE", 128 << 10}, {"VmSwap", 0}, {"HugetlbPages", 0}};

	if (x->proc->zombie)
		return;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		buf_addf(out, "%s:\t%8" PRIu64 " kB\n", rows[i].name, rows[i].bytes / 1024);
	buf_adds(out, "CoreDumping:\t0\nTHP_enabled:\t0\n");
}

static void status_signals(struct procctx *x, struct buf *out)
{
	uint64_t ignored = 0, caught = 0;

	for (int sig = 1; x->proc->sighand && sig <= K_NSIG; sig++) {
		uint64_t h = x->proc->sighand->act[sig].handler;
		ignored |= h == 1 ? K_SIGBIT(sig) : 0;
		caught |= h > 1 ? K_SIGBIT(sig) : 0;
	}
	buf_addf(out, "SigQ:\t%u/15000\nSigPnd:\t%016" PRIx64 "\nShdPnd:\t%016" PRIx64 "\n",
		 x->proc->pending.n + (x->thread ? x->thread->pending.n : 0), x->thread ? x->thread->pending.set : 0,
		 x->proc->pending.set);
	buf_addf(out, "SigBlk:\t%016" PRIx64 "\nSigIgn:\t%016" PRIx64 "\nSigCgt:\t%016" PRIx64 "\n",
		 x->thread ? x->thread->sigmask : 0, ignored, caught);
}

static void show_status(struct procctx *x, struct buf *out)
{
	struct proc *p = x->proc;
	const struct cred *cr = cred_of(&x->sim->kern, p);
	static const char *const words[] = {['R'] = "running", ['S'] = "sleeping", ['T'] = "stopped", ['Z'] = "zombie"};
	char st = state_letter(x);
	unsigned cpus = sim_cpus(x->sim);

	buf_addf(out, "Name:\t%s\nUmask:\t%04o\nState:\t%c (%s)\n", comm_of(x), proc_host(p) ? proc_host(p)->fs->umask : 022, st,
		 words[(unsigned char)st]);
	buf_addf(out, "Tgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\nTracerPid:\t0\n", p->pid, shown_tid(x), parent_pid(x));
	buf_addf(out, "Uid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\n", p->uid, p->euid, p->suid, cr->fsuid, p->gid, p->egid, p->sgid,
		 cr->fsgid);
	buf_addf(out, "FDSize:\t%u\nGroups:\t", p->fds ? MAX(p->fds->cap, 64u) : 0);
	for (unsigned i = 0; i < cr->ngroups; i++)
		buf_addf(out, "%u ", cr->groups[i]);
	buf_addf(out, "\nNStgid:\t%d\nNSpid:\t%d\nNSpgid:\t%d\nNSsid:\t%d\nKthread:\t0\n", p->pid, shown_tid(x), p->pgid, p->sid);
	status_memory(x, out);
	buf_addf(out, "Threads:\t%u\n", MAX(p->nthreads, 1u));
	status_signals(x, out);
	buf_addf(out, "CapInh:\t%016" PRIx64 "\nCapPrm:\t%016" PRIx64 "\nCapEff:\t%016" PRIx64 "\nCapBnd:\t%016" PRIx64 "\n",
		 cr->inheritable, cr->permitted, cr->effective, cr->bounding);
	buf_addf(out, "CapAmb:\t%016x\nNoNewPrivs:\t%d\nSeccomp:\t0\nSeccomp_filters:\t0\n", 0, cr->no_new_privs);
	buf_adds(out, "Speculation_Store_Bypass:\tnot vulnerable\nSpeculationIndirectBranch:\tnot affected\n");
	buf_addf(out, "Cpus_allowed:\t%x\nCpus_allowed_list:\t0%s", cpus >= 32 ? ~0u : (1u << cpus) - 1, cpus > 1 ? "-" : "\n");
	if (cpus > 1)
		buf_addf(out, "%u\n", cpus - 1);
	buf_adds(out, "Mems_allowed:\t1\nMems_allowed_list:\t0\nvoluntary_ctxt_switches:\t0\nnonvoluntary_ctxt_switches:\t0\n");
}

/* --- arguments, names --- */

static void show_cmdline(struct procctx *x, struct buf *out)
{
	procfs_read_host(x, "cmdline", out);
}

static void show_environ(struct procctx *x, struct buf *out)
{
	procfs_read_host(x, "environ", out);
}

static void show_auxv(struct procctx *x, struct buf *out)
{
	struct hostproc *h = proc_host(x->proc);

	if (h && !x->proc->zombie)
		buf_add(out, h->auxv, h->auxv_len);
}

static void show_comm(struct procctx *x, struct buf *out)
{
	buf_addf(out, "%s\n", comm_of(x));
}

static int64_t store_comm(struct procctx *x, const char *data, size_t len)
{
	size_t n = MIN(len, sizeof x->thread->comm - 1);

	if (!x->thread)
		return -ESRCH;
	memset(x->thread->comm, 0, sizeof x->thread->comm);
	memcpy(x->thread->comm, data, n);
	if (n && x->thread->comm[n - 1] == '\n')
		x->thread->comm[n - 1] = 0;
	return (int64_t)len;
}

static void link_exe(struct procctx *x, struct buf *out)
{
	struct hostproc *h = proc_host(x->proc);

	buf_adds(out, h && h->exe ? h->exe : "");
}

static void link_cwd(struct procctx *x, struct buf *out)
{
	struct hostproc *h = proc_host(x->proc);
	char path[PATH_MAX];

	if (h && fs_getcwd(x->sim, h->fs, path) >= 0)
		buf_adds(out, path);
	else
		buf_addf(out, "%s", h ? fs_cwd_path(h->fs) : "/");
}

static void link_self(struct procctx *x, struct buf *out)
{
	buf_addf(out, "%d", x->proc->pid);
}

static void link_thread_self(struct procctx *x, struct buf *out)
{
	buf_addf(out, "%d/task/%d", x->proc->pid, x->thread->tid);
}

/* --- limits, descriptors, mounts --- */

static void show_limits(struct procctx *x, struct buf *out)
{
	/* lnames[] of fs/proc/base.c, by number of the resource. */
	static const struct {
		const char *name, *unit;
	} row[16] = {{"Max cpu time", "seconds"}, {"Max file size", "bytes"}, {"Max data size", "bytes"},
		     {"Max stack size", "bytes"}, {"Max core file size", "bytes"}, {"Max resident set", "bytes"},
		     {"Max processes", "processes"}, {"Max open files", "files"}, {"Max locked memory", "bytes"},
		     {"Max address space", "bytes"}, {"Max file locks", "locks"}, {"Max pending signals", "signals"},
		     {"Max msgqueue size", "bytes"}, {"Max nice priority", ""}, {"Max realtime priority", ""},
		     {"Max realtime timeout", "us"}};

	buf_addf(out, "%-25s %-20s %-20s %-10s\n", "Limit", "Soft Limit", "Hard Limit", "Units");
	for (size_t i = 0; i < ARRAY_LEN(row); i++) {
		buf_addf(out, "%-25s ", row[i].name);
		for (int j = 0; j < 2; j++) {
			if (x->proc->rlim[i][j] == UINT64_MAX)
				buf_addf(out, "%-20s ", "unlimited");
			else
				buf_addf(out, "%-20" PRIu64 " ", x->proc->rlim[i][j]);
		}
		buf_addf(out, row[i].unit[0] ? "%-10s\n" : "\n", row[i].unit);
	}
}

static void show_fdinfo(struct procctx *x, struct buf *out)
{
	struct file *f = x->node->file;
	bool cloexec = x->proc->fds->ent[x->node->num[1]].cloexec;

	buf_addf(out, "pos:\t%" PRId64 "\nflags:\t0%o\nmnt_id:\t21\nino:\t%" PRIu64 "\n", f->pos,
		 f->flags | (cloexec ? (unsigned)O_CLOEXEC : 0), f->ino);
}

/* Device numbers: see procfs.c and vfs_init(). */
static const char mounts[] = "overlay / overlay rw,noatime 0 0\n"
			     "proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0\n"
			     "sysfs /sys sysfs ro,nosuid,nodev,noexec,relatime 0 0\n"
			     "tmpfs /dev tmpfs rw,nosuid,noatime 0 0\n";
static const char mountinfo[] = "21 1 0:30 / / rw,noatime - overlay overlay rw\n"
				"22 21 0:21 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw\n"
				"23 21 0:20 / /sys ro,nosuid,nodev,noexec,relatime - sysfs sysfs ro\n"
				"24 21 0:31 / /dev rw,nosuid,noatime - tmpfs tmpfs rw\n";
static const char mountstats[] = "device overlay mounted on / with fstype overlay\n"
				 "device proc mounted on /proc with fstype proc\n"
				 "device sysfs mounted on /sys with fstype sysfs\n"
				 "device tmpfs mounted on /dev with fstype tmpfs\n";

static void show_schedstat(struct procctx *x, struct buf *out)
{
	buf_addf(out, "%" PRId64 " 0 0\n", x->thread ? x->thread->cpu_ns : 0);
}

static void show_children(struct procctx *x, struct buf *out)
{
	list_each(p, &x->proc->children, struct proc, sibling)
		buf_addf(out, "%d ", p->pid);
}

static void show_slack(struct procctx *x, struct buf *out)
{
	uint64_t ns = x->thread ? x->thread->attrs.timerslack_ns : 0;

	buf_addf(out, "%" PRIu64 "\n", ns ? ns : 50000);
}

#define NS_LINK(name, id) PROC_LINK("/proc/#/ns/" name, name ":[" id "]")

/* Everything that a thread's directory has as well; the process's own is made of the same rows. */
#define THREAD_ROWS(dir)                                                                                           \
	PROC_FILE(dir "stat", show_stat), PROC_FILE(dir "status", show_status), PROC_FILE(dir "statm", show_statm),        \
		PROC_FILE(dir "cmdline", show_cmdline), PROC_FILE(dir "limits", show_limits),                              \
		{.pattern = dir "comm", .kind = SYNTH_FILE, .mode = 0644, .show = show_comm, .store = store_comm},         \
		{.pattern = dir "environ", .kind = SYNTH_FILE, .mode = 0400, .show = show_environ},                        \
		{.pattern = dir "auxv", .kind = SYNTH_FILE, .mode = 0400, .show = show_auxv},                              \
		PROC_FILE(dir "maps", procfs_show_maps), PROC_FILE(dir "smaps", procfs_show_smaps),                        \
		PROC_FILE(dir "smaps_rollup", procfs_show_smaps_rollup), PROC_TEXT(dir "mounts", mounts),                  \
		PROC_TEXT(dir "mountinfo", mountinfo), PROC_TEXT(dir "cgroup", "0::/\n"),                                  \
		PROC_TEXT(dir "cpuset", "/\n"), PROC_KNOB(dir "loginuid", "4294967295"),                                   \
		PROC_TEXT(dir "sessionid", "4294967295"), PROC_TEXT(dir "oom_score", "666\n"),                             \
		PROC_KNOB(dir "oom_adj", "0\n"), PROC_KNOB(dir "oom_score_adj", "0\n"), PROC_TEXT(dir "wchan", "0"),       \
		PROC_FILE(dir "schedstat", show_schedstat), PROC_TEXT(dir "personality", "00040000\n"),                    \
		PROC_TEXT(dir "uid_map", "         0          0 4294967295\n"),                                            \
		PROC_TEXT(dir "gid_map", "         0          0 4294967295\n"), PROC_TEXT(dir "setgroups", "allow\n"),     \
		PROC_TEXT(dir "io", "rchar: 0\nwchar: 0\nsyscr: 0\nsyscw: 0\nread_bytes: 0\nwrite_bytes: 0\n"              \
				    "cancelled_write_bytes: 0\n")

/* The init process, which every machine has and some programs look at. */
#define INIT_ROWS                                                                                                  \
	PROC_TEXT("/proc/1/stat", "1 (init) S 0 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 0 4194304 256 18446744073709551615 "     \
				  "0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"),                               \
		PROC_TEXT("/proc/1/status", "Name:\tinit\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t1\nNgid:\t0\nPid:\t1\nPPid:\t0\n"  \
					    "TracerPid:\t0\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nThreads:\t1\n"),           \
		PROC_TEXT("/proc/1/comm", "init\n"), PROC_TEXT("/proc/1/cmdline", "/sbin/init"),                          \
		PROC_TEXT("/proc/1/cgroup", "0::/\n"), PROC_TEXT("/proc/1/mounts", mounts),                               \
		PROC_TEXT("/proc/1/mountinfo", mountinfo), PROC_TEXT("/proc/1/sched", "init (1, #threads: 1)\n")

const struct procrow procfs_proc_rows[] = {
	INIT_ROWS,
	THREAD_ROWS("/proc/#/"),
	{.pattern = "/proc/#/exe", .kind = SYNTH_LINK, .mode = 0777, .show = link_exe},
	{.pattern = "/proc/#/cwd", .kind = SYNTH_CWD, .mode = 0777, .show = link_cwd},
	PROC_LINK("/proc/#/root", "/"),
	{.pattern = "/proc/#/fd/#", .kind = SYNTH_FD, .mode = 0700},
	PROC_DIR("/proc/#/fd"),
	PROC_FILE("/proc/#/fdinfo/#", show_fdinfo),
	PROC_DIR("/proc/#/fdinfo"),
	PROC_TEXT("/proc/#/mountstats", mountstats),
	PROC_FILE("/proc/#/timerslack_ns", show_slack),
	PROC_KNOB("/proc/#/coredump_filter", "00000033\n"),
	PROC_KNOB("/proc/#/autogroup", "/autogroup-1 nice 0\n"),
	NS_LINK("cgroup", "4026531835"),
	NS_LINK("ipc", "4026531839"),
	NS_LINK("mnt", "4026531841"),
	NS_LINK("net", "4026531840"),
	NS_LINK("pid", "4026531836"),
	NS_LINK("time", "4026531834"),
	NS_LINK("user", "4026531837"),
	NS_LINK("uts", "4026531838"),
	THREAD_ROWS("/proc/#/task/#/"),
	PROC_FILE("/proc/#/task/#/children", show_children),
	{.pattern = "/proc/#/task/#/exe", .kind = SYNTH_LINK, .mode = 0777, .show = link_exe},
	{.pattern = "/proc/#/task/#/cwd", .kind = SYNTH_CWD, .mode = 0777, .show = link_cwd},
	PROC_LINK("/proc/#/task/#/root", "/"),
	PROC_LINK("/proc/#/task/#/net", "/proc/net"),
	{.pattern = "/proc/self", .kind = SYNTH_LINK, .mode = 0777, .show = link_self},
	{.pattern = "/proc/thread-self", .kind = SYNTH_LINK, .mode = 0777, .show = link_thread_self},
	PROC_LINK("/proc/mounts", "self/mounts"),
	PROC_LINK("/proc/net", "self/net"),
};
const size_t procfs_proc_nrows = ARRAY_LEN(procfs_proc_rows);
