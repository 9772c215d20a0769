/* The leader ends early with pthread_exit: the process lives on, its parent can still wait and signal it. */
#include "guest.h"

static int go[2], ready[2];

static void *survivor(void *arg)
{
	char path[64], state = 0;
	FILE *f;

	/* Until the leader is a zombie thread. */
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
	while (state != 'Z') {
		nap_ms(5);
		f = fopen(path, "r");
		CHECK(f);
		CHECK_EQ(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
		fclose(f);
	}
	CHECK(gettid() != getpid());
	tell(ready[1]);
	await(go[0]);
	exit(42);
}

int main(void)
{
	OK(pipe(go));
	OK(pipe(ready));
	pid_t pid = OK(fork());
	if (pid == 0) {
		thread(survivor, NULL);
		pthread_exit(NULL);
	}
	await(ready[0]);
	CHECK_EQ(waitpid(pid, NULL, WNOHANG), 0);
	OK(kill(pid, 0));
	tell(go[1]);
	CHECK_EXIT(pid, 42);

	/* When all threads end by pthread_exit, the status is 0. */
	pid = OK(fork());
	if (pid == 0) {
		pthread_exit(NULL);
	}
	CHECK_EXIT(pid, 0);
	return guest_ok();
}
