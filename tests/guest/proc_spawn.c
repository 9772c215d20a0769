/* posix_spawn with file actions and attributes; posix_spawnp; a missing program is reported to the caller. */
#include "guest.h"

#include <spawn.h>

extern char **environ;

int main(void)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t set;
	pid_t pid;
	int p[2];
	char buf[64];
	char *args[] = {"sh", "-c", "read x; echo \"got $x\"; test -z \"$(trap)\"; exit 5", NULL};

	workdir();
	int in = file_with("in", "hello\n");
	OK(pipe(p));
	PT(posix_spawn_file_actions_init(&fa));
	PT(posix_spawn_file_actions_adddup2(&fa, in, 0));
	PT(posix_spawn_file_actions_adddup2(&fa, p[1], 1));
	PT(posix_spawn_file_actions_addclose(&fa, p[0]));
	PT(posix_spawn_file_actions_addopen(&fa, 9, "out", O_WRONLY | O_CREAT, 0600));
	PT(posix_spawnattr_init(&at));
	sigemptyset(&set);
	PT(posix_spawnattr_setsigmask(&at, &set));
	PT(posix_spawnattr_setpgroup(&at, 0));
	PT(posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP));
	PT(posix_spawn(&pid, "/bin/sh", &fa, &at, args, environ));
	CHECK_EXIT(pid, 5);
	CHECK_EQ(read(p[0], buf, sizeof buf), 10);
	CHECK(memcmp(buf, "got hello\n", 10) == 0);
	OK(access("out", F_OK));

	char *t[] = {"true", NULL}, *f[] = {"false", NULL};
	PT(posix_spawnp(&pid, "true", NULL, NULL, t, environ));
	CHECK_EXIT(pid, 0);
	PT(posix_spawnp(&pid, "false", NULL, NULL, f, environ));
	CHECK_EXIT(pid, 1);
	PT_ERR(posix_spawn(&pid, "/does/not/exist", NULL, NULL, t, environ), ENOENT);
	CHECK_ERR(waitpid(-1, NULL, WNOHANG), ECHILD);
	return guest_ok();
}
