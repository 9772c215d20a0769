/* simrun doctor: tries out, one by one, what a simulation needs of the machine, and says what to do where it fails. */
#include "base/mem.h"
#include "tracer/cmd.h"
#include "tracer/exit_codes.h"
#include "tracer/run_options.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a check found: a line for people. */
struct finding {
	char text[256];
	char advice[256]; /* when it failed */
};

/* Fills in the finding; whether the machine will do. */
typedef bool check_fn(struct finding *f);

static void say(char *to, size_t n, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void say(char *to, size_t n, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(to, n, fmt, ap);
	va_end(ap);
}
#define TEXT(...) say(f->text, sizeof f->text, __VA_ARGS__)
#define ADVICE(...) say(f->advice, sizeof f->advice, __VA_ARGS__)

/* The first number of a file, or -1. */
static long read_number(const char *path)
{
	FILE *in = fopen(path, "re");
	long n = -1;

	if (in) {
		if (fscanf(in, "%ld", &n) != 1)
			n = -1;
		fclose(in);
	}
	return n;
}

static bool check_kernel(struct finding *f)
{
	struct utsname u;
	int major = 0, minor = 0;

	uname(&u);
	sscanf(u.release, "%d.%d", &major, &minor);
	TEXT("Linux %s on %s", u.release, u.machine);
	ADVICE("simrun needs Linux 5.19 or newer on x86_64; 6.6 and newer are faster");
	return (major > 5 || (major == 5 && minor >= 19)) && !strcmp(u.machine, "x86_64");
}

static bool check_cpus(struct finding *f)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof set, &set) < 0 ? 0 : CPU_COUNT(&set);

	TEXT("%d CPU%s to run on: -j %d is the most that makes sense", n, n == 1 ? "" : "s", MAX(n, 1));
	ADVICE("sched_getaffinity says that no CPU may be used");
	return n > 0;
}

/*
 * Runs the probe in a child, so that namespaces, filters and a death by signal stay there. 0: it works; else the errno that
 * it exited with, or -signal.
 */
static int in_child(int (*probe)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(probe());
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static const char *why(int rc, char *buf, size_t n)
{
	if (rc < 0)
		snprintf(buf, n, "ended by signal %d", -rc);
	else
		snprintf(buf, n, "%s", strerror(rc));
	return buf;
}

static int probe_notify(void)
{
	struct sock_filter insn = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
	struct sock_fprog prog = {1, &insn};
	struct seccomp_notif_sizes sizes;
	/* linux/seccomp.h of Debian 12 has the flag; older headers lack it. */
	unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | (1u << 5) /* WAIT_KILLABLE_RECV */ |
			 SECCOMP_FILTER_FLAG_SPEC_ALLOW;

	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog) < 0)
		return errno;
	return 0;
}

static bool check_notify(struct finding *f)
{
	char buf[64];
	int rc = in_child(probe_notify);

	TEXT("seccomp user notification%s%s", rc ? ": " : "", rc ? why(rc, buf, sizeof buf) : "");
	ADVICE("%s", rc == EBUSY ? "a listener is there already: simrun cannot run inside another seccomp supervisor"
				 : "the kernel needs CONFIG_SECCOMP_FILTER and version 5.19; in a container, allow seccomp(2)");
	return rc == 0;
}

/* A child is seized, stopped, its registers and memory are read. */
static int probe_ptrace(void)
{
	unsigned long word = 0x51u, copy = 0;
	struct iovec mine = {&copy, sizeof copy}, theirs = {&word, sizeof word};
	pid_t pid = fork();
	int rc = 0, status;

	if (pid == 0)
		for (;;)
			pause();
	if (pid < 0)
		return errno;
	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP) < 0 ||
	    ptrace(PTRACE_INTERRUPT, pid, 0, 0) < 0 || waitpid(pid, &status, __WALL) < 0 ||
	    process_vm_readv(pid, &mine, 1, &theirs, 1, 0) != sizeof copy)
		rc = errno ? errno : EPERM;
	kill(pid, SIGKILL);
	return rc;
}

static bool check_ptrace(struct finding *f)
{
	long scope = read_number("/proc/sys/kernel/yama/ptrace_scope");
	char buf[64];
	int rc = in_child(probe_ptrace);

	TEXT("ptrace of own children%s%s", rc ? ": " : "", rc ? why(rc, buf, sizeof buf) : "");
	if (scope > 1)
		ADVICE("kernel.yama.ptrace_scope is %ld: sysctl kernel.yama.ptrace_scope=1", scope);
	else
		ADVICE("in a container, allow ptrace(2) and process_vm_readv(2) (docker: --cap-add SYS_PTRACE)");
	return rc == 0;
}

static int probe_tsc(void)
{
	return prctl(PR_SET_TSC, PR_TSC_SIGSEGV) < 0 ? errno : 0;
}

static bool check_tsc(struct finding *f)
{
	char buf[64];
	int rc = in_child(probe_tsc);

	TEXT("trapping of the time stamp counter%s%s", rc ? ": " : "", rc ? why(rc, buf, sizeof buf) : "");
	ADVICE("prctl(PR_SET_TSC) must be allowed; it is missing in emulators and under gVisor");
	return rc == 0;
}

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc = 0;

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		rc = errno;
	if (fd >= 0)
		close(fd);
	return rc;
}

static int enter_namespaces(void)
{
	unsigned uid = getuid(), gid = getgid();
	char map[64];
	int rc;

	if (geteuid() != 0) {
		if (unshare(CLONE_NEWUSER) < 0)
			return errno;
		snprintf(map, sizeof map, "%u %u 1", uid, uid);
		rc = write_text("/proc/self/uid_map", map);
		if (rc)
			return rc;
		/* Without a mapped group nothing can be created: EOVERFLOW. */
		write_text("/proc/self/setgroups", "deny");
		snprintf(map, sizeof map, "%u %u 1", gid, gid);
		rc = write_text("/proc/self/gid_map", map);
		if (rc)
			return rc;
	}
	if (unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) < 0)
		return errno;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ? errno : 0;
}

static bool check_namespaces(struct finding *f)
{
	bool root = geteuid() == 0;
	char buf[64];
	int rc = in_child(enter_namespaces);

	TEXT("%snamespaces%s%s", root ? "" : "user ", rc ? ": " : "", rc ? why(rc, buf, sizeof buf) : "");
	if (root)
		ADVICE("in a container, CAP_SYS_ADMIN is needed (docker: --privileged), or run simrun as an ordinary user");
	else if (read_number("/proc/sys/user/max_user_namespaces") == 0)
		ADVICE("sysctl user.max_user_namespaces=10000, or run simrun as root");
	else if (read_number("/proc/sys/kernel/unprivileged_userns_clone") == 0)
		ADVICE("sysctl kernel.unprivileged_userns_clone=1, or run simrun as root");
	else if (read_number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1)
		ADVICE("sysctl kernel.apparmor_restrict_unprivileged_userns=0, or run simrun as root");
	else
		ADVICE("user namespaces must be allowed, or run simrun as root");
	return rc == 0;
}

/* The view in small: a tmpfs, an overlay of a system directory on it. */
static int probe_overlay(void)
{
	bool root = geteuid() == 0;
	const char *options = root ? "lowerdir=/usr,upperdir=/proc/u,workdir=/proc/w,redirect_dir=on,xino=on,index=off"
				   : "lowerdir=/usr,upperdir=/proc/u,workdir=/proc/w,userxattr,xino=on,index=off";
	int rc = enter_namespaces();

	if (rc)
		return rc;
	if (mount("scratch", "/proc", "tmpfs", 0, "mode=755") < 0 || mkdir("/proc/u", 0755) < 0 ||
	    mkdir("/proc/w", 0755) < 0 || mkdir("/proc/m", 0755) < 0)
		return errno;
	return mount("overlay", "/proc/m", "overlay", MS_NODEV, options) < 0 ? errno : 0;
}

static bool check_overlay(struct finding *f)
{
	char buf[64];
	int rc = in_child(probe_overlay);

	TEXT("copy-on-write view (overlayfs on tmpfs)%s%s", rc ? ": " : "", rc ? why(rc, buf, sizeof buf) : "");
	ADVICE("%s", rc == ENODEV ? "load the module: modprobe overlay"
				  : "overlayfs must be allowed in a mount namespace of one's own; see also the line above");
	return rc == 0;
}

/* The host's vDSO has to be where the guests' one will replace it, with its data pages right below. */
static bool check_vdso(struct finding *f)
{
	unsigned long vdso = getauxval(AT_SYSINFO_EHDR), lo, hi, vvar_end = 0;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	while (maps && fgets(line, sizeof line, maps))
		if (strstr(line, "[vvar") && sscanf(line, "%lx-%lx", &lo, &hi) == 2 && hi > vvar_end)
			vvar_end = hi;
	if (maps)
		fclose(maps);
	TEXT("vDSO of the kernel: %s", !vdso ? "none" : vvar_end == vdso ? "as expected" : "its data pages lie elsewhere");
	ADVICE("simrun does not know this layout of [vvar] and [vdso] in /proc/self/maps; please report it");
	return vdso && vvar_end == vdso;
}

static const struct {
	const char *name;
	check_fn *check;
} checks[] = {
	{"kernel", check_kernel}, {"cpus", check_cpus},		    {"seccomp", check_notify},
	{"ptrace", check_ptrace}, {"tsc", check_tsc},		    {"vdso", check_vdso},
	{"namespaces", check_namespaces}, {"overlayfs", check_overlay},
};

static const struct option table[] = {OPTIONS_END};

int cmd_doctor(int argc, char **argv)
{
	struct err e = {0};
	bool all = true;
	int n = options_parse(table, NULL, argc - 1, argv + 1, NULL, &e);

	if (n == OPTIONS_HELP) {
		printf("usage: simrun doctor\n"
		       "\n"
		       "Tries out what simulations need of this machine. A line each: OK, or FAIL and what to do.\n");
		return STATUS_PASS;
	}
	if (n >= 0 && n < argc - 1)
		n = err_set(&e, 0, "'%s' is one too many; doctor takes no arguments", argv[1 + n]);
	if (n < 0)
		return usage_error(&e);
	for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
		struct finding f = {0};
		bool ok = checks[i].check(&f);
		all &= ok;
		printf("%-5s%-11s %s\n", ok ? "OK" : "FAIL", checks[i].name, f.text);
		if (!ok)
			printf("     %-11s to do: %s\n", "", f.advice);
		fflush(stdout);
	}
	printf(all ? "this machine can run simulations\n" : "this machine cannot run simulations yet\n");
	return all ? STATUS_PASS : STATUS_HARNESS;
}
