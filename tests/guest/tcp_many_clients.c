/* A server with poll and thirty clients in five processes. */
#include "sock.h"

enum { PROCS = 5, EACH = 6, MESSAGES = 10, CLIENTS = PROCS * EACH };

static void clients(void *arg)
{
	int s[EACH];
	char buf[8];

	for (int i = 0; i < EACH; i++)
		s[i] = tcp_connect((uint16_t)(uintptr_t)arg);
	for (int m = 0; m < MESSAGES; m++) {
		for (int i = 0; i < EACH; i++)
			send_all(s[i], "question", 8);
		for (int i = 0; i < EACH; i++) {
			recv_all(s[i], buf, 8);
			CHECK(memcmp(buf, "answer!!", 8) == 0);
		}
	}
}

int main(void)
{
	uint16_t port;
	struct pollfd pf[CLIENTS + 1];
	size_t have[CLIENTS + 1] = {0};
	int open_fds = 1, accepted = 0, questions = 0;
	pid_t pid[PROCS];
	char buf[8];

	pf[0] = (struct pollfd){.fd = tcp_listener(64, &port), .events = POLLIN};
	for (int i = 0; i < PROCS; i++)
		pid[i] = child(clients, (void *)(uintptr_t)port);
	while (accepted < CLIENTS || open_fds > 1) {
		OK(poll(pf, (nfds_t)accepted + 1, -1));
		if (pf[0].revents) {
			accepted++;
			pf[accepted] = (struct pollfd){.fd = OK(accept(pf[0].fd, NULL, NULL)), .events = POLLIN};
			open_fds++;
		}
		for (int i = 1; i <= accepted; i++) {
			if (!pf[i].revents)
				continue;
			ssize_t n = OK(read(pf[i].fd, buf, 8 - have[i]));
			have[i] += (size_t)n;
			if (n == 0) {
				close(pf[i].fd);
				pf[i].fd = -1;
				pf[i].revents = 0;
				open_fds--;
			} else if (have[i] == 8) {
				have[i] = 0;
				questions++;
				send_all(pf[i].fd, "answer!!", 8);
			}
		}
	}
	CHECK_EQ(questions, CLIENTS * MESSAGES);
	for (int i = 0; i < PROCS; i++)
		CHECK_EXIT(pid[i], 0);
	return guest_ok();
}
