/* SIGSTOP and SIGCONT: WUNTRACED, WCONTINUED, CLD codes, SIGKILL of a stopped process; time passes for it. */
#include "guest.h"

static void counts(void *arg)
{
	int fd = (int)(intptr_t)arg;

	for (;;) {
		tell(fd);
		nap_ms(5);
	}
}

static char state_of(pid_t pid)
{
	char path[64], c;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	FILE *f = fopen(path, "r");
	CHECK(f);
	CHECK_EQ(fscanf(f, "%*d (%*[^)]) %c", &c), 1);
	fclose(f);
	return c;
}

int main(void)
{
	int p[2], st;
	char buf[4096];
	siginfo_t si;

	OK(pipe(p));
	pid_t pid = child(counts, (void *)(intptr_t)p[1]);
	await(p[0]);
	OK(kill(pid, SIGSTOP));
	CHECK_EQ(waitpid(pid, &st, WUNTRACED), pid);
	CHECK(WIFSTOPPED(st));
	CHECK_EQ(WSTOPSIG(st), SIGSTOP);
	CHECK_EQ(waitpid(pid, &st, WUNTRACED | WNOHANG), 0); /* reported once */
	CHECK_EQ(state_of(pid), 'T');

	set_nonblock(p[0]);
	while (read(p[0], buf, sizeof buf) > 0)
		;
	nap_ms(50);
	CHECK_ERR(read(p[0], buf, sizeof buf), EAGAIN); /* it really stands still */

	OK(kill(pid, SIGCONT));
	CHECK_EQ(waitpid(pid, &st, WCONTINUED), pid);
	CHECK(WIFCONTINUED(st));
	OK(fcntl(p[0], F_SETFL, 0));
	await(p[0]);

	OK(kill(pid, SIGTSTP));
	OK(waitid(P_PID, pid, &si, WSTOPPED));
	CHECK_EQ(si.si_code, CLD_STOPPED);
	CHECK_EQ(si.si_status, SIGTSTP);

	/* A pending SIGTERM acts when it continues; SIGKILL at once. */
	OK(kill(pid, SIGTERM));
	nap_ms(20);
	CHECK_EQ(waitpid(pid, &st, WNOHANG), 0);
	OK(kill(pid, SIGCONT));
	CHECK_KILLED(pid, SIGTERM);

	pid = child(counts, (void *)(intptr_t)p[1]);
	OK(kill(pid, SIGSTOP));
	CHECK_EQ(waitpid(pid, &st, WUNTRACED), pid);
	OK(kill(pid, SIGKILL));
	CHECK_KILLED(pid, SIGKILL);

	return guest_ok();
}
