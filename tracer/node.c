#include "tracer/node.h"

#include "tracer/fault.h"
#include "tracer/sim.h"
#include "tracer/stage.h"
#include "tracer/stdio_files.h"
#include "tracer/vfs.h"

#include "base/mem.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- launches ---- */

static char **copy_strings(char **v)
{
	size_t n = 0;
	char **c;

	while (v && v[n])
		n++;
	c = xcalloc(n + 1, sizeof *c);
	for (size_t i = 0; i < n; i++)
		c[i] = xstrdup(v[i]);
	return c;
}

static void free_strings(char **v)
{
	for (size_t i = 0; v && v[i]; i++)
		free(v[i]);
	free(v);
}

struct launch *launch_new(const char *path, const char *cwd, char **argv, char **envp)
{
	struct launch *l = xnew(struct launch);

	l->refs = 1;
	l->path = xstrdup(path);
	l->cwd = xstrdup(cwd);
	l->argv = copy_strings(argv);
	l->envp = copy_strings(envp);
	return l;
}

struct launch *launch_ref(struct launch *l)
{
	if (l)
		l->refs++;
	return l;
}

void launch_unref(struct sim *s, struct launch *l)
{
	if (!l || --l->refs)
		return;
	for (size_t i = 0; i < l->nfiles; i++)
		if (l->files[i].counted)
			file_unref(&s->kern, l->files[i].file);
	free(l->files);
	free(l->path);
	free(l->cwd);
	free_strings(l->argv);
	free_strings(l->envp);
	free(l);
}

const char *launch_env(const struct launch *l, const char *name)
{
	size_t n = strlen(name);

	for (char **e = l->envp; *e; e++)
		if (!strncmp(*e, name, n) && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

static void save_files(struct launch *l, const struct fdtab *t)
{
	l->has_files = true;
	l->files = xcalloc(t->cap + 1, sizeof *l->files);
	for (unsigned fd = 0; fd < t->cap; fd++) {
		struct file *f = t->ent[fd].file;
		if (!f)
			continue;
		l->files[l->nfiles++] = (struct saved_file){
			.fd = (int)fd,
			.counted = f->ops->pread || f->ops->seek,
			.file = f,
			.id = f->id,
		};
		if (l->files[l->nfiles - 1].counted)
			file_ref(f);
	}
}

/* ---- nodes ---- */

struct node *node_new(struct sim *s, const char *name)
{
	struct node *n;
	char stream[96];

	if (s->nnodes == SIM_NODES_MAX)
		return s->nodes[0];
	n = arena_new_of(s->kern.arena, struct node);
	snprintf(n->name, sizeof n->name, "%s", name);
	n->index = s->nnodes;
	n->host = xnew(struct nodehost);
	snprintf(stream, sizeof stream, "guest:%s", name);
	rng_init(&n->rng, s->cfg->seed, stream);
	s->partial = xrealloc(s->partial, (s->nnodes + 1) * sizeof *s->partial);
	memset(&s->partial[s->nnodes], 0, sizeof *s->partial);
	s->nodes[s->nnodes++] = n;
	return n;
}

void nodes_free(struct sim *s)
{
	for (unsigned i = 0; i < s->nnodes; i++) {
		struct nodehost *h = node_host(s->nodes[i]);
		launch_unref(s, h->launch);
		if (h->kept)
			fdtab_unref(&s->kern, h->kept, NULL);
		free(h);
	}
}

struct node *sim_node_of(struct sim *s, const struct proc *p)
{
	return p && p->node ? p->node : s->nodes[0];
}

static struct node *find_node(struct sim *s, const char *name)
{
	for (unsigned i = 0; i < s->nnodes; i++)
		if (!strcmp(s->nodes[i]->name, name))
			return s->nodes[i];
	return NULL;
}

/* A name that the script gave. It may start a node of the same name again once that has ended. */
static struct node *named_node(struct sim *s, const char *name)
{
	struct node *n = find_node(s, name);
	char other[64];

	if (!n)
		return node_new(s, name);
	if (n->index && !node_host(n)->root && node_host(n)->over) {
		n->incarnation++;
		node_host(n)->over = false;
		return n;
	}
	for (unsigned i = 2;; i++) {
		snprintf(other, sizeof other, "%.50s-%u", name, i);
		if (!find_node(s, other))
			break;
	}
	sim_warn(s, "two nodes are named %s: the second is %s", name, other);
	return node_new(s, other);
}

static void adopt_tree(struct proc *p, struct node *n)
{
	p->node = n;
	list_each(c, &p->children, struct proc, sibling)
		adopt_tree(c, n);
}

static void become_node(struct sim *s, struct node *n, struct proc *root, struct launch *l)
{
	struct nodehost *h = node_host(n);

	n->up = true;
	h->root = root;
	launch_unref(s, h->launch);
	h->launch = launch_ref(l);
	adopt_tree(root, n);
	stage_node_new(s, n);
	sim_event(s, root, "node %s is up, incarnation %u", n->name, n->incarnation);
	fault_node_up(s, n);
}

void node_on_exec(struct sim *s, struct proc *p, const struct launch *before)
{
	struct launch *l = proc_host(p)->launch;
	const char *name = launch_env(l, "SIMRUN_NODE");
	struct node *now = sim_node_of(s, p);

	bool named = name && *name && p != s->driver && !now->index;

	if (named || (before && before->driver && !now->index))
		save_files(l, p->fds);
	if (!named)
		return;
	become_node(s, named_node(s, name), p, l);
}

/* ---- the listener rule ---- */

static bool may_be_root(const struct proc *p)
{
	const struct hostproc *h = proc_host(p);

	return h && h->launch && !h->launch->driver;
}

static void name_after_program(struct sim *s, const struct launch *l, char *name, size_t n)
{
	const char *prog = l->argv[0] ? l->argv[0] : l->path, *base = strrchr(prog, '/');

	base = base ? base + 1 : prog;
	for (unsigned i = 1;; i++) {
		snprintf(name, n, "%.50s%u", base, i);
		if (!find_node(s, name))
			return;
	}
}

void sim_listens(struct sim *s, struct proc *p)
{
	struct proc *root = NULL;
	char name[64];

	if (sim_node_of(s, p)->index)
		return;
	for (struct proc *q = p; q && q != s->driver; q = q->parent)
		if (may_be_root(q))
			root = q;
	if (!root)
		return;
	name_after_program(s, proc_host(root)->launch, name, sizeof name);
	become_node(s, node_new(s, name), root, proc_host(root)->launch);
}

/* ---- ends, crashes, restarts ---- */

static int by_pid(const void *a, const void *b)
{
	const struct proc *x = *(struct proc *const *)a, *y = *(struct proc *const *)b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* The living processes of a node in the order of their pids; *n of them, the array on the heap. */
static struct proc **members(struct sim *s, const struct node *nd, size_t *n)
{
	struct proc **v = xcalloc(s->kern.procs.len + 1, sizeof *v);

	*n = 0;
	map_each(&s->kern.procs, i) {
		struct proc *p = s->kern.procs.vals[i];
		if (p->node == nd && !p->zombie && p->nthreads)
			v[(*n)++] = p;
	}
	qsort(v, *n, sizeof *v, by_pid);
	return v;
}

static void end_for_good(struct sim *s, struct node *n, int status)
{
	struct nodehost *h = node_host(n);

	n->up = false;
	h->root = NULL;
	h->held = NULL;
	h->over = true;
	if (h->kept)
		fdtab_unref(&s->kern, h->kept, NULL);
	h->kept = NULL;
	launch_unref(s, h->launch);
	h->launch = NULL;
	fault_node_over(s, n);
	sim_event(s, NULL, "node %s has ended: it %s", n->name, ending_of(status).text);
	stage_node_over(s, n, status);
}

/* A root that exits while its tree goes on (a server that became a daemon) leaves the rest as the node. */
static struct proc *next_root(struct sim *s, const struct node *n, const struct proc *gone)
{
	size_t count;
	struct proc **v = members(s, n, &count), *next = NULL;

	for (size_t i = 0; i < count && !next; i++)
		if (v[i] != gone && !v[i]->doomed)
			next = v[i];
	free(v);
	return next;
}

void node_proc_ended(struct sim *s, struct proc *p)
{
	struct node *n = sim_node_of(s, p);
	struct nodehost *h = node_host(n);

	if (!n->index || h->root != p)
		return;
	if (h->crashing || h->stopping) {
		h->root = NULL;
		h->held = p;
		p->held = true;
		n->up = false;
		if (h->stopping)
			fault_node_down(s, n);
		return;
	}
	/* One that exits may have left a daemon behind. One that is killed is gone for good, whatever it leaves. */
	h->root = p->exit_status & 0x7f ? NULL : next_root(s, n, p);
	if (!h->root)
		end_for_good(s, n, p->exit_status);
}

static bool has_file(const struct proc *p, const struct saved_file *sf)
{
	for (unsigned fd = 0; p->fds && fd < p->fds->cap; fd++)
		if (p->fds->ent[fd].file == sf->file && sf->file->id == sf->id)
			return true;
	return false;
}

void node_keep_files(struct sim *s, struct node *n)
{
	struct nodehost *h = node_host(n);
	size_t count;
	struct proc **v;

	if (h->kept || !h->launch)
		return;
	v = members(s, n, &count);
	h->kept = fdtab_new(&s->kern);
	for (size_t i = 0; i < h->launch->nfiles; i++) {
		const struct saved_file *sf = &h->launch->files[i];
		bool there = sf->counted;
		for (size_t m = 0; m < count && !there; m++)
			there = has_file(v[m], sf);
		if (there)
			fdtab_set(&s->kern, h->kept, NULL, (unsigned)sf->fd, file_ref(sf->file), false);
	}
	free(v);
}

unsigned node_crash(struct sim *s, struct node *n)
{
	struct nodehost *h = node_host(n);
	size_t count;
	struct proc **v = members(s, n, &count);

	node_keep_files(s, n);
	h->crashing = true;
	for (size_t i = 0; i < count; i++)
		proc_doom(&s->kern, v[i], SIGKILL);
	sim_kill_doomed(s);
	h->crashing = false;
	free(v);
	return (unsigned)count;
}

static void give_files(struct sim *s, struct proc *p, struct nodehost *h)
{
	const struct launch *l = h->launch;
	struct fdtab *kept = h->kept;

	h->kept = NULL;
	if (!l->has_files || !kept) {
		if (kept)
			fdtab_unref(&s->kern, kept, NULL);
		stdio_files(s, p);
		return;
	}
	fdtab_unref(&s->kern, p->fds, p);
	p->fds = kept;
	for (size_t i = 0; i < l->nfiles; i++)
		if (l->files[i].fd < 3 && !fdtab_get(kept, l->files[i].fd))
			stdio_file(s, p, l->files[i].fd);
}

int node_restart(struct sim *s, struct node *n)
{
	struct nodehost *h = node_host(n);
	struct proc *p;
	int rc;

	if (!h->launch || h->root)
		return -ESRCH;
	p = proc_new(&s->kern, s->next_pid, h->held ? h->held->parent : s->kern.reaper);
	n->incarnation++;
	n->up = true;
	p->node = n;
	p->uid = p->euid = p->suid = h->launch->uid;
	p->gid = p->egid = p->sgid = h->launch->gid;
	give_files(s, p, h);
	rc = spawn_process(s, p, h->launch);
	if (rc)
		return rc;
	h->root = p;
	if (h->held)
		proc_set_alias(&s->kern, p, proc_seen_pid(h->held));
	h->held = NULL;
	sim_event(s, p, "node %s is up again, incarnation %u", n->name, n->incarnation);
	return 0;
}

struct node *node_start(struct sim *s, const char *name, struct launch *l, int *rc)
{
	struct node *n = named_node(s, name);
	struct proc *p = proc_new(&s->kern, s->next_pid, NULL);

	p->node = n;
	l->uid = p->uid = p->euid = p->suid = getuid();
	l->gid = p->gid = p->egid = p->sgid = getgid();
	stdio_files(s, p);
	*rc = spawn_process(s, p, l);
	if (!*rc)
		become_node(s, n, p, l);
	return n;
}

void node_killed_down(struct kern *k, struct proc *held, int status)
{
	struct sim *s = k->host;

	for (unsigned i = 0; i < s->nnodes; i++)
		if (node_host(s->nodes[i])->held == held)
			end_for_good(s, s->nodes[i], status);
	proc_end_held(k, held, status);
}
