/* Unix sockets push back: a full datagram queue and a full backlog block the sender, or say EAGAIN. */
#include "sock.h"

static void *reads_later(void *arg)
{
	char buf[2000];

	settle();
	CHECK(read((int)(intptr_t)arg, buf, sizeof buf) > 0);
	return NULL;
}

static void *accepts_later(void *arg)
{
	settle();
	OK(accept((int)(intptr_t)arg, NULL, NULL));
	return NULL;
}

int main(void)
{
	static char buf[1000];
	struct sockaddr_un a = unix_addr("d");
	int sent = 0, connected = 0, c[300];

	workdir();
	int r = OK(socket(AF_UNIX, SOCK_DGRAM, 0)), s = OK(socket(AF_UNIX, SOCK_DGRAM, 0));
	OK(bind(r, (struct sockaddr *)&a, sizeof a));
	OK(connect(s, (struct sockaddr *)&a, sizeof a));
	while (sent < 100000 && send(s, buf, sizeof buf, MSG_DONTWAIT) == sizeof buf)
		sent++;
	CHECK_EQ(errno, EAGAIN);
	CHECK(sent >= 5 && sent < 100000);
	CHECK_EQ(poll_one(s, POLLOUT, 0), 0);
	pthread_t t = thread(reads_later, (void *)(intptr_t)r);
	CHECK_EQ(send(s, buf, sizeof buf, 0), (ssize_t)sizeof buf); /* waits for room */
	join(t);

	a = unix_addr("l");
	int l = OK(socket(AF_UNIX, SOCK_STREAM, 0));
	OK(bind(l, (struct sockaddr *)&a, sizeof a));
	OK(listen(l, 2));
	for (; connected < 300; connected++) {
		c[connected] = OK(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
		if (connect(c[connected], (struct sockaddr *)&a, sizeof a) == -1)
			break;
	}
	CHECK_EQ(errno, EAGAIN);
	CHECK_EQ(connected, 3); /* backlog + 1 */
	t = thread(accepts_later, (void *)(intptr_t)l);
	int w = OK(socket(AF_UNIX, SOCK_STREAM, 0));
	OK(connect(w, (struct sockaddr *)&a, sizeof a)); /* waits for a place */
	join(t);
	return guest_ok();
}
