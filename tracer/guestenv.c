#include "tracer/guestenv.h"

#include "base/mem.h"
#include "tracer/guest_files.h"

#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const fixed[] = {"TERM=dumb", "LANG=C.UTF-8", "TZ=UTC"};
/* Where programs write messages to the simulation, whatever is set outside. */
static const char *const ours[] = {"SIMRUN_OUTPUT=" OUTPUT_PATH, "ANTITHESIS_OUTPUT_DIR=" SIMRUN_DEV,
				   "ANTITHESIS_STOP_FAULTS=" STOP_FAULTS_PATH};
static const char *const passed[] = {"PATH", "HOME", "USER", "SHELL"};

void strvec_add(struct strvec *l, const char *s)
{
	l->v = xrealloc(l->v, (l->n + 2) * sizeof *l->v);
	l->v[l->n++] = xstrdup(s);
	l->v[l->n] = NULL;
}

void strvec_clear(struct strvec *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct strvec){0};
}

const char *env_get(char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; env && *env; env++)
		if (!strncmp(*env, name, n) && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

/* Adds K=V, in place of an earlier K. */
static void put(struct strvec *l, const char *kv)
{
	size_t n = strcspn(kv, "=") + 1;

	for (size_t i = 0; i < l->n; i++)
		if (!strncmp(l->v[i], kv, n)) {
			free(l->v[i]);
			l->v[i] = xstrdup(kv);
			return;
		}
	strvec_add(l, kv);
}

static void put_value(struct strvec *l, const char *name, const char *value)
{
	char *kv = xasprintf("%s=%s", name, value);

	put(l, kv);
	free(kv);
}

int guestenv_add(struct strvec *env, const char *arg, struct err *e)
{
	const char *value;

	if (!*arg || *arg == '=')
		return err_set(e, 0, "a variable has a name; write -env NAME or -env NAME=VALUE");
	if (strchr(arg, '=')) {
		put(env, arg);
		return 0;
	}
	value = getenv(arg);
	if (!value)
		return err_set(e, 0, "%s is not set here; write -env %s=VALUE", arg, arg);
	put_value(env, arg, value);
	return 0;
}

/* What a login would have set, for a caller (cron, a container) who has it not. */
static const char *fallback(const char *name)
{
	const struct passwd *pw;

	if (!strcmp(name, "PATH"))
		return "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	if (!strcmp(name, "SHELL"))
		return "/bin/sh";
	pw = getpwuid(getuid());
	if (!strcmp(name, "HOME"))
		return pw ? pw->pw_dir : "/";
	return pw ? pw->pw_name : "nobody";
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct strvec guestenv_make(const struct strvec *added, char *const *outside)
{
	struct strvec env = {0};

	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		put(&env, fixed[i]);
	for (size_t i = 0; i < ARRAY_LEN(passed); i++) {
		const char *value = env_get(outside, passed[i]);
		put_value(&env, passed[i], value ? value : fallback(passed[i]));
	}
	for (; outside && *outside; outside++)
		if (!strncmp(*outside, "SIMRUN_", 7) && strchr(*outside, '='))
			put(&env, *outside);
	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		put(&env, ours[i]);
	for (size_t i = 0; i < added->n; i++)
		put(&env, added->v[i]);
	qsort(env.v, env.n, sizeof *env.v, by_text);
	return env;
}

/* Whether execve could take this file: 0, ENOENT or EACCES. */
static int executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno == EACCES ? EACCES : ENOENT;
	/* A directory is EACCES to execve, and so is a file that nobody may execute, even to root. */
	return S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

char *find_program(const char *program, char *const *env)
{
	const char *path = env_get(env, "PATH");
	int failure = ENOENT;

	if (strchr(program, '/')) {
		errno = executable(program);
		return errno ? NULL : xstrdup(program);
	}
	while (*program && path) {
		size_t n = strcspn(path, ":");
		char *file = n ? xasprintf("%.*s/%s", (int)n, path, program) : xstrdup(program);
		int rc = executable(file);
		if (!rc)
			return file;
		/* A directory of PATH that may not be searched holds nothing for us, as for a shell. */
		if (rc == EACCES && access(file, F_OK) == 0)
			failure = EACCES;
		free(file);
		path = path[n] ? path + n + 1 : NULL;
	}
	errno = failure;
	return NULL;
}
