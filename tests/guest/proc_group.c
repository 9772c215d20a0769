/* Process groups and sessions: setpgid, kill to a group, setsid, and what is refused. */
#include "guest.h"

static int p[2];

static void in_group(void *arg)
{
	pid_t leader = (pid_t)(intptr_t)arg;

	OK(setpgid(0, leader));
	CHECK_EQ(getpgrp(), leader ? leader : getpid());
	tell(p[1]);
	sleep_forever();
}

static void session(void *arg)
{
	pid_t sid = OK(setsid());

	CHECK_EQ(sid, getpid());
	CHECK_EQ(getsid(0), getpid());
	CHECK_EQ(getpgrp(), getpid());
	CHECK_ERR(setsid(), EPERM); /* a group leader may not */
	CHECK_ERR(setpgid(0, 0), EPERM); /* a session leader may not */
	CHECK_ERR(open("/dev/tty", O_RDWR), ENXIO);
	pid_t kid = OK(fork());
	if (kid == 0) {
		CHECK_EQ(getsid(0), sid);
		CHECK_EQ(getpgrp(), sid);
		_exit(0);
	}
	CHECK_EXIT(kid, 0);
}

int main(void)
{
	OK(pipe(p));
	pid_t a = child(in_group, NULL);
	await(p[0]);
	pid_t b = child(in_group, (void *)(intptr_t)a);
	await(p[0]);
	CHECK_EQ(getpgid(a), a);
	CHECK_EQ(getpgid(b), a);
	CHECK_EQ(getsid(a), getsid(0));
	OK(killpg(a, 0));
	OK(kill(-a, SIGTERM));
	CHECK_KILLED(a, SIGTERM);
	CHECK_KILLED(b, SIGTERM);
	CHECK_ERR(killpg(a, 0), ESRCH);

	CHECK_EXIT(child(session, NULL), 0);
	CHECK_ERR(setpgid(99999999, 0), ESRCH);
	CHECK_ERR(setpgid(0, -1), EINVAL);
	CHECK_ERR(getpgid(99999999), ESRCH);

	/* kill(0) reaches the own group: also the caller. */
	pid_t pid = OK(fork());
	if (pid == 0) {
		OK(setpgid(0, 0));
		child(in_group, (void *)(intptr_t)getpid());
		await(p[0]);
		OK(kill(0, SIGINT));
		sleep_forever();
	}
	CHECK_KILLED(pid, SIGINT);
	return guest_ok();
}
