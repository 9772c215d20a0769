#include "tracer/worker.h"

#include "tracer/result.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The run's process. Reads no clock of libc and starts no thread; see run_seed(). */
_Noreturn static void child_main(run_fn *run, const struct run_config *cfg, int out, pid_t parent)
{
	struct run_result res = {0};
	struct err e = {0};
	struct buf msg = {0};
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1); /* it died before the prctl */
	/* Ctrl-C is the command's to handle; guests have no terminal. gdb needs it. */
	if (!cfg->gdb)
		setsid();
	/* A reader of our output that went away must not end the run. */
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (run(cfg, &res, &e) < 0) {
		res.cls = CLASS_HARNESS;
		snprintf(res.message, sizeof res.message, "%.*s", (int)sizeof res.message - 1, e.msg);
	}
	result_pack(&msg, &res);
	for (size_t done = 0; done < msg.len;) {
		ssize_t n = write(out, msg.data + done, msg.len - done);
		if (n < 0 && errno != EINTR)
			_exit(1);
		done += n > 0 ? (size_t)n : 0;
	}
	_exit(0);
}

int worker_start(struct worker *w, run_fn *run, const struct run_config *cfg, struct err *e)
{
	pid_t parent = getpid();
	int p[2];

	*w = (struct worker){.pidfd = -1, .pipe = -1};
	if (pipe2(p, O_CLOEXEC) < 0)
		return err_set(e, errno, "cannot make a pipe");
	fflush(NULL); /* or the child would write it once more */
	w->pid = fork();
	if (w->pid == 0) {
		close(p[0]);
		child_main(run, cfg, p[1], parent);
	}
	close(p[1]);
	if (w->pid < 0) {
		close(p[0]);
		w->pid = 0;
		return err_set(e, errno, "cannot start a process for the run");
	}
	w->pipe = p[0];
	fcntl(w->pipe, F_SETFL, O_NONBLOCK);
	w->pidfd = (int)syscall(SYS_pidfd_open, w->pid, 0);
	if (w->pidfd < 0) {
		err_set(e, errno, "cannot watch the process of the run");
		worker_kill(w);
		waitpid(w->pid, NULL, 0);
		close(w->pipe);
		w->pid = 0;
		return -1;
	}
	return 0;
}

void worker_read(struct worker *w)
{
	enum { CHUNK = 65536 };

	while (w->pipe >= 0) {
		ssize_t n = read(w->pipe, buf_reserve(&w->in, CHUNK), CHUNK);
		if (n > 0) {
			w->in.len += (size_t)n;
		} else if (n == 0) {
			close(w->pipe);
			w->pipe = -1;
		} else if (errno != EINTR) {
			return;
		}
	}
}

static void broke_off(const struct worker *w, struct run_result *res)
{
	*res = (struct run_result){.cls = CLASS_HARNESS};
	if (WIFSIGNALED(w->status))
		snprintf(res->message, sizeof res->message, "the supervisor was ended by signal %d (%s)",
			 WTERMSIG(w->status), strsignal(WTERMSIG(w->status)));
	else
		snprintf(res->message, sizeof res->message, "the supervisor ended without a result (status %d)",
			 WEXITSTATUS(w->status));
}

void worker_result(struct worker *w, struct run_result *res)
{
	worker_read(w);
	if (!result_complete(&w->in) || result_unpack(&w->in, res) < 0)
		broke_off(w, res);
	if (w->pipe >= 0)
		close(w->pipe);
	close(w->pidfd);
	buf_clear(&w->in);
	*w = (struct worker){.pidfd = -1, .pipe = -1};
}

void worker_kill(struct worker *w)
{
	if (w->pid && !w->ended)
		kill(w->pid, SIGKILL);
}
