#include "tracer/sim.h"

#include "base/mem.h"
#include "netsim/net.h"
#include "tracer/digest.h"
#include "tracer/fault.h"
#include "tracer/filter.h"
#include "tracer/judge.h"
#include "tracer/node.h"
#include "tracer/notify.h"
#include "tracer/phase.h"
#include "tracer/sdk.h"
#include "tracer/stage.h"
#include "tracer/stdio_files.h"
#include "tracer/sys_tty.h"
#include "tracer/sysv.h"
#include "tracer/vdso.h"
#include "tracer/vfs.h"
#include "tracer/view.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- small things that everybody uses ---- */

int64_t real_ms(void)
{
	struct timespec ts;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

unsigned sim_cpus(const struct sim *s)
{
	return s->cfg->cpus ? s->cfg->cpus : 2;
}

int64_t sim_elapsed_ns(const struct sim *s)
{
	return s->kern.clock.now_ns - s->boot_ns;
}

void sim_verdict(struct sim *s, enum verdict_class cls, const char *fmt, ...)
{
	va_list ap;

	if (s->finished)
		return;
	s->finished = true;
	s->res->cls = cls;
	va_start(ap, fmt);
	vsnprintf(s->res->message, sizeof s->res->message, fmt, ap);
	va_end(ap);
	if (*s->res->message)
		sim_event(s, NULL, "verdict: %s", s->res->message);
	else
		sim_event(s, NULL, "every program has ended well");
}

void sim_warn(struct sim *s, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < s->nrefusals; i++)
		if (!strcmp(s->refusals[i].text, text)) {
			s->refusals[i].count++;
			return;
		}
	s->refusals = xrealloc(s->refusals, (s->nrefusals + 1) * sizeof *s->refusals);
	s->refusals[s->nrefusals++] = (struct refusal){xstrdup(text), 1};
	sim_event(s, s->kern.current ? s->kern.current->proc : NULL, "%s", text);
}

static void on_kern_event(struct kern *k, const char *fmt, ...)
{
	struct sim *s = k->host;
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	trace_line(s, k->current ? k->current->proc : NULL, k->current, "event", text);
}

static bool is_crash(int status)
{
	int sig = status & 0x7f;

	return sig == SIGABRT || sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGTRAP || sig == SIGSYS;
}

static void on_doomed(struct kern *k, struct proc *p)
{
	struct sim *s = k->host;

	if (s->ndoomed == s->doomed_cap) {
		s->doomed_cap = s->doomed_cap ? s->doomed_cap * 2 : 16;
		s->doomed = xrealloc(s->doomed, s->doomed_cap * sizeof *s->doomed);
	}
	s->doomed[s->ndoomed++] = p;
	/* abort(3), raise of a fault's signal: a crash as well as the processor's own. */
	if (k->current && k->current->proc == p && is_crash(p->exit_status) && thread_task(k->current)->park == PARK_NOTIFY)
		guest_crashed(s, thread_task(k->current), p->exit_status & 0x7f, 0);
}

/* ---- the beginning ---- */

/* The host's vDSO and the pages of data below it, as this process has them; guests get the same lengths. */
static int look_at_vdso(struct sim *s, struct err *e)
{
	char line[512];
	uint64_t lo, hi, vvar = 0, vdso = 0, end = 0;
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &lo, &hi) != 2)
			continue;
		if (strstr(line, "[vvar") && (!vvar || lo < vvar))
			vvar = lo;
		if (strstr(line, "[vdso]")) {
			vdso = lo;
			end = hi;
		}
	}
	if (f)
		fclose(f);
	if (!vdso || !vvar || vvar > vdso)
		return err_set(e, 0, "the kernel's vDSO does not lie as expected: vvar %" PRIx64 ", vdso %" PRIx64, vvar, vdso);
	s->vvar_len = vdso - vvar;
	s->vdso_len = end - vdso;
	return 0;
}

static int make_clock_page(struct sim *s, struct err *e)
{
	s->clock_fd = memfd_create("clock", MFD_CLOEXEC);
	if (s->clock_fd < 0 || ftruncate(s->clock_fd, (off_t)s->vvar_len) < 0)
		return err_set(e, errno, "cannot make the clock page");
	s->page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, s->clock_fd, 0);
	if (s->page == MAP_FAILED)
		return err_set(e, errno, "cannot map the clock page");
	s->page->step_ns = s->cfg->clock_read_cost_ns;
	return 0;
}

/* One CPU for the supervisor and all its guests: 4 µs a call instead of 49. */
static void pin(const struct sim *s)
{
	cpu_set_t set;

	if (s->cfg->pin_cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(s->cfg->pin_cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
}

static void init_kernel(struct sim *s)
{
	struct rng epoch;

	kern_init(&s->kern, s->cfg->seed, s->cfg->sched);
	s->kern.host = s;
	s->boot_ns = s->kern.clock.now_ns;
	s->kern.proc_doomed = on_doomed;
	s->kern.event = on_kern_event;
	s->kern.held_killed = node_killed_down;
	s->kern.tty_gone = pts_gone;
	s->kern.shm_destroyed = shm_memory_gone;
	rng_init(&epoch, s->cfg->seed, "epoch");
	s->kern.wall_offset_ns = s->cfg->epoch_s * NS_PER_S + (int64_t)rng_below(&epoch, NS_PER_S) - s->kern.clock.now_ns;
	runhash_init(&s->hash, s->cfg->seed);
	preempt_init(s);
	s->net = xnew(struct net);
	net_init(s->net, &s->kern, s->cfg->seed);
	node_new(s, "driver");
	s->nodes[0]->up = true;
	faults_begin(s);
	sdk_init(s);
	stage_init(s);
	phases_init(s);
}

/*
 * File systems stamp files with the coarse clock, which is up to a tick behind (since Linux 6.13 with the fine one, if
 * somebody looked meanwhile: Documentation/filesystems/multigrain-ts.rst). What was written right before the run must not
 * be taken for written in it: nothing is, the view neither, before the coarse clock has passed the start.
 */
static void await_file_clock(const struct sim *s)
{
	const struct timespec a_bit = {.tv_nsec = 100000};
	struct timespec now;

	for (;;) {
		syscall(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &now);
		if (now.tv_sec > s->host_start.tv_sec ||
		    (now.tv_sec == s->host_start.tv_sec && now.tv_nsec > s->host_start.tv_nsec))
			return;
		syscall(SYS_nanosleep, &a_bit, NULL);
	}
}

static int enter_view(struct sim *s, struct err *e)
{
	await_file_clock(s);
	s->host_proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->host_proc < 0)
		return err_set(e, errno, "cannot open /proc");
	if (view_enter(s->cfg->at, e) < 0)
		return -1;
	s->init_pid = view_init_process(e);
	if (s->init_pid < 0)
		return -1;
	return vfs_init(s, e);
}

static const char *env_value(const struct sim *s, const char *name)
{
	size_t n = strlen(name);

	for (const char *const *v = s->cfg->env; v && *v; v++)
		if (!strncmp(*v, name, n) && (*v)[n] == '=')
			return *v + n + 1;
	return NULL;
}

/* The driver's program, by PATH as a shell finds it; a name with a slash stands for itself. */
static char *find_program(const struct sim *s)
{
	const char *name = s->cfg->argv[0], *path = env_value(s, "PATH");
	struct stat st;

	if (strchr(name, '/') || !path)
		return xstrdup(name);
	while (*path) {
		size_t n = strcspn(path, ":");
		char *try = xasprintf("%.*s/%s", n ? (int)n : 1, n ? path : ".", name);
		if (!access(try, X_OK) && !stat(try, &st) && S_ISREG(st.st_mode))
			return try;
		free(try);
		path += n + (path[n] == ':');
	}
	return xstrdup(name);
}

static int start_driver(struct sim *s, struct err *e)
{
	char cwd[4096], *path = find_program(s);
	struct launch *l;
	int rc;

	if (!getcwd(cwd, sizeof cwd))
		strcpy(cwd, "/");
	l = launch_new(path, cwd, s->cfg->argv, (char **)(uintptr_t)s->cfg->env);
	l->driver = true;
	free(path);
	s->driver = proc_new(&s->kern, s->next_pid, NULL);
	s->driver->uid = s->driver->euid = s->driver->suid = getuid();
	s->driver->gid = s->driver->egid = s->driver->sgid = getgid();
	stdio_files(s, s->driver);
	rc = spawn_process(s, s->driver, l);
	launch_unref(s, l);
	return rc ? err_set(e, -rc, "cannot start the driver") : 0;
}

static int compile_until(struct sim *s, struct err *e)
{
	int rc;
	char text[256];

	if (s->cfg->until_event)
		s->has_until_event = !regcomp(&s->until_event, s->cfg->until_event, REG_EXTENDED | REG_NOSUB);
	if (!s->cfg->until_output)
		return 0;
	rc = regcomp(&s->until, s->cfg->until_output, REG_EXTENDED | REG_NOSUB);
	if (!rc) {
		s->has_until = true;
		return 0;
	}
	regerror(rc, &s->until, text, sizeof text);
	return err_set(e, 0, "the expression '%s': %s", s->cfg->until_output, text);
}

static int start(struct sim *s, struct err *e)
{
	if (compile_until(s, e) < 0 || look_at_vdso(s, e) < 0 || make_clock_page(s, e) < 0 || faults_init(s, e) < 0 ||
	    filter_build(&s->filter, faults_notify(s), e) < 0)
		return -1;
	syscall(SYS_clock_gettime, CLOCK_REALTIME, &s->host_start);
	pin(s);
	init_kernel(s);
	s->notif = xcalloc(1, sizeof *s->notif);
	if (enter_view(s, e) < 0)
		return -1;
#ifndef SIMRUN_SAN
	/* As the guests have it, or every switch between them and us rewrites CR4: 15 µs a call instead of 4.5. */
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#endif
	if (spawn_template(s, e) < 0)
		return -1;
	s->next_pid = 3; /* after pid 1 and the template */
	notify_sync_wakeup(s->listener);
	if (s->cfg->argv && s->cfg->argv[0] && start_driver(s, e) < 0)
		return -1;
	return stage_begin(s, e);
}

/* ---- the end ---- */

/* Everything that lives is in the pid namespace of init_pid: its end takes all with it. */
static void kill_all(struct sim *s)
{
	int status;

	if (s->init_pid > 0)
		kill(s->init_pid, SIGKILL);
	if (s->seed_tid > 0)
		kill(s->seed_tid, SIGKILL);
	map_each(&s->tasks, i)
		kill(((struct task *)s->tasks.vals[i])->tgid, SIGKILL);
	while (waitpid(-1, &status, __WALL) > 0 || errno == EINTR)
		;
}

static void fill_result(struct sim *s)
{
	struct run_result *r = s->res;

	r->virtual_ns = sim_elapsed_ns(s);
	r->calls = s->hash.calls;
	r->hash = s->hash.h;
	r->windows = s->hash.window;
	r->nwindows = s->hash.windows;
	s->hash.window = NULL;
	for (size_t i = 0; i < s->nrefusals; i++)
		buf_addf(&r->warnings, "%s (%" PRIu64 " time%s)\n", s->refusals[i].text, s->refusals[i].count,
			 s->refusals[i].count == 1 ? "" : "s");
	fault_plan_json(s, &r->plan);
	fault_summary(s, &r->faults, &r->idle_faults);
	digest_print(&s->executed, &r->digests);
	sdk_result(s);
	phase_result(s);
	if (s->unrepeatable && r->cls == CLASS_PASS) {
		r->cls = CLASS_UNREPEATABLE;
		snprintf(r->message, sizeof r->message, "a thread waited in a loop where nothing can be counted");
	}
	if (s->unlisted_call && r->cls == CLASS_PASS) {
		r->cls = CLASS_UNKNOWN;
		snprintf(r->message, sizeof r->message, "a system call without a row in the table was made");
	}
	if (r->matched_output && r->cls == CLASS_PASS)
		snprintf(r->message, sizeof r->message, "output matched");
}

static void judge(struct sim *s)
{
	struct buf note = {0};

	if (s->cfg->unjudged || s->res->cls != CLASS_PASS || s->res->stopped)
		return;
	judge_history(s->cfg->scenario, s->res, &note);
	if (note.len)
		trace_line(s, NULL, NULL, "verdict", note.data);
	buf_clear(&note);
}

int run_seed(const struct run_config *cfg, struct run_result *res, struct err *e)
{
	struct sim *s = xnew(struct sim);
	int64_t began = real_ms();
	int rc;

	*res = (struct run_result){0};
	s->cfg = cfg;
	s->res = res;
	s->listener = -1;
	rc = start(s, e);
	if (!rc) {
		sim_loop(s);
		output_finish(s);
		fill_result(s);
		if (res->cls == CLASS_HARNESS)
			rc = err_set(e, 0, "%s", res->message);
		else if (cfg->gdb)
			rc = gdb_hand_over(s, e);
	}
	kill_all(s);
	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	if (!rc)
		judge(s);
	trace_tail(s, &res->tail);
	res->real_ms = real_ms() - began;
	/* The process ends after its report: what belongs to the run goes with it. */
	return rc;
}
