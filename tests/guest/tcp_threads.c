/* Threads on one listener and on one connection: each connection is accepted once; a reader and a writer at once. */
#include "sock.h"

enum { THREADS = 4, CONNS = 24 };

static int listener, accepted, pair[2];

static void *accepts(void *arg)
{
	for (;;) {
		int c = OK(accept(listener, NULL, NULL));
		char ch;

		recv_all(c, &ch, 1);
		OK(close(c));
		if (ch == 'q')
			return NULL;
		__atomic_add_fetch(&accepted, 1, __ATOMIC_SEQ_CST);
	}
}

static void *reads(void *arg)
{
	static char buf[200000];

	recv_all(pair[0], buf, sizeof buf);
	return NULL;
}

static void *writes(void *arg)
{
	static char buf[200000];

	send_all(pair[0], buf, sizeof buf);
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	uint16_t port;
	static char buf[200000];

	listener = tcp_listener(64, &port);
	for (int i = 0; i < THREADS; i++)
		t[i] = thread(accepts, NULL);
	for (int i = 0; i < CONNS + THREADS; i++) {
		int s = tcp_connect(port);
		send_all(s, i < CONNS ? "x" : "q", 1);
		OK(close(s));
	}
	for (int i = 0; i < THREADS; i++)
		join(t[i]);
	CHECK_EQ(accepted, CONNS);

	tcp_pair(pair);
	t[0] = thread(reads, NULL);
	t[1] = thread(writes, NULL);
	recv_all(pair[1], buf, sizeof buf);
	send_all(pair[1], buf, sizeof buf);
	join(t[0]);
	join(t[1]);
	return guest_ok();
}
