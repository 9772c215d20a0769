#include "tracer/rundir.h"

#include "base/mem.h"
#include "tracer/fault_config.h"
#include "tracer/result.h"
#include "tracer/scenario.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders in the making are named after their process, so that what a killed one left is known for what it is. */
#define NEW_PREFIX ".new-"

char *rundir_path(uint64_t seed)
{
	return xasprintf(RUNDIR_PARENT "/seed-%" PRIu64, seed);
}

static json_t *config_json(const struct run_config *cfg)
{
	json_t *j = json_object(), *scenario;

	json_object_set_new(j, "preempt", json_string(preempt_name(cfg->preempt)));
	json_object_set_new(j, "sched", json_string(sched_policy_name(sched_policy_for(cfg->sched, cfg->seed))));
	json_object_set_new(j, "faults", cfg->faults ? fault_config_json(cfg->faults) : json_object());
	json_object_set_new(j, "epoch_s", json_integer(cfg->epoch_s));
	json_object_set_new(j, "cpus", json_integer(cfg->cpus));
	json_object_set_new(j, "call_cost_ns", json_integer(cfg->call_cost_ns));
	json_object_set_new(j, "clock_read_cost_ns", json_integer(cfg->clock_read_cost_ns));
	json_object_set_new(j, "timeout_s", json_integer(cfg->timeout_s));
	json_object_set_new(j, "trace", json_string(trace_level_name(cfg->trace)));
	if (cfg->scenario && (scenario = scenario_json(cfg->scenario)))
		json_object_set_new(j, "scenario", scenario);
	if (cfg->at)
		json_object_set_new(j, "at", json_bytes(cfg->at, strlen(cfg->at)));
	if (cfg->until_output)
		json_object_set_new(j, "until_output", json_bytes(cfg->until_output, strlen(cfg->until_output)));
	if (cfg->sites && cfg->sites->n)
		json_object_set_new(j, "counting_sites", sites_json(cfg->sites));
	if (cfg->debug_leak)
		json_object_set_new(j, "debug_leak", json_integer(cfg->debug_leak));
	return j;
}

/* An argument as it is. What is no UTF-8 cannot be a JSON text: {"hex": "61ff"}. */
static json_t *exact_json(const char *s)
{
	json_t *j = json_string(s);
	struct buf hex = {0};

	if (j)
		return j;
	for (; *s; s++)
		buf_addf(&hex, "%02x", (unsigned char)*s);
	j = json_pack("{s:s}", "hex", hex.data);
	buf_clear(&hex);
	return j;
}

static json_t *strings_json(const char *const *v)
{
	json_t *list = json_array();

	for (; v && *v; v++)
		json_array_append_new(list, exact_json(*v));
	return list;
}

json_t *rundir_header(const struct run_config *cfg)
{
	char *cwd = getcwd(NULL, 0);
	json_t *j = json_object();

	json_object_set_new(j, "version", json_string(SIMRUN_VERSION));
	json_object_set_new(j, "seed", json_seed(cfg->seed));
	json_object_set_new(j, "argv", strings_json((const char *const *)cfg->argv));
	json_object_set_new(j, "directory", json_bytes(cwd, cwd ? strlen(cwd) : 0));
	json_object_set_new(j, "config", config_json(cfg));
	json_object_set_new(j, "environment", strings_json(cfg->env));
	free(cwd);
	return j;
}

/* "path digest" lines as objects; the digest is the last word. */
static json_t *binaries_json(const struct buf *digests)
{
	json_t *list = json_array(), *lines = json_lines(digests), *line;
	size_t i;

	json_array_foreach(lines, i, line) {
		const char *s = json_string_value(line), *space = strrchr(s, ' ');
		if (space)
			json_array_append_new(list, json_pack("{s:o, s:s}", "path", json_bytes(s, (size_t)(space - s)),
							      "xxh3", space + 1));
	}
	json_decref(lines);
	return list;
}

static int write_all(int fd, const void *p, size_t n, struct err *e)
{
	while (n) {
		ssize_t done = write(fd, p, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return err_set(e, errno, "cannot write");
		p = (const char *)p + done;
		n -= (size_t)done;
	}
	return 0;
}

static int write_file_at(int dir, const char *name, const void *p, size_t n, int flags, struct err *e)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666), rc;

	if (fd < 0)
		return err_set(e, errno, "cannot create %s", name);
	rc = write_all(fd, p, n, e);
	close(fd);
	return rc;
}

static int write_json_at(int dir, const char *name, const json_t *j, struct err *e)
{
	char *text = json_dumps(j, JSON_INDENT(2) | JSON_PRESERVE_ORDER), *line = xasprintf("%s\n", text);
	int rc = write_file_at(dir, name, line, strlen(line), O_TRUNC, e);

	free(text);
	free(line);
	return rc;
}

/*
 * The part of an output line behind its node, "12.345678s redis1 | text"; NULL when it has none. Node names may hold
 * anything but a line's end, so what could leave the folder is replaced.
 */
static const char *split_output(const char *line, const char *end, char *node, size_t size)
{
	const char *name = memchr(line, ' ', (size_t)(end - line)), *bar;
	size_t n;

	if (!name)
		return NULL;
	name++;
	bar = memmem(name, (size_t)(end - name), " | ", 3);
	if (!bar || bar == name)
		return NULL;
	n = MIN((size_t)(bar - name), size - 1);
	for (size_t i = 0; i < n; i++)
		node[i] = name[i] == '/' ? '_' : name[i];
	node[n] = 0;
	if (node[0] == '.')
		node[0] = '_';
	return bar + 3;
}

/* The lines of each node into a file of its own; `out` is the folder of these files. */
static int split_by_node(int out, const struct buf *output, struct err *e)
{
	char node[128], open_node[128] = "";
	int fd = -1, rc = 0;

	for (size_t at = 0; !rc && at < output->len;) {
		const char *line = output->data + at, *end = memchr(line, '\n', output->len - at), *text;
		end = end ? end + 1 : output->data + output->len;
		at = (size_t)(end - output->data);
		text = split_output(line, end, node, sizeof node);
		if (!text)
			continue;
		if (fd < 0 || strcmp(node, open_node)) {
			if (fd >= 0)
				close(fd);
			fd = openat(out, node, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
			if (fd < 0)
				return err_set(e, errno, "cannot create output/%s", node);
			strcpy(open_node, node);
		}
		rc = write_all(fd, text, (size_t)(end - text), e);
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

static int write_output(int dir, const struct buf *output, struct err *e)
{
	int out, rc;

	if (mkdirat(dir, "output", 0777) < 0 || (out = openat(dir, "output", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return err_set(e, errno, "cannot create output");
	rc = split_by_node(out, output, e);
	close(out);
	return rc;
}

int copy_file(int from, int to, struct err *e)
{
	char chunk[65536];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, chunk, sizeof chunk, at)) > 0) {
		if (write_all(to, chunk, (size_t)n, e) < 0)
			return -1;
		at += n;
	}
	return n < 0 ? err_set(e, errno, "cannot read the trace") : 0;
}

int unnamed_file(struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	int fd = open(tmp && *tmp ? tmp : "/tmp", O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0)
		fd = memfd_create("simrun", MFD_CLOEXEC); /* a file system without unnamed files */
	return fd < 0 ? err_set(e, errno, "cannot create a temporary file") : fd;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void remove_tree(const char *path)
{
	enum { OPEN_DIRS = 16 };

	nftw(path, remove_entry, OPEN_DIRS, FTW_DEPTH | FTW_PHYS);
}

/* Removes what killed processes left unfinished. */
static void remove_stale(void)
{
	DIR *d = opendir(RUNDIR_PARENT);
	struct dirent *ent;

	while (d && (ent = readdir(d))) {
		int pid = 0;
		if (sscanf(ent->d_name, NEW_PREFIX "%d-", &pid) == 1 && kill(pid, 0) < 0 && errno == ESRCH) {
			char *path = xasprintf(RUNDIR_PARENT "/%s", ent->d_name);
			remove_tree(path);
			free(path);
		}
	}
	if (d)
		closedir(d);
}

/* Makes an empty folder under its temporary name; its descriptor. */
static int open_new(const char *tmp, struct err *e)
{
	int dir;

	if (mkdir(RUNDIR_PARENT, 0777) < 0 && errno != EEXIST)
		return err_set(e, errno, "cannot create %s", RUNDIR_PARENT);
	remove_stale();
	remove_tree(tmp);
	if (mkdir(tmp, 0777) < 0)
		return err_set(e, errno, "cannot create %s", tmp);
	dir = open(tmp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? err_set(e, errno, "cannot open %s", tmp) : dir;
}

/* Gives the finished folder its name, in place of an older one. */
static int publish(const char *tmp, const char *path, struct err *e)
{
	if (renameat2(AT_FDCWD, tmp, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno == EEXIST && renameat2(AT_FDCWD, tmp, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
		remove_tree(tmp);
		return 0;
	}
	/* A file system that knows neither flag. */
	remove_tree(path);
	if (rename(tmp, path) < 0)
		return err_set(e, errno, "cannot rename %s to %s", tmp, path);
	return 0;
}

static char *new_name(uint64_t seed)
{
	return xasprintf(RUNDIR_PARENT "/" NEW_PREFIX "%d-%" PRIu64, getpid(), seed);
}

/* Publishes a folder that was filled with result rc. */
static int finish(int dir, int rc, uint64_t seed, const char *tmp, struct err *e)
{
	char *path = rundir_path(seed);

	close(dir);
	if (!rc)
		rc = publish(tmp, path, e);
	if (rc < 0) {
		remove_tree(tmp);
		err_wrap(e, "%s", path);
	}
	free(path);
	return rc;
}

int rundir_begin(uint64_t seed, const json_t *header, struct err *e)
{
	char *tmp = new_name(seed);
	int dir = open_new(tmp, e), rc = -1;

	if (dir >= 0)
		rc = finish(dir, write_json_at(dir, "run.json", header, e), seed, tmp, e);
	free(tmp);
	return rc;
}

static int write_trace(int dir, int trace_fd, struct err *e)
{
	int fd, rc;

	if (trace_fd < 0)
		return 0;
	fd = openat(dir, "trace.jsonl", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set(e, errno, "cannot create trace.jsonl");
	rc = copy_file(trace_fd, fd, e);
	close(fd);
	return rc;
}

static int write_result(int dir, const struct run_config *cfg, const struct run_result *res, struct err *e)
{
	json_t *j = result_json(cfg, cfg->seed, res);
	int rc = write_json_at(dir, "result.json", j, e);

	json_decref(j);
	return rc;
}

static int write_plan(int dir, const struct buf *plan, struct err *e)
{
	static const char empty[] = "[]\n";

	return plan->len ? write_file_at(dir, "plan.json", plan->data, plan->len, O_TRUNC, e)
			 : write_file_at(dir, "plan.json", empty, sizeof empty - 1, O_TRUNC, e);
}

static int write_history(int dir, const struct run_result *res, struct err *e)
{
	if (res->history.len && write_file_at(dir, "history.jsonl", res->history.data, res->history.len, O_TRUNC, e) < 0)
		return -1;
	return res->timeline.len ? write_file_at(dir, "timeline.html", res->timeline.data, res->timeline.len, O_TRUNC, e) : 0;
}

int rundir_add_history(const char *path, const struct run_result *res, struct err *e)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	if (dir < 0)
		return err_set(e, errno, "cannot open %s", path);
	rc = write_history(dir, res, e);
	close(dir);
	return rc < 0 ? err_wrap(e, "%s", path) : 0;
}

int rundir_write(uint64_t seed, json_t *header, const struct run_config *cfg, const struct run_result *res, int trace_fd,
		 struct err *e)
{
	char *tmp = new_name(seed);
	int dir = open_new(tmp, e), rc = -1;

	if (dir >= 0) {
		json_object_set_new(header, "binaries", binaries_json(&res->digests));
		rc = write_json_at(dir, "run.json", header, e) < 0 || write_plan(dir, &res->plan, e) < 0 ||
				     write_trace(dir, trace_fd, e) < 0 || write_output(dir, &res->output, e) < 0 ||
				     write_history(dir, res, e) < 0 || write_result(dir, cfg, res, e) < 0
			     ? -1
			     : 0;
		rc = finish(dir, rc, seed, tmp, e);
	}
	free(tmp);
	return rc;
}
