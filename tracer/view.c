#include "tracer/view.h"

#include "base/buf.h"
#include "base/mem.h"
#include "tracer/guest_files.h"
#include "tracer/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Everything is assembled below /proc: the one directory that surely exists and that the view replaces anyway. A tmpfs on
 * it holds the upper and work directories (SCRATCH/u0, w0, u1 …) and the new root (SCRATCH/root).
 */
#define SCRATCH "/proc"
#define ROOT SCRATCH "/root"

static const char *const real_types[] = {"ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "f2fs",
					 "vfat", "9p", "virtiofs", "nfs", "nfs4", "fuse", "squashfs", "erofs", "bcachefs"};

struct mount_list {
	char **path;
	size_t n;
};

static bool is_real_type(const char *type)
{
	for (size_t i = 0; i < ARRAY_LEN(real_types); i++)
		if (!strcmp(type, real_types[i]))
			return true;
	return !strncmp(type, "fuse.", 5);
}

static bool below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (path[n] == '/' || !path[n]);
}

/* Mount points and octal escapes as in proc_pid_mountinfo(5). */
static void unescape(char *s)
{
	char *out = s;

	for (; *s; s++) {
		if (*s == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			*out++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 3;
		} else {
			*out++ = *s;
		}
	}
	*out = 0;
}

static void list_mounts(struct mount_list *l)
{
	char line[4096], path[2048], type[64];
	FILE *f = fopen("/proc/self/mountinfo", "re");

	if (!f)
		return;
	while (fgets(line, sizeof line, f)) {
		const char *dash = strstr(line, " - ");
		if (!dash || sscanf(line, "%*d %*d %*s %*s %2047s", path) != 1 || sscanf(dash + 3, "%63s", type) != 1)
			continue;
		unescape(path);
		if (!strcmp(path, "/") || !is_real_type(type) || below(path, "/proc") || below(path, "/sys") ||
		    below(path, "/dev"))
			continue;
		l->path = xrealloc(l->path, (l->n + 1) * sizeof *l->path);
		l->path[l->n++] = xstrdup(path);
	}
	fclose(f);
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	close(fd);
	return n == (ssize_t)strlen(text) ? 0 : -EIO;
}

/* A program or library that simrun brings along. */
static int write_bytes(const char *path, const unsigned char *from, const unsigned char *to)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, from, (size_t)(to - from));
	fchmod(fd, 0755);
	close(fd);
	return n == to - from ? 0 : -1;
}

/* An ordinary user becomes itself in a new user namespace, with full capabilities there until exec. */
static int enter_user_ns(struct err *e)
{
	uid_t uid = getuid();
	gid_t gid = getgid();
	char map[64];

	if (unshare(CLONE_NEWUSER) < 0)
		return err_set(e, errno, "cannot make a user namespace (simrun doctor says more)");
	snprintf(map, sizeof map, "%u %u 1", uid, uid);
	if (write_file("/proc/self/uid_map", map))
		return err_set(e, errno, "cannot write /proc/self/uid_map");
	write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof map, "%u %u 1", gid, gid);
	if (write_file("/proc/self/gid_map", map))
		return err_set(e, errno, "cannot write /proc/self/gid_map");
	return 0;
}

static void opt_path(struct buf *o, const char *key, const char *path)
{
	buf_addf(o, ",%s=", key);
	for (; *path; path++) {
		if (strchr(",:\\", *path))
			buf_addc(o, '\\');
		buf_addc(o, *path);
	}
}

/* The directories that lead to `dir`, made in the upper directory as they are below. The way from there, or NULL. */
static const char *make_way(const char *lower, const char *up, const char *dir, bool root)
{
	size_t n = strcmp(lower, "/") ? strlen(lower) : 0;
	const char *rel = dir + n;
	char from[4096], to[4096 + 64];
	struct stat st;

	if (n && !below(dir, lower))
		return NULL;
	if (!strcmp(rel, "/"))
		rel = "";
	for (size_t end = 0; rel[end];) {
		end += 1 + strcspn(rel + end + 1, "/");
		snprintf(from, sizeof from, "%.*s", (int)(n + end), dir);
		snprintf(to, sizeof to, "%s%.*s", up, (int)end, rel);
		if (lstat(from, &st) < 0 || !S_ISDIR(st.st_mode) || (mkdir(to, 0755) < 0 && errno != EEXIST))
			return NULL;
		chmod(to, st.st_mode & (root || !access(from, W_OK) ? 07777 : 07555));
		if (chown(to, st.st_uid, st.st_gid) < 0 && root)
			return NULL;
	}
	return rel;
}

/* What every SDK of Antithesis looks for. Where it cannot be put, programs made for it see that it is not there. */
static void serve_voidstar(const char *lower, const char *up, bool root)
{
	const char *rel = make_way(lower, up, VOIDSTAR_DIR, root);
	char path[4096];
	struct stat st;

	if (!rel)
		return;
	snprintf(path, sizeof path, "%s%s/" VOIDSTAR_NAME, up, rel);
	write_bytes(path, voidstar_start, voidstar_end);
	/* No file of a run is younger than the run. */
	if (!stat(VOIDSTAR_DIR, &st))
		for (int i = 0; i < 2; i++) {
			utimensat(AT_FDCWD, path, (struct timespec[2]){st.st_atim, st.st_mtim}, 0);
			snprintf(path, sizeof path, "%s%s", up, rel);
		}
}

/*
 * Run folders of earlier runs must not show in a directory's listing, or a failure would not repeat where it was found.
 * Overlayfs takes a character device 0/0 in the upper directory for a name that is not there (its whiteout).
 */
static void hide_run_folders(const char *lower, const char *up, bool root)
{
	char cwd[4096], to[4096 + 64];
	const char *rel;

	if (!getcwd(cwd, sizeof cwd) || !(rel = make_way(lower, up, cwd, root)))
		return;
	snprintf(to, sizeof to, "%s%s/" RUNDIR_PARENT, up, rel);
	mknod(to, S_IFCHR, 0); /* where it fails the folders are seen, and no harm is done */
}

/* An overlay of `lower` at `where`; directory number n of the scratch tmpfs takes the changes. */
static int overlay(const char *lower, const char *where, unsigned n, bool root, struct err *e)
{
	struct buf o = {0};
	char up[64], work[64];
	struct stat st;
	bool have;
	int rc;

	snprintf(up, sizeof up, SCRATCH "/u%u", n);
	snprintf(work, sizeof work, SCRATCH "/w%u", n);
	if (mkdir(up, 0755) < 0 || mkdir(work, 0755) < 0)
		return err_set(e, errno, "cannot prepare the view of %s", lower);
	have = !stat(lower, &st);
	if (have) {
		/* The upper directory's own mode is what the merged root shows. */
		/* An ordinary user owns it there, so what he may not write natively is made unwritable for owners. */
		chmod(up, st.st_mode & (root || !access(lower, W_OK) ? 07777 : 07555));
		if (chown(up, st.st_uid, st.st_gid) < 0 && root)
			return err_set(e, errno, "cannot prepare the view of %s", lower);
	}
	serve_voidstar(lower, up, root);
	hide_run_folders(lower, up, root);
	buf_adds(&o, root ? "xino=on,redirect_dir=on,index=off,metacopy=off" : "xino=on,userxattr,index=off");
	opt_path(&o, "lowerdir", lower);
	opt_path(&o, "upperdir", up);
	opt_path(&o, "workdir", work);
	rc = mount("overlay", where, "overlay", MS_NODEV, o.data);
	if (rc < 0)
		err_set(e, errno, "cannot mount the copy-on-write view of %s", lower);
	else if (have)
		/* A merged directory shows the upper one's times: the moment of this run's start, unless told. */
		utimensat(AT_FDCWD, up, (struct timespec[2]){st.st_atim, st.st_mtim}, 0);
	buf_clear(&o);
	return rc;
}

static void mkdir_p(const char *path)
{
	char *p = xstrdup(path);

	for (char *s = p + 1; *s; s++)
		if (*s == '/') {
			*s = 0;
			mkdir(p, 0755);
			*s = '/';
		}
	mkdir(p, 0755);
	free(p);
}

static int view_of_root(unsigned *n, struct err *e)
{
	struct mount_list l = {0};
	char path[4096];
	struct stat st;
	int rc;

	list_mounts(&l); /* before the scratch tmpfs hides /proc */
	if (mount("scratch", SCRATCH, "tmpfs", 0, "mode=755") < 0)
		return err_set(e, errno, "cannot mount a tmpfs");
	mkdir(ROOT, 0755);
	rc = overlay("/", ROOT, (*n)++, true, e);
	for (size_t i = 0; !rc && i < l.n; i++) {
		snprintf(path, sizeof path, ROOT "%s", l.path[i]);
		if (stat(l.path[i], &st) < 0)
			continue; /* hidden below another mount */
		if (S_ISDIR(st.st_mode))
			rc = overlay(l.path[i], path, (*n)++, true, e);
		else if (mount(l.path[i], path, NULL, MS_BIND, NULL) == 0)
			mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL);
	}
	for (size_t i = 0; i < l.n; i++)
		free(l.path[i]);
	free(l.path);
	return rc;
}

/* Without privilege "/" cannot be a lower directory (its mounts are locked): one overlay per top-level directory. */
static int view_of_user(unsigned *n, struct err *e)
{
	DIR *d;
	int rc = 0;

	if (mount("scratch", SCRATCH, "tmpfs", 0, "mode=755") < 0)
		return err_set(e, errno, "cannot mount a tmpfs");
	mkdir(ROOT, 0755);
	if (mount("root", ROOT, "tmpfs", 0, "mode=755") < 0)
		return err_set(e, errno, "cannot mount a tmpfs");
	d = opendir("/");
	for (struct dirent *ent; d && (ent = readdir(d));) {
		char from[300], to[320], link[4096];
		struct stat st;
		if (!strcmp(ent->d_name, ".") || !strcmp(ent->d_name, "..") || !strcmp(ent->d_name, "proc") ||
		    !strcmp(ent->d_name, "sys") || !strcmp(ent->d_name, "dev"))
			continue;
		snprintf(from, sizeof from, "/%s", ent->d_name);
		snprintf(to, sizeof to, ROOT "/%s", ent->d_name);
		if (lstat(from, &st) < 0)
			continue;
		if (S_ISLNK(st.st_mode)) {
			ssize_t len = readlink(from, link, sizeof link - 1);
			if (len > 0) {
				link[len] = 0;
				if (symlink(link, to) < 0)
					continue;
			}
		} else if (S_ISDIR(st.st_mode)) {
			struct err ignore = {0};
			mkdir(to, 0755);
			/* What cannot be overlaid (locked mounts below it) is shown read-only. */
			if (overlay(from, to, (*n)++, false, &ignore) < 0 &&
			    mount(from, to, NULL, MS_BIND | MS_REC, NULL) == 0)
				mount(NULL, to, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL);
		}
	}
	if (d)
		closedir(d);
	return rc;
}

static const char *const dev_nodes[] = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "simrun/output",
					"simrun/sdk.jsonl"};

/* Device nodes are names only: the file layer serves them from the simulation. */
static int make_dev(struct err *e)
{
	char path[64];

	mkdir(ROOT "/dev", 0755);
	if (mount("dev", ROOT "/dev", "tmpfs", MS_NOSUID, "mode=755") < 0)
		return err_set(e, errno, "cannot mount the view's /dev");
	mkdir(ROOT SIMRUN_DEV, 0755);
	if (write_bytes(ROOT STOP_FAULTS_PATH, stop_faults_start, stop_faults_end) < 0)
		return err_set(e, errno, "cannot make %s", STOP_FAULTS_PATH);
	for (size_t i = 0; i < ARRAY_LEN(dev_nodes); i++) {
		snprintf(path, sizeof path, ROOT "/dev/%s", dev_nodes[i]);
		if (write_file(path, "") < 0)
			return err_set(e, errno, "cannot make %s", path);
		chmod(path, 0666);
	}
	mkdir(ROOT "/dev/pts", 0755);
	mkdir(ROOT "/dev/shm", 01777);
	chmod(ROOT "/dev/shm", 01777);
	if (symlink("/proc/self/fd", ROOT "/dev/fd") < 0 || symlink("/proc/self/fd/0", ROOT "/dev/stdin") < 0 ||
	    symlink("/proc/self/fd/1", ROOT "/dev/stdout") < 0 || symlink("/proc/self/fd/2", ROOT "/dev/stderr") < 0)
		return err_set(e, errno, "cannot fill the view's /dev");
	return 0;
}

static int make_sys(struct err *e)
{
	mkdir(ROOT "/sys", 0755);
	mkdir(ROOT "/proc", 0755);
	if (mount("sys", ROOT "/sys", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NOEXEC, "mode=755") < 0)
		return err_set(e, errno, "cannot mount the view's /sys");
	return 0;
}

static int bind_launch_dir(const char *cwd, const char *at, unsigned *n, bool root, struct err *e)
{
	char path[4096];

	if (at[0] != '/')
		return err_set(e, 0, "-at '%s': an absolute path is needed", at);
	snprintf(path, sizeof path, ROOT "%s", at);
	mkdir_p(path);
	return overlay(cwd, path, (*n)++, root, e);
}

int view_enter(const char *at, struct err *e)
{
	bool root = geteuid() == 0;
	unsigned n = 0;
	char cwd[4096];
	int host_proc;

	if (!getcwd(cwd, sizeof cwd))
		return err_set(e, errno, "cannot tell the current directory");
	if (!root && enter_user_ns(e) < 0)
		return -1;
	if (unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) < 0)
		return err_set(e, errno, "cannot make namespaces (simrun doctor says more)");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return err_set(e, errno, "cannot make the mounts private");
	host_proc = open_tree(AT_FDCWD, "/proc", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	if ((root ? view_of_root(&n, e) : view_of_user(&n, e)) < 0 || make_dev(e) < 0 || make_sys(e) < 0)
		return -1;
	/* Below the guests' own /proc, which covers it: see view_show_host_proc(). */
	if (host_proc < 0 || move_mount(host_proc, "", AT_FDCWD, ROOT "/proc", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return err_set(e, errno, "cannot keep the host's /proc");
	close(host_proc);
	if (at && bind_launch_dir(cwd, at, &n, root, e) < 0)
		return -1;
	if (chdir(ROOT) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0)
		return err_set(e, errno, "cannot enter the view");
	if (chdir(at ? at : cwd) < 0)
		return err_set(e, errno, "cannot enter %s in the view", at ? at : cwd);
	return 0;
}

void view_show_host_proc(bool on)
{
	/* Nobody else looks meanwhile: every guest is parked. */
	if (on)
		mount("/proc", "/dev/shm", NULL, MS_MOVE, NULL);
	else
		mount("/dev/shm", "/proc", NULL, MS_MOVE, NULL);
}

/* Runs as pid 1 of the guests' namespace. It is no guest: nothing of the simulation depends on it. */
_Noreturn static void init_main(int ready)
{
	char ok = 'y';

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "init");
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		ok = 'n';
	if (write(ready, &ok, 1) != 1 || ok != 'y')
		_exit(1);
	for (int fd = 0; fd < 256; fd++)
		close(fd);
	for (;;)
		pause();
}

pid_t view_init_process(struct err *e)
{
	int ready[2];
	char ok = 0;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return err_set(e, errno, "cannot make a pipe");
	pid = fork();
	if (pid == 0)
		init_main(ready[1]);
	close(ready[1]);
	if (pid < 0 || read(ready[0], &ok, 1) != 1 || ok != 'y') {
		close(ready[0]);
		return err_set(e, pid < 0 ? errno : 0, "cannot start the first process of the pid namespace");
	}
	close(ready[0]);
	return pid;
}
