/* A signal handler interrupts a futex wait: restarted under SA_RESTART without a timeout, EINTR otherwise. */
#include "guest.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/time.h>

static int word;
static volatile sig_atomic_t hits;

static void handler(int sig)
{
	if (++hits == 3) {
		__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
}

int main(void)
{
	struct itimerval it = {.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000}, off = {0};

	/* Restarted, the wait sees that the word has changed. */
	on_signal(SIGALRM, handler, SA_RESTART);
	OK(setitimer(ITIMER_REAL, &it, NULL));
	CHECK_ERR(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), EAGAIN);
	CHECK(hits >= 3);

	word = 0;
	on_signal(SIGALRM, handler, 0);
	CHECK_ERR(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0), EINTR);
	OK(setitimer(ITIMER_REAL, &off, NULL));
	return guest_ok();
}
