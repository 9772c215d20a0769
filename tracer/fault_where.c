/* What a call is about: its path, the other end of its socket. Looked at before the call is performed, and without a trace in
 * the run hash. */
#include "tracer/fault_match.h"

#include "base/mem.h"
#include "netsim/link.h"
#include "netsim/sock.h"
#include "tracer/gmem.h"
#include "tracer/realfile.h"
#include "tracer/sim.h"
#include "tracer/sockaddr.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* ---- paths ---- */

static bool path_fits(const char *pattern, const char *path)
{
	const char *base = strrchr(path, '/');

	if (!strchr(pattern, '/') && base)
		path = base + 1;
	return !fnmatch(pattern, path, 0);
}

/* The path of an open file or directory; false: it has none. */
static bool fd_path(struct call *c, uint64_t fd, char out[PATH_MAX])
{
	struct file *f = call_file(c, fd);

	return f && vfs_host_fd(f) >= 0 && vfs_fd_path(c->sim, vfs_host_fd(f), out) >= 0;
}

/* Reads a path argument without leaving a trace of that in the hash, and makes it absolute, as text. */
static bool arg_path(struct call *c, uint64_t addr, bool has_dir, uint64_t dir, char out[2 * PATH_MAX])
{
	char text[PATH_MAX], base[PATH_MAX];
	size_t n = 0;

	for (const char *end = NULL; !end;) {
		long got = n < sizeof text ? gm_read_some(c->task->tid, text + n, addr + n, MIN(sizeof text - n, (size_t)256)) : 0;
		if (got <= 0)
			return false;
		end = memchr(text + n, 0, (size_t)got);
		n += (size_t)got;
	}
	if (text[0] == '/') {
		strcpy(out, text);
		return true;
	}
	if (has_dir && (int)dir != AT_FDCWD) {
		if (!fd_path(c, dir, base))
			return false;
	} else {
		snprintf(base, sizeof base, "%s", fs_cwd_path(call_fs(c)));
	}
	snprintf(out, 2 * PATH_MAX, "%s/%s", strcmp(base, "/") ? base : "", text);
	return true;
}

bool fault_path_matches(struct call *c, const char *pattern)
{
	const char *spec = c->row->args;
	char path[2 * PATH_MAX];
	uint64_t dir = 0;
	bool has_dir = false;

	for (int i = 0; i < 6; i++) {
		enum sysarg_kind k = sysarg_next(&spec);
		if (k == ARG_DIRFD) {
			dir = c->arg[i];
			has_dir = true;
		}
		if (k == ARG_PATH && c->arg[i] && arg_path(c, c->arg[i], has_dir, dir, path) && path_fits(pattern, path))
			return true;
		if (k == ARG_FD && fd_path(c, c->arg[i], path) && path_fits(pattern, path))
			return true;
	}
	return false;
}

/* ---- peers ---- */

/* The address that a call names, of connect, bind, sendto: argument `at`. */
static bool named_address(struct call *c, const struct sock *s, int at, struct netaddr *out)
{
	struct rawaddr r = {.len = (uint32_t)c->arg[at + 1]};

	if (!c->arg[at] || r.len > sizeof r.b || copy_in_raw(c, r.b, c->arg[at], r.len))
		return false;
	return !sockaddr_parse(s->family, &r, out);
}

static bool address_fits(const struct netaddr *a, const char *want)
{
	char text[UNIX_PATH_MAX + 64];

	netaddr_print(a, text, sizeof text);
	if (want[0] == ':') {
		const char *port = strrchr(text, ':');
		return port && !strcmp(port, want);
	}
	return !strcmp(text, want) || !fnmatch(want, text, 0);
}

bool fault_peer_matches(struct call *c, const char *peer)
{
	struct file *f = call_file(c, c->arg[0]);
	struct sock *s = f ? sock_of(f) : NULL;
	struct netaddr a = {0};
	struct node *n;
	int at = !strcmp(c->row->name, "connect") ? 1 : !strcmp(c->row->name, "sendto") ? 4 : 0;

	if (!s)
		return false;
	if (!at || !named_address(c, s, at, &a))
		a = s->remote;
	if (a.family && address_fits(&a, peer))
		return true;
	n = net_peer_node(s, &a);
	return n && !strcmp(n->name, peer);
}
