/* shutdown from another thread ends a blocked read with EOF and a blocked write with EPIPE. */
#include "sock.h"

static int sv[2];

static void *reads(void *arg)
{
	char c;

	CHECK_EQ(read(sv[0], &c, 1), 0);
	return NULL;
}

static void *writes(void *arg)
{
	static char big[1 << 20];
	ssize_t n;

	while ((n = write(sv[0], big, sizeof big)) > 0)
		;
	CHECK_EQ(n, -1);
	CHECK_EQ(errno, EPIPE);
	return NULL;
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	tcp_pair(sv);
	pthread_t r = thread(reads, NULL), w = thread(writes, NULL);
	nap_ms(50);
	OK(shutdown(sv[0], SHUT_RDWR));
	join(r);
	join(w);
	return guest_ok();
}
