/*
 * The same seeded operations on sockets of the simulation and on sockets of the kernel below: results, errors, bytes and
 * poll bits are equal. The kernel is the oracle. Natively, what one side of a loopback connection does has reached the
 * other side when the call returns; here, after a few milliseconds of virtual time.
 */
#include "tests/unit/net_fixture.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { SLOTS = 8, STEPS = 120 };

struct slot {
	struct file *f; /* NULL: free */
	int fd;
	bool listening;
	bool bound;
	bool mapped; /* IPv6: talks to ::ffff:127.0.0.1. Linux loses its way when one socket uses both kinds in turn */
};

struct twin {
	struct netfix x;
	struct rng rng;
	struct slot slot[SLOTS];
	uint16_t closed[2]; /* a port where nobody listens: ours, theirs */
	char log[STEPS * 80];
	size_t logged;
	bool differs; /* the first difference ends the steps */
};

static int result(int rc)
{
	return rc < 0 ? -errno : rc;
}

static void note(struct twin *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void note(struct twin *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	t->logged += (size_t)vsnprintf(t->log + t->logged, sizeof t->log - t->logged, fmt, ap);
	va_end(ap);
}

static void same(struct twin *t, const char *what, long long ours, long long theirs)
{
	if (t->differs)
		return;
	if (ours == theirs) {
		/* The log tells it, but of what is compared after every step only the surprises. */
		if (strchr(what, ' ') == NULL || !strstr(what, " of "))
			note(t, "    %lld\n", ours);
		return;
	}
	fprintf(stderr, "%s\n%s: %lld (%s), the kernel says %lld (%s)\n", t->log, what, ours,
		ours < 0 ? strerror((int)-ours) : "-", theirs, theirs < 0 ? strerror((int)-theirs) : "-");
	t->differs = true;
}

static struct slot *any(struct twin *t)
{
	struct slot *s;

	do
		s = &t->slot[rng_below(&t->rng, SLOTS)];
	while (!s->f);
	return s;
}

static struct slot *empty(struct twin *t)
{
	for (int i = 0; i < SLOTS; i++)
		if (!t->slot[i].f)
			return &t->slot[i];
	return NULL;
}

static int id(const struct twin *t, const struct slot *s)
{
	return (int)(s - t->slot);
}

static void close_slot(struct twin *t, struct slot *s)
{
	s_close(&t->x, s->f);
	close(s->fd);
	*s = (struct slot){0};
}

static bool is_tcp(const struct slot *s)
{
	return sock_of(s->f)->family != AF_UNIX;
}

/* ---- steps that all kinds have ---- */

static void step_close(struct twin *t)
{
	struct slot *s = any(t);

	note(t, "close %d\n", id(t, s));
	close_slot(t, s);
}

static void step_shutdown(struct twin *t)
{
	struct slot *s = any(t);
	int how = (int)rng_below(&t->rng, 3);

	note(t, "shutdown %d %d\n", id(t, s), how);
	same(t, "shutdown", s_shutdown(s->f, how), result(shutdown(s->fd, how)));
	if (how != SHUT_WR && is_tcp(s))
		s->listening = false;
}

static char out[5000], in[2][5000];

static void step_send(struct twin *t)
{
	struct slot *s = any(t);
	size_t n = rng_below(&t->rng, 4) ? rng_below(&t->rng, 20) : rng_below(&t->rng, sizeof out);

	for (size_t i = 0; i < n; i++)
		out[i] = (char)rng_u64(&t->rng);
	note(t, "send %d, %zu bytes\n", id(t, s), n);
	same(t, "send", s_send(&t->x, s->f, out, n), result((int)send(s->fd, out, n, MSG_NOSIGNAL)));
}

static void step_recv(struct twin *t)
{
	struct slot *s = any(t);
	size_t n = rng_below(&t->rng, 3) ? 1 + rng_below(&t->rng, 30) : sizeof in[0];
	int flags = rng_below(&t->rng, 3) ? 0 : MSG_PEEK;
	struct sock_msg m = {0};
	int64_t got;

	if (sock_of(s->f)->type != SOCK_STREAM && !rng_below(&t->rng, 4))
		flags |= MSG_TRUNC;
	note(t, "recv %d, %zu bytes, flags 0x%x\n", id(t, s), n, flags);
	got = s_recv_flags(s->f, in[0], n, (uint32_t)flags | K_MSG_DONTWAIT, &m);
	same(t, "recv", got, result((int)recv(s->fd, in[1], n, flags)));
	if (got > 0)
		assert_memory_equal(in[0], in[1], MIN((size_t)got, n));
}

static void step_error(struct twin *t)
{
	struct slot *s = any(t);
	int e = 0;
	socklen_t len = sizeof e;

	note(t, "SO_ERROR %d\n", id(t, s));
	getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &e, &len);
	same(t, "SO_ERROR", s_error(s->f), -e);
}

/* What poll, FIONREAD and the names say of every socket. */
static void compare_all(struct twin *t)
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &t->slot[i];
		struct pollfd p = {.fd = s->fd, .events = POLLIN | POLLOUT | POLLRDHUP | POLLPRI};
		struct sockaddr_storage ss;
		struct netaddr name;
		socklen_t len = sizeof ss;
		char what[40];
		int avail = 0, rc;
		if (!s->f)
			continue;
		/* On a loaded machine packets may be a little late. */
		for (int tries = 0; poll(&p, 1, 0) >= 0 && tries < 500 && (uint32_t)p.revents != s_poll(&t->x, s->f); tries++)
			usleep(1000);
		snprintf(what, sizeof what, "poll of %d", i);
		same(t, what, s_poll(&t->x, s->f), p.revents);
		rc = ioctl(s->fd, FIONREAD, &avail);
		snprintf(what, sizeof what, "FIONREAD of %d", i);
		same(t, what, sock_of(s->f)->ops->inq(sock_of(s->f)), rc ? -errno : avail);
		snprintf(what, sizeof what, "getpeername of %d", i);
		same(t, what, sock_of(s->f)->ops->name(sock_of(s->f), true, &name),
		     result(getpeername(s->fd, (void *)&ss, &len)));
	}
}

/* ---- TCP ---- */

static void step_tcp_socket(struct twin *t)
{
	struct slot *s = empty(t);
	bool six = !rng_below(&t->rng, 4);
	int one = 1;

	if (!s)
		return;
	s->f = open_sock(&t->x, (unsigned)rng_below(&t->rng, 2), six ? AF_INET6 : AF_INET, SOCK_STREAM);
	s->fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	assert_true(s->fd >= 0);
	/* Small segments are not held back natively, and all is acknowledged at once. */
	setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	setsockopt(s->fd, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one);
	s->mapped = six && rng_below(&t->rng, 2);
	note(t, "socket %d%s\n", id(t, s), s->mapped ? " mapped" : six ? " v6" : "");
}

static struct sockaddr_storage native_lo(const struct slot *s, uint16_t port, bool wildcard, socklen_t *len)
{
	struct sockaddr_storage ss = {0};
	struct sockaddr_in *in4 = (void *)&ss;
	struct sockaddr_in6 *in6 = (void *)&ss;

	if (sock_of(s->f)->family == AF_INET6) {
		*in6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
		if (!wildcard)
			inet_pton(AF_INET6, s->mapped ? "::ffff:127.0.0.1" : "::1", &in6->sin6_addr);
		*len = sizeof *in6;
	} else {
		*in4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port)};
		in4->sin_addr.s_addr = htonl(wildcard ? INADDR_ANY : INADDR_LOOPBACK);
		*len = sizeof *in4;
	}
	return ss;
}

static struct netaddr our_lo(const struct slot *s, uint16_t port, bool wildcard)
{
	struct netaddr a;

	if (sock_of(s->f)->family == AF_INET6) {
		a = wildcard ? any6(port) : lo6(port);
		if (s->mapped && !wildcard)
			a.ip = ip4(INADDR_LOOPBACK);
		return a;
	}
	a = lo4(port);
	if (wildcard)
		a.ip = ip4(0);
	return a;
}

static uint16_t native_port(int fd)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof ss;

	assert_int_equal(getsockname(fd, (void *)&ss, &len), 0);
	return ntohs(((struct sockaddr_in *)&ss)->sin_port); /* both families have it in the same place */
}

static void bind_both(struct twin *t, struct slot *s, uint16_t ours, uint16_t theirs)
{
	bool wildcard = !rng_below(&t->rng, 3);
	socklen_t len;
	struct sockaddr_storage ss = native_lo(s, theirs, wildcard, &len);

	note(t, "bind %d to %s port %u\n", id(t, s), wildcard ? "any" : "loopback", ours);
	same(t, "bind", s_bind(s->f, our_lo(s, ours, wildcard)), result(bind(s->fd, (void *)&ss, len)));
	s->bound = true;
}

static void step_bind(struct twin *t)
{
	struct slot *s = any(t), *other = any(t);
	bool same_port = rng_below(&t->rng, 2) && sock_of(other->f)->port;

	bind_both(t, s, same_port ? s_port(other->f) : 0, same_port ? native_port(other->fd) : 0);
}

static void step_reuse(struct twin *t)
{
	struct slot *s = any(t);
	int name = rng_below(&t->rng, 2) ? SO_REUSEADDR : SO_REUSEPORT, on = rng_below(&t->rng, 4) != 0;

	note(t, "%s %d %d\n", name == SO_REUSEADDR ? "SO_REUSEADDR" : "SO_REUSEPORT", id(t, s), on);
	setsockopt(s->fd, SOL_SOCKET, name, &on, sizeof on);
	sock_of(s->f)->opt[name == SO_REUSEADDR ? OPT_REUSEADDR : OPT_REUSEPORT] = on;
}

static void step_linger(struct twin *t)
{
	struct slot *s = any(t);
	struct linger l = {1, 0};

	note(t, "linger 0 %d\n", id(t, s));
	setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &l, sizeof l);
	sock_of(s->f)->opt[OPT_LINGER] = 1;
}

static void step_listen(struct twin *t)
{
	struct slot *s = any(t);
	int rc = s_listen(s->f, 50);

	note(t, "listen %d\n", id(t, s));
	same(t, "listen", rc, result(listen(s->fd, 50)));
	if (!rc)
		s->listening = s->bound = true;
}

static void step_connect(struct twin *t)
{
	struct slot *s = any(t), *l = any(t);
	uint16_t ours = t->closed[0], theirs = t->closed[1];
	socklen_t len;
	struct sockaddr_storage ss;
	struct netaddr to;

	for (int i = 0; i < 10 && !l->listening; i++)
		l = any(t);
	if (l->listening && rng_below(&t->rng, 8)) {
		/* Not to a port that several share: which one it would be is drawn. */
		for (int i = 0; i < SLOTS; i++)
			if (&t->slot[i] != l && t->slot[i].listening && s_port(t->slot[i].f) == s_port(l->f))
				return;
		ours = s_port(l->f);
		theirs = native_port(l->fd);
	}
	/* Linux would connect it to itself, which is not simulated. */
	if (s_port(s->f) == ours || native_port(s->fd) == theirs)
		return;
	/* A listener that talked IPv4 before would not answer IPv6: see struct slot. */
	if (l->mapped && !s->mapped && sock_of(s->f)->family == AF_INET6)
		return;
	ss = native_lo(s, theirs, false, &len);
	to = our_lo(s, ours, false);
	note(t, "connect %d to port %u%s\n", id(t, s), ours, ours == t->closed[0] ? " (closed)" : "");
	same(t, "connect", s_connect(s->f, to), result(connect(s->fd, (void *)&ss, len)));
}

static void step_disconnect(struct twin *t)
{
	struct slot *s = any(t);
	struct sockaddr un = {.sa_family = AF_UNSPEC};

	note(t, "connect %d to nothing\n", id(t, s));
	same(t, "disconnect", s_connect(s->f, (struct netaddr){0}), result(connect(s->fd, &un, sizeof un)));
	s->listening = false;
}

static void step_accept(struct twin *t)
{
	struct slot *l = any(t), *s = empty(t);
	struct file *f;
	int rc, fd;

	for (int i = 0; i < 10 && !l->listening; i++)
		l = any(t);
	if (!s)
		return;
	f = s_accept(l->f, &rc);
	fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK);
	note(t, "accept %d gives %d\n", id(t, l), f ? id(t, s) : -1);
	same(t, "accept", rc, fd < 0 ? -errno : 0);
	if (f)
		*s = (struct slot){.f = f, .fd = fd, .bound = true, .mapped = ip_is_v4(&sock_of(f)->remote.ip)};
}

static void tcp_step(struct twin *t)
{
	static void (*const steps[])(struct twin *) = {
		step_tcp_socket, step_bind,	step_listen, step_connect, step_connect,    step_accept, step_accept, step_send,
		step_send,	 step_send,	step_recv,   step_recv,	   step_shutdown,   step_close,	 step_error,  step_reuse,
		step_linger,	 step_disconnect,
	};

	steps[rng_below(&t->rng, ARRAY_LEN(steps))](t);
}

/* ---- unix sockets ---- */

static const int unix_types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};

static int random_type(struct twin *t)
{
	return unix_types[rng_below(&t->rng, ARRAY_LEN(unix_types))];
}

static void step_unix_socket(struct twin *t)
{
	struct slot *s = empty(t);
	int type = random_type(t);

	if (!s)
		return;
	s->f = open_sock(&t->x, 0, AF_UNIX, type);
	s->fd = socket(AF_UNIX, type | SOCK_NONBLOCK, 0);
	note(t, "socket %d type %d\n", id(t, s), type);
}

static void step_pair(struct twin *t)
{
	struct slot *a = empty(t), *b;
	int type = random_type(t), fd[2];

	if (!a)
		return;
	a->f = open_sock(&t->x, 0, AF_UNIX, type);
	b = empty(t);
	if (!b) {
		s_close(&t->x, a->f);
		a->f = NULL;
		return;
	}
	b->f = open_sock(&t->x, 0, AF_UNIX, type);
	unix_pair(sock_of(a->f), sock_of(b->f));
	assert_int_equal(socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, fd), 0);
	a->fd = fd[0];
	b->fd = fd[1];
	note(t, "pair %d %d type %d\n", id(t, a), id(t, b), type);
}

/* Few names, so that they collide. Ours are abstract as well: the file system is not netsim's. */
static struct netaddr some_name(struct twin *t, struct sockaddr_un *un, socklen_t *len)
{
	char name[32];

	snprintf(name, sizeof name, "twin-%d-%d", (int)getpid(), (int)rng_below(&t->rng, 3));
	*un = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(un->sun_path + 1, name, strlen(name));
	*len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
	note(t, "(%s) ", name);
	return abstract(name);
}

static void step_unix_bind(struct twin *t)
{
	struct slot *s = any(t);
	struct sockaddr_un un;
	socklen_t len;
	struct netaddr a = some_name(t, &un, &len);

	note(t, "bind %d\n", id(t, s));
	same(t, "bind", s_bind(s->f, a), result(bind(s->fd, (void *)&un, len)));
}

static void step_unix_listen(struct twin *t)
{
	struct slot *s = any(t);
	int backlog = (int)rng_below(&t->rng, 3);

	note(t, "listen %d, %d\n", id(t, s), backlog);
	same(t, "listen", s_listen(s->f, backlog), result(listen(s->fd, backlog)));
}

static void step_unix_connect(struct twin *t)
{
	struct slot *s = any(t);
	struct sockaddr_un un;
	socklen_t len;
	struct netaddr a = some_name(t, &un, &len);

	note(t, "connect %d\n", id(t, s));
	same(t, "connect", s_connect(s->f, a), result(connect(s->fd, (void *)&un, len)));
}

static void step_sendto(struct twin *t)
{
	struct slot *s = any(t);
	struct sockaddr_un un;
	socklen_t len;
	struct netaddr a = some_name(t, &un, &len);

	note(t, "sendto %d\n", id(t, s));
	same(t, "sendto", s_sendto(s->f, "hello", 5, a), result((int)sendto(s->fd, "hello", 5, MSG_NOSIGNAL, (void *)&un, len)));
}

static void unix_step(struct twin *t)
{
	static void (*const steps[])(struct twin *) = {
		step_unix_socket, step_unix_socket,  step_pair,	  step_unix_bind, step_unix_bind, step_unix_listen,
		step_unix_listen, step_unix_connect, step_accept, step_accept,	  step_unix_connect, step_send,
		step_send,	  step_send,	     step_recv,	  step_recv,	  step_recv,	  step_sendto,
		step_shutdown,	  step_close,	     step_error,
	};

	steps[rng_below(&t->rng, ARRAY_LEN(steps))](t);
}

/* ---- */

/* A network of our own, where nobody else takes ports. Without the right to it, the host's loopback must do. */
static void private_network(void)
{
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	int fd;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) && unshare(CLONE_NEWNET))
		return;
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	ioctl(fd, SIOCSIFFLAGS, &lo);
	close(fd);
}

static bool have_loopback(void)
{
	struct sockaddr_in in4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int a = socket(AF_INET, SOCK_STREAM, 0), b = socket(AF_INET6, SOCK_STREAM, 0);
	bool ok = !bind(a, (void *)&in4, sizeof in4) && !bind(b, (void *)&in6, sizeof in6);

	close(a);
	close(b);
	return ok;
}

/* A port that is bound on both sides, so that nobody else gets it, and where nobody listens. */
static void closed_port(struct twin *t, struct slot *s)
{
	*s = (struct slot){.f = open_sock(&t->x, 0, AF_INET, SOCK_STREAM), .fd = socket(AF_INET, SOCK_STREAM, 0)};
	t->logged = 0;
	while (!s->bound)
		bind_both(t, s, 0, 0);
	t->closed[0] = s_port(s->f);
	t->closed[1] = native_port(s->fd);
}

/* False: there was a difference. */
static bool run(uint64_t seed, bool unix_sockets)
{
	bool equal;
	struct twin *t = test_calloc(1, sizeof *t);
	struct slot closed = {0};

	netfix_init(&t->x, seed);
	rng_init(&t->rng, seed, "twin");
	if (!unix_sockets)
		closed_port(t, &closed);
	t->logged = 0;
	note(t, "seed %llu\n", (unsigned long long)seed);
	for (int i = 0; i < STEPS && !t->differs; i++) {
		bool none = true;
		for (int j = 0; j < SLOTS; j++)
			none &= !t->slot[j].f;
		if (none && unix_sockets)
			step_pair(t);
		else if (none)
			step_tcp_socket(t);
		else if (unix_sockets)
			unix_step(t);
		else
			tcp_step(t);
		settle(&t->x);
		compare_all(t);
	}
	for (int i = 0; i < SLOTS; i++)
		if (t->slot[i].f)
			close_slot(t, &t->slot[i]);
	if (closed.f)
		close_slot(t, &closed);
	pass(&t->x, 300 * NS_PER_S);
	assert_true(list_empty(&t->x.n.socks));
	net_clear(&t->x.n);
	assert_int_equal(arena_used(t->x.k.arena), t->x.arena_at_start);
	kern_clear(&t->x.k);
	equal = !t->differs;
	test_free(t);
	return equal;
}

/*
 * The ports that the kernel draws now and then meet what earlier seeds left there in TIME_WAIT, or each other across the
 * families; that is no difference. In a network without a past it does not come back, a difference does.
 */
static void run_twice(uint64_t seed, bool unix_sockets)
{
	if (run(seed, unix_sockets))
		return;
	private_network();
	fprintf(stderr, "once more, in an empty network\n");
	assert_true(run(seed, unix_sockets));
}

static int rounds(void)
{
	const char *v = getenv("TWIN_ROUNDS");

	return v ? atoi(v) : 1000;
}

static void test_tcp_as_the_kernel(void **state)
{
	(void)state;
	if (!have_loopback())
		skip();
	for (int seed = 1; seed <= rounds(); seed++)
		run_twice((uint64_t)seed, false);
}

static void test_unix_as_the_kernel(void **state)
{
	(void)state;
	for (int seed = 1; seed <= rounds(); seed++)
		run_twice((uint64_t)seed, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tcp_as_the_kernel),
		cmocka_unit_test(test_unix_as_the_kernel),
	};

	private_network();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
