/* The classic forking server: the child serves the accepted connection, the parent closes its copy. */
#include "sock.h"

static uint16_t port;

static void client(void *arg)
{
	char want[32], got[32];
	int n = snprintf(want, sizeof want, "client %d", (int)(intptr_t)arg);
	int s = tcp_connect(port);

	send_all(s, want, (size_t)n);
	OK(shutdown(s, SHUT_WR));
	recv_all(s, got, (size_t)n);
	CHECK(memcmp(got, want, (size_t)n) == 0);
	CHECK_EQ(read(s, got, 1), 0); /* only when every copy of the other end is closed */
}

int main(void)
{
	enum { N = 6 };
	pid_t pid[N], server[N];
	int l = tcp_listener(N, &port);

	for (intptr_t i = 0; i < N; i++)
		pid[i] = child(client, (void *)i);
	for (int i = 0; i < N; i++) {
		int c = OK(accept(l, NULL, NULL));

		server[i] = OK(fork());
		if (server[i] == 0) {
			char buf[32];
			ssize_t n;

			OK(close(l));
			while ((n = OK(read(c, buf, sizeof buf))) > 0)
				send_all(c, buf, (size_t)n);
			_exit(0);
		}
		OK(close(c));
	}
	for (int i = 0; i < N; i++) {
		CHECK_EXIT(pid[i], 0);
		CHECK_EXIT(server[i], 0);
	}
	return guest_ok();
}
