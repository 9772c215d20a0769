/* prctl: names, dumpable, subreaper, parent-death signal, no_new_privs, timer slack, and errors. */
#include "guest.h"

#include <sys/prctl.h>

static void orphan(void *arg)
{
	int *fds = arg, sig = 0;

	OK(prctl(PR_SET_PDEATHSIG, SIGKILL));
	OK(prctl(PR_GET_PDEATHSIG, &sig));
	CHECK_EQ(sig, SIGKILL);
	close(fds[0]);
	tell(fds[1]);
	for (;;)
		pause();
}

/* Its parent ends; it must, too, and this process inherits and reaps it. */
static void parent_of_orphan(void *arg)
{
	int go[2];

	OK(pipe(go));
	child(orphan, go);
	await(go[0]);
}

int main(void)
{
	char name[16] = {0};
	int v = 0, st;
	pid_t pid;

	OK(prctl(PR_SET_NAME, "a name that is much too long"));
	OK(prctl(PR_GET_NAME, name));
	CHECK_EQ(strcmp(name, "a name that is "), 0);
	CHECK_ERR(prctl(PR_SET_NAME, 8), EFAULT);

	CHECK_EQ(prctl(PR_GET_DUMPABLE), 1);
	OK(prctl(PR_SET_DUMPABLE, 0));
	CHECK_EQ(prctl(PR_GET_DUMPABLE), 0);
	CHECK_ERR(prctl(PR_SET_DUMPABLE, 5), EINVAL);
	CHECK_ERR(prctl(PR_SET_PDEATHSIG, 77), EINVAL);

	OK(prctl(PR_SET_CHILD_SUBREAPER, 1));
	OK(prctl(PR_GET_CHILD_SUBREAPER, &v));
	CHECK_EQ(v, 1);
	pid = child(parent_of_orphan, NULL);
	CHECK_EXIT(pid, 0);
	CHECK(OK(wait(&st)) != pid);
	CHECK(WIFSIGNALED(st) && WTERMSIG(st) == SIGKILL);

	CHECK_ERR(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0), EINVAL);
	OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK_EQ(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 1);
	OK(prctl(PR_SET_TIMERSLACK, 1234));
	CHECK_EQ(prctl(PR_GET_TIMERSLACK), 1234);
	CHECK_EQ(prctl(PR_GET_TIMING), PR_TIMING_STATISTICAL);
	CHECK_ERR(prctl(12345), EINVAL);
	return guest_ok();
}
