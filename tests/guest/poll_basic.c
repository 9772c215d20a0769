/* poll: negative and invalid descriptors, several at once, timeouts, regular files, ppoll's mask. */
#include "guest.h"

#include <poll.h>
#include <sys/resource.h>

static volatile sig_atomic_t hits;

static void handler(int sig)
{
	hits++;
}

int main(void)
{
	int p[2], q[2];

	workdir();
	OK(pipe(p));
	OK(pipe(q));
	int file = file_with("f", "");
	struct pollfd pf[5] = {
		{p[0], POLLIN, 0}, {-1, POLLIN, 77}, {999, POLLIN, 0}, {q[1], POLLOUT, 0}, {file, POLLIN | POLLOUT, 0},
	};

	CHECK_EQ(poll(pf, 5, 1000), 3);
	CHECK_EQ(pf[0].revents, 0);
	CHECK_EQ(pf[1].revents, 0);
	CHECK_EQ(pf[2].revents, POLLNVAL);
	CHECK_EQ(pf[3].revents, POLLOUT);
	CHECK_EQ(pf[4].revents, POLLIN | POLLOUT);

	int64_t start = mono_ns();
	CHECK_EQ(poll(pf, 2, 30), 0);
	CHECK(mono_ns() - start >= 30 * NS_PER_MS);
	struct timespec t = {.tv_nsec = 2500000}, bad = {.tv_nsec = -1};
	start = mono_ns();
	CHECK_EQ(ppoll(pf, 1, &t, NULL), 0);
	CHECK(mono_ns() - start >= 2500000);
	CHECK_EQ(t.tv_nsec, 2500000); /* the library keeps it */
	CHECK_ERR(ppoll(pf, 1, &bad, NULL), EINVAL);

	/* The same description twice. */
	tell(p[1]);
	struct pollfd two[2] = {{p[0], POLLIN, 0}, {p[0], POLLIN, 0}};
	CHECK_EQ(poll(two, 2, -1), 2);
	await(p[0]);

	sigset_t none;
	sigemptyset(&none);
	on_signal(SIGUSR1, handler, 0);
	block_signal(SIGUSR1);
	raise(SIGUSR1);
	CHECK_EQ(poll(pf, 1, 0), 0);
	CHECK_ERR(ppoll(pf, 1, NULL, &none), EINTR);
	CHECK_EQ(hits, 1);

	struct rlimit rl = {20, 20};
	OK(setrlimit(RLIMIT_NOFILE, &rl));
	static struct pollfd many[30];
	CHECK_ERR(poll(many, 30, 0), EINVAL);
	return guest_ok();
}
