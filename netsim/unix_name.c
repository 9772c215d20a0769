#include "netsim/unix.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* Sockets whose names have the same hash. */
struct names {
	struct list socks;
};

static bool is_path(const struct netaddr *a)
{
	return a->pathlen && a->path[0];
}

/* A path is known by the inode it leads to, an abstract name by its bytes and the socket's type. */
static uint64_t hash_of(const struct netaddr *a, int type)
{
	if (is_path(a))
		return XXH3_64bits(a->key, sizeof a->key);
	return XXH3_64bits_withSeed(a->path, a->pathlen, (uint64_t)type);
}

static bool same(const struct unix_sock *u, const struct netaddr *a, int type)
{
	const struct netaddr *b = &u->sock.local;

	if (is_path(a) != is_path(b))
		return false;
	if (is_path(a))
		return a->key[0] == b->key[0] && a->key[1] == b->key[1];
	return u->sock.type == type && a->pathlen == b->pathlen && !memcmp(a->path, b->path, a->pathlen);
}

static struct unix_sock *find(struct net *n, const struct netaddr *a, int type)
{
	struct names *names = map_get(&n->names, hash_of(a, type));

	if (names)
		list_each(u, &names->socks, struct unix_sock, in_name)
			if (same(u, a, type))
				return u;
	return NULL;
}

int unix_name_find(struct net *n, const struct netaddr *a, int type, struct unix_sock **out)
{
	*out = find(n, a, type);
	if (!*out)
		return -ECONNREFUSED;
	return (*out)->sock.type == type ? 0 : -EPROTOTYPE;
}

static void enter(struct unix_sock *u)
{
	struct net *n = u->sock.net;
	struct names *names;

	u->name_hash = hash_of(&u->sock.local, u->sock.type);
	names = map_get(&n->names, u->name_hash);
	if (!names) {
		names = arena_new_of(n->k->arena, struct names);
		list_init(&names->socks);
		map_put(&n->names, u->name_hash, names);
	}
	list_add_tail(&names->socks, &u->in_name);
}

/* unix_autobind() of net/unix/af_unix.c: an abstract name of five hexadecimal digits. */
static void choose(struct unix_sock *u, struct netaddr *a)
{
	do {
		a->path[0] = 0;
		snprintf(a->path + 1, 6, "%05x", (unsigned)rng_below(&u->sock.net->port_rng, 0x100000));
		a->pathlen = 6;
	} while (find(u->sock.net, a, u->sock.type));
}

int unix_name_bind(struct unix_sock *u, const struct netaddr *a)
{
	struct netaddr name = *a;

	if (!name.pathlen)
		choose(u, &name);
	else if (!is_path(a) && find(u->sock.net, a, u->sock.type))
		return -EADDRINUSE;
	u->sock.local = name;
	enter(u);
	return 0;
}

void unix_name_release(struct unix_sock *u)
{
	struct net *n = u->sock.net;
	struct names *names;

	if (list_empty(&u->in_name))
		return;
	list_del(&u->in_name);
	names = map_get(&n->names, u->name_hash);
	if (list_empty(&names->socks)) {
		map_del(&n->names, u->name_hash);
		arena_release_of(n->k->arena, names);
	}
}
