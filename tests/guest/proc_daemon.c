/* A daemon: double fork, new session, closed descriptors, pid file; it outlives its parents and obeys SIGTERM. */
#include "guest.h"

static volatile sig_atomic_t stop;

static void handler(int sig)
{
	stop = 1;
}

static void daemonises(void *arg)
{
	pid_t first = OK(fork());

	if (first > 0)
		_exit(0);
	OK(setsid());
	if (OK(fork()) > 0)
		_exit(0);
	on_signal(SIGTERM, handler, 0);
	int null = OK(open("/dev/null", O_RDWR));
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	closefrom(3);
	CHECK(getsid(0) != getpid());
	FILE *f = fopen("pid.tmp", "w");
	fprintf(f, "%d\n", getpid());
	fclose(f);
	OK(rename("pid.tmp", "pid"));
	while (!stop)
		usleep(1000);
	close(open("stopped", O_WRONLY | O_CREAT, 0600));
	OK(unlink("pid"));
	_exit(0);
}

int main(void)
{
	int pid = 0;
	FILE *f;

	workdir();
	CHECK_EXIT(child(daemonises, NULL), 0);
	CHECK_ERR(wait(NULL), ECHILD);
	while (!(f = fopen("pid", "r")))
		usleep(1000);
	CHECK_EQ(fscanf(f, "%d", &pid), 1);
	fclose(f);
	CHECK(getpgid(pid) != getpgrp());
	OK(kill(pid, SIGTERM));
	while (access("pid", F_OK) == 0)
		usleep(1000);
	OK(access("stopped", F_OK));
	return guest_ok();
}
