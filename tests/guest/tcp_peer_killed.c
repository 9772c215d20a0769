/* The peer dies: EOF after its data; reset if it left data unread; a write to a closed one is reset, then EPIPE. */
#include "sock.h"

static int ready[2];

static void talks(void *arg)
{
	int s = tcp_connect((uint16_t)(uintptr_t)arg);

	send_all(s, "bye", 3);
	tell(ready[1]);
	sleep_forever();
}

int main(void)
{
	uint16_t port;
	int l = tcp_listener(5, &port);
	char buf[16];

	signal(SIGPIPE, SIG_IGN);
	OK(pipe(ready));

	pid_t pid = child(talks, (void *)(uintptr_t)port);
	int c = OK(accept(l, NULL, NULL));
	await(ready[0]);
	OK(kill(pid, SIGKILL));
	CHECK_KILLED(pid, SIGKILL);
	recv_all(c, buf, 3);
	CHECK_EQ(read(c, buf, 16), 0);
	OK(close(c));

	/* With unread data in its buffer. */
	pid = child(talks, (void *)(uintptr_t)port);
	c = OK(accept(l, NULL, NULL));
	await(ready[0]);
	send_all(c, "unread", 6);
	nap_ms(20); /* until it is there */
	OK(kill(pid, SIGKILL));
	CHECK_KILLED(pid, SIGKILL);
	int ev = poll_one(c, POLLRDHUP, 10000);
	CHECK(ev & (POLLERR | POLLHUP | POLLRDHUP));
	ssize_t n;
	while ((n = read(c, buf, 16)) > 0)
		;
	CHECK(n == -1);
	CHECK_EQ(errno, ECONNRESET);
	CHECK_ERR(write(c, "x", 1), EPIPE);
	OK(close(c));

	/* Written to after the peer has closed: the first write goes out, the answer is a reset. */
	int s = tcp_connect(port);
	c = OK(accept(l, NULL, NULL));
	OK(close(s));
	CHECK_EQ(read(c, buf, 16), 0);
	CHECK_EQ(write(c, "x", 1), 1);
	CHECK_EQ(poll_one(c, 0, 10000) & (POLLERR | POLLHUP), POLLERR | POLLHUP);
	CHECK_ERR(write(c, "x", 1), EPIPE);
	return guest_ok();
}
