/* A simulated network without guests: three nodes whose sockets the test uses. */
#ifndef TESTS_UNIT_NET_FIXTURE_H
#define TESTS_UNIT_NET_FIXTURE_H

#include "tests/unit/kern_fixture.h"

#include "base/mem.h"
#include "netsim/net.h"
#include "netsim/port.h"
#include "netsim/sock.h"
#include "netsim/tcp.h"

#include <string.h>

enum { NET_NODES = 3 };

struct netfix {
	struct kern k;
	struct net n;
	struct node node[NET_NODES];
	size_t arena_at_start;
};

static const struct sock_cred root_cred = {1, 0, 0};

static inline void netfix_init(struct netfix *x, uint64_t seed)
{
	kern_init(&x->k, seed, SCHED_POLICY_FIFO);
	for (unsigned i = 0; i < NET_NODES; i++)
		x->node[i] = (struct node){.index = i, .up = true};
	x->arena_at_start = arena_used(x->k.arena);
	net_init(&x->n, &x->k, seed);
}

static inline int netfix_setup(void **state)
{
	struct netfix *x = test_calloc(1, sizeof *x);

	netfix_init(x, 7);
	*state = x;
	return 0;
}

/* Whatever the test left open is freed by net_clear(); nothing else may be left. */
static inline int netfix_teardown(void **state)
{
	struct netfix *x = *state;

	net_clear(&x->n);
	kern_clear(&x->k);
	test_free(x);
	return 0;
}

/* Lets virtual time pass and whatever is due happen. */
static inline void pass(struct netfix *x, int64_t ns)
{
	int64_t end = x->k.clock.now_ns + ns;

	while (vclock_next(&x->k.clock) <= end)
		vclock_jump(&x->k.clock);
	x->k.clock.now_ns = end;
}

/* Until nothing is on its way: longer than any round trip, shorter than any timeout. */
static inline void settle(struct netfix *x)
{
	pass(x, 20 * NS_PER_MS);
}

static inline struct file *open_sock(struct netfix *x, unsigned node, int family, int type)
{
	struct file *f = NULL;

	assert_int_equal(sock_create(&x->n, &x->node[node], &root_cred, family, type, 0, O_NONBLOCK, &f), 0);
	return f;
}

static inline struct netaddr v4(uint32_t ip, uint16_t port)
{
	return (struct netaddr){.family = K_AF_INET, .ip = ip4(ip), .port = port};
}

static inline struct netaddr lo4(uint16_t port)
{
	return v4(0x7f000001, port);
}

static inline struct netaddr lo6(uint16_t port)
{
	return (struct netaddr){.family = K_AF_INET6, .ip = ip6_loopback(), .port = port};
}

static inline struct netaddr any6(uint16_t port)
{
	return (struct netaddr){.family = K_AF_INET6, .port = port};
}

static inline struct netaddr abstract(const char *name)
{
	struct netaddr a = {.family = K_AF_UNIX, .pathlen = (uint16_t)(strlen(name) + 1)};

	memcpy(a.path + 1, name, strlen(name));
	return a;
}

static inline struct netaddr unpath(const char *name, uint64_t ino)
{
	struct netaddr a = {.family = K_AF_UNIX, .pathlen = (uint16_t)strlen(name), .key = {1, ino}};

	memcpy(a.path, name, strlen(name));
	return a;
}

static inline int s_bind(struct file *f, struct netaddr a)
{
	return sock_of(f)->ops->bind(sock_of(f), &a);
}

static inline int s_connect(struct file *f, struct netaddr a)
{
	return sock_of(f)->ops->connect(sock_of(f), &a);
}

static inline int s_listen(struct file *f, int backlog)
{
	return sock_of(f)->ops->listen(sock_of(f), backlog);
}

/* A new file, or NULL with *rc. */
static inline struct file *s_accept(struct file *f, int *rc)
{
	struct sock *child;

	*rc = sock_of(f)->ops->accept(sock_of(f), &child);
	return *rc ? NULL : sock_make_file(child, O_NONBLOCK);
}

static inline int s_shutdown(struct file *f, int how)
{
	return sock_of(f)->ops->shutdown(sock_of(f), how);
}

static inline int64_t s_send(struct netfix *x, struct file *f, const void *p, size_t n)
{
	return f->ops->write(&x->k, f, p, n);
}

static inline int64_t s_recv(struct netfix *x, struct file *f, void *p, size_t n)
{
	return f->ops->read(&x->k, f, p, n);
}

static inline int64_t s_recv_flags(struct file *f, void *p, size_t n, uint32_t flags, struct sock_msg *m)
{
	*m = (struct sock_msg){.data = p, .len = n, .flags = flags, .scm = m->scm};
	return sock_of(f)->ops->recv(sock_of(f), m);
}

static inline int64_t s_sendto(struct file *f, const void *p, size_t n, struct netaddr to)
{
	struct sock_msg m = {.data = (void *)(uintptr_t)p, .len = n, .has_name = true, .name = to};

	return sock_of(f)->ops->send(sock_of(f), &m);
}

static inline uint16_t s_port(struct file *f)
{
	struct netaddr a;

	assert_int_equal(sock_of(f)->ops->name(sock_of(f), false, &a), 0);
	return a.port;
}

static inline int s_error(struct file *f)
{
	return sock_take_error(sock_of(f));
}

static inline uint32_t s_poll(struct netfix *x, struct file *f)
{
	/* The bits that poll(2) is asked for; RDNORM and WRNORM go with IN and OUT. */
	return file_poll(&x->k, f) & (K_EPOLLIN | K_EPOLLOUT | K_EPOLLERR | K_EPOLLHUP | K_EPOLLRDHUP | K_EPOLLPRI);
}

static inline void s_close(struct netfix *x, struct file *f)
{
	if (f)
		file_unref(&x->k, f);
}

static inline struct tcp *tcp_file(struct file *f)
{
	return tcp_from_sock(sock_of(f));
}

/* A listener of `node` at 127.0.0.1 and a port of its own choice. */
static inline struct file *listener(struct netfix *x, unsigned node, int backlog)
{
	struct file *l = open_sock(x, node, K_AF_INET, K_SOCK_STREAM);

	assert_int_equal(s_bind(l, lo4(0)), 0);
	assert_int_equal(s_listen(l, backlog), 0);
	return l;
}

/* A connection from node a to node b; the listener is closed again. */
static inline void connection(struct netfix *x, unsigned a, unsigned b, struct file *out[2])
{
	struct file *l = listener(x, b, 10);
	int rc;

	out[0] = open_sock(x, a, K_AF_INET, K_SOCK_STREAM);
	assert_int_equal(s_connect(out[0], lo4(s_port(l))), -EINPROGRESS);
	settle(x);
	out[1] = s_accept(l, &rc);
	assert_int_equal(rc, 0);
	assert_int_equal(s_connect(out[0], lo4(s_port(l))), 0);
	s_close(x, l);
}

#define NETUNIT(f) cmocka_unit_test_setup_teardown(f, netfix_setup, netfix_teardown)

#endif
