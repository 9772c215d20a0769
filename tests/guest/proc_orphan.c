/* When the parent dies, a subreaper or init becomes the parent; PR_SET_PDEATHSIG tells the child. */
#include "guest.h"

#include <sys/prctl.h>

static int p[2], go[2], told[2];

static void grandchild(pid_t parent)
{
	pid_t self = getpid();

	CHECK_EQ(write(p[1], &self, sizeof self), (ssize_t)sizeof self);
	while (getppid() == parent)
		nap_ms(1);
	pid_t now = getppid();
	CHECK_EQ(write(p[1], &now, sizeof now), (ssize_t)sizeof now);
	await(go[0]);
	_exit(21);
}

static void middle(void *arg)
{
	pid_t self = getpid();

	if (OK(fork()) == 0)
		grandchild(self);
	/* dies at once */
}

static pid_t read_pid(void)
{
	pid_t v;

	CHECK_EQ(read(p[0], &v, sizeof v), (ssize_t)sizeof v);
	return v;
}

static void dies_with_parent(void *arg)
{
	OK(prctl(PR_SET_PDEATHSIG, SIGKILL));
	int sig;
	OK(prctl(PR_GET_PDEATHSIG, &sig));
	CHECK_EQ(sig, SIGKILL);
	tell(p[1]);
	sleep_forever();
}

int main(void)
{
	OK(pipe(p));
	OK(pipe(go));
	OK(pipe(told));

	/* To init, or to a subreaper among our own ancestors. */
	pid_t mid = child(middle, NULL);
	CHECK_EXIT(mid, 0);
	read_pid();
	pid_t adopter = read_pid();
	CHECK(adopter != mid && adopter != getpid());
	tell(go[1]);

	OK(prctl(PR_SET_CHILD_SUBREAPER, 1));
	mid = child(middle, NULL);
	CHECK_EXIT(mid, 0);
	pid_t orphan = read_pid();
	CHECK_EQ(read_pid(), getpid());
	tell(go[1]);
	CHECK_EXIT(orphan, 21);

	pid_t a = OK(fork());
	if (a == 0) {
		pid_t b = child(dies_with_parent, NULL);
		CHECK_EQ(write(told[1], &b, sizeof b), (ssize_t)sizeof b);
		pause();
	}
	pid_t b;
	CHECK_EQ(read(told[0], &b, sizeof b), (ssize_t)sizeof b);
	await(p[0]);
	OK(kill(a, SIGKILL));
	CHECK_KILLED(a, SIGKILL);
	CHECK_KILLED(b, SIGKILL); /* we are the subreaper */
	return guest_ok();
}
