/* A handler interrupts accept, connect, recv and send: restarted with SA_RESTART, EINTR without. */
#include "sock.h"

#include <sys/time.h>

static volatile sig_atomic_t hits;
static uint16_t port;

static void handler(int sig)
{
	hits++;
}

static void ticking(int on)
{
	struct itimerval it = {.it_value.tv_usec = on * 20000, .it_interval.tv_usec = on * 20000};

	OK(setitimer(ITIMER_REAL, &it, NULL));
}

static void *connects_later(void *arg)
{
	nap_ms(100);
	int s = tcp_connect(port);
	nap_ms(100);
	send_all(s, "late", 4);
	return NULL;
}

int main(void)
{
	int l = tcp_listener(1, &port), sv[2];
	char buf[16];
	static char big[8 << 20];

	on_signal(SIGALRM, handler, SA_RESTART);
	ticking(1);
	pthread_t t = thread(connects_later, NULL);
	int c = OK(accept(l, NULL, NULL));
	CHECK_EQ(recv(c, buf, 16, 0), 4);
	CHECK(hits >= 2);
	ticking(0);
	join(t);

	on_signal(SIGALRM, handler, 0);
	ticking(1);
	CHECK_ERR(accept(l, NULL, NULL), EINTR);
	tcp_pair(sv);
	CHECK_ERR(recv(sv[0], buf, 16, 0), EINTR);
	struct iovec v = {buf, 16};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
	CHECK_ERR(recvmsg(sv[0], &m, 0), EINTR);
	ssize_t n = send(sv[0], big, sizeof big, 0);
	CHECK(n > 0 && n < (ssize_t)sizeof big); /* what was sent before the signal */
	while (n > 0)
		n = send(sv[0], big, sizeof big, 0);
	CHECK(n == -1 && errno == EINTR);
	ticking(0);
	return guest_ok();
}
