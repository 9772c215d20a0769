/* A signal that cannot be queued (RLIMIT_SIGPENDING) is refused with EAGAIN; the ones before are all delivered. */
#include "guest.h"

#include <sys/resource.h>

int main(void)
{
	struct rlimit rl = {.rlim_cur = 10, .rlim_max = 10};
	sigset_t set = sigset_of(SIGRTMIN);
	int sent = 0;

	OK(setrlimit(RLIMIT_SIGPENDING, &rl));
	block_signal(SIGRTMIN);
	while (sent < 100 && sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = sent}) == 0)
		sent++;
	CHECK(sent <= 10); /* the limit is the user's: others may use some of it */
	if (sent < 100)
		CHECK_EQ(errno, EAGAIN);
	struct timespec zero = {0};
	for (int i = 0; i < sent; i++) {
		siginfo_t si;

		CHECK_EQ(sigtimedwait(&set, &si, &zero), SIGRTMIN);
		CHECK_EQ(si.si_value.sival_int, i);
	}
	CHECK_ERR(sigtimedwait(&set, NULL, &zero), EAGAIN);
	return guest_ok();
}
