/* A megabyte through TCP with a slow reader: back-pressure, nothing lost, nothing out of order. */
#include "sock.h"

enum { TOTAL = 1 << 20 };

static void sends(void *arg)
{
	int s = tcp_connect((uint16_t)(uintptr_t)arg);
	static uint32_t block[4096];

	for (uint32_t at = 0; at < TOTAL / 4; at += 4096) {
		for (uint32_t i = 0; i < 4096; i++)
			block[i] = (at + i) * 2654435761u;
		send_all(s, block, sizeof block);
	}
}

int main(void)
{
	uint16_t port;
	int l = tcp_listener(1, &port);
	pid_t pid = child(sends, (void *)(uintptr_t)port);
	int c = OK(accept(l, NULL, NULL));
	static unsigned char buf[50000];
	uint32_t at = 0, word = 0;
	ssize_t n;

	while ((n = OK(read(c, buf, sizeof buf))) > 0) {
		for (ssize_t i = 0; i < n; i++, at++) {
			word = word >> 8 | (uint32_t)buf[i] << 24;
			if (at % 4 == 3)
				CHECK_EQ(word, at / 4 * 2654435761u);
		}
		if (at % 7 == 0)
			nap_ms(1);
	}
	CHECK_EQ(at, TOTAL);
	CHECK_EXIT(pid, 0);
	return guest_ok();
}
