/* Parent and children talk through pipes: a filter chain by hand, as a shell does it. */
#include "guest.h"

static void stage(int in, int out, int add)
{
	char buf[256];
	ssize_t n;

	while ((n = read(in, buf, sizeof buf)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			buf[i] = (char)(buf[i] + add);
		CHECK_EQ(write(out, buf, (size_t)n), n);
	}
	CHECK_EQ(n, 0);
	_exit(0);
}

int main(void)
{
	enum { STAGES = 6, TOTAL = 20000 };
	int first[2], in, total = 0;
	pid_t pid[STAGES], feeder;
	char buf[512];

	OK(pipe(first));
	in = first[0];
	for (int i = 0; i < STAGES; i++) {
		int p[2];

		OK(pipe(p));
		pid[i] = OK(fork());
		if (pid[i] == 0) {
			close(first[1]);
			close(p[0]);
			stage(in, p[1], i + 1);
		}
		close(p[1]);
		close(in);
		in = p[0];
	}
	feeder = OK(fork());
	if (feeder == 0) {
		close(in);
		memset(buf, 'a', sizeof buf);
		for (int left = TOTAL; left > 0;) {
			ssize_t n = write(first[1], buf, left < 500 ? (size_t)left : 500);
			CHECK(n > 0);
			left -= (int)n;
		}
		_exit(0);
	}
	close(first[1]);
	ssize_t n;
	while ((n = read(in, buf, sizeof buf)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			CHECK_EQ(buf[i], 'a' + 21);
		total += (int)n;
	}
	CHECK_EQ(total, TOTAL);
	for (int i = 0; i < STAGES; i++)
		CHECK_EXIT(pid[i], 0);
	CHECK_EXIT(feeder, 0);
	return guest_ok();
}
