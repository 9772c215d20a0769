/* A controlling terminal: sessions, foreground groups, the signals of ^C and ^Z, reading and writing from the background,
 * changes of size, hanging up. */
#include "guest.h"

#include <sys/ioctl.h>
#include <termios.h>

static int master;
static char name[64];

static void type(const char *s)
{
	CHECK_EQ(write(master, s, strlen(s)), (ssize_t)strlen(s));
}

static void expect(const char *s)
{
	char buf[1000];
	size_t got = 0;

	while (got < strlen(s)) {
		ssize_t n = read(master, buf + got, strlen(s) - got);
		CHECK(n > 0);
		got += (size_t)n;
	}
	if (memcmp(buf, s, got))
		dprintf(2, "got '%.*s' instead of '%s'\n", (int)got, buf, s);
	CHECK(!memcmp(buf, s, got));
}

static volatile sig_atomic_t winch, ttin;

static void on_winch(int sig)
{
	winch++;
}

static void on_ttin(int sig)
{
	ttin++;
}

/* A job in its own group, in the foreground or not; it says "ready", reads a line and says it. */
static pid_t start_job(int tty, bool foreground)
{
	pid_t pid = OK(fork());

	if (pid) {
		setpgid(pid, pid);
		return pid;
	}
	setpgid(0, 0);
	signal(SIGINT, SIG_DFL);
	signal(SIGTSTP, SIG_DFL);
	if (foreground)
		OK(tcsetpgrp(tty, getpid()));
	signal(SIGTTOU, SIG_DFL);
	dprintf(tty, "ready\n");
	char buf[100];
	ssize_t n = read(tty, buf, sizeof buf);
	if (n <= 0)
		_exit(n < 0 ? errno : 99);
	dprintf(tty, "job read %.*s", (int)n, buf);
	_exit(0);
}

static void await_stop(pid_t pid, int sig)
{
	int st;

	CHECK_EQ(waitpid(pid, &st, WUNTRACED), pid);
	CHECK(WIFSTOPPED(st));
	CHECK_EQ(WSTOPSIG(st), sig);
}

/* The session leader: a shell in miniature. */
static void shell(void)
{
	struct termios modes;
	int tty, st;
	pid_t job;

	OK(setsid());
	CHECK_ERR(open("/dev/tty", O_RDWR), ENXIO);
	tty = OK(open(name, O_RDWR)); /* becomes the controlling terminal */
	CHECK_EQ(tcgetsid(tty), getpid());
	CHECK_EQ(tcgetpgrp(tty), getpgrp());
	OK(close(OK(open("/dev/tty", O_RDWR))));
	CHECK_ERR(tcsetpgrp(tty, 1 << 21), ESRCH);
	CHECK_ERR(ioctl(tty, TIOCSPGRP, &(int){-1}), EINVAL);
	signal(SIGTTOU, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);

	/* ^C goes to the job alone. */
	job = start_job(tty, true);
	CHECK_EQ(waitpid(job, &st, 0), job);
	CHECK(WIFSIGNALED(st) && WTERMSIG(st) == SIGINT);
	OK(tcsetpgrp(tty, getpgrp()));
	/* ^Z stops it; in the foreground again, it reads. */
	job = start_job(tty, true);
	await_stop(job, SIGTSTP);
	OK(tcsetpgrp(tty, getpgrp()));
	dprintf(tty, "stopped\n");
	OK(tcsetpgrp(tty, job));
	OK(kill(-job, SIGCONT));
	CHECK_EQ(waitpid(job, &st, 0), job);
	CHECK(WIFEXITED(st) && WEXITSTATUS(st) == 0);
	OK(tcsetpgrp(tty, getpgrp()));
	/* Reading from the background stops. */
	job = start_job(tty, false);
	await_stop(job, SIGTTIN);
	dprintf(tty, "background\n");
	OK(tcsetpgrp(tty, job));
	OK(kill(-job, SIGCONT));
	CHECK_EQ(waitpid(job, &st, 0), job);
	CHECK(WIFEXITED(st) && WEXITSTATUS(st) == 0);
	OK(tcsetpgrp(tty, getpgrp()));
	/* So does changing modes, and writing with TOSTOP. */
	job = OK(fork());
	if (!job) {
		struct termios t;
		setpgid(0, 0);
		signal(SIGTTOU, SIG_DFL);
		OK(tcgetattr(tty, &t));
		t.c_lflag |= TOSTOP;
		OK(tcsetattr(tty, TCSANOW, &t));
		_exit(3);
	}
	await_stop(job, SIGTTOU);
	OK(tcsetpgrp(tty, job));
	OK(kill(-job, SIGCONT));
	CHECK_EQ(waitpid(job, &st, 0), job);
	CHECK(WIFEXITED(st) && WEXITSTATUS(st) == 3);
	OK(tcsetpgrp(tty, getpgrp()));
	job = OK(fork());
	if (!job) {
		setpgid(0, 0);
		signal(SIGTTOU, SIG_DFL);
		dprintf(tty, "not before it is continued\n");
		_exit(4);
	}
	await_stop(job, SIGTTOU);
	OK(kill(job, SIGKILL));
	CHECK_EQ(waitpid(job, &st, 0), job);
	OK(tcgetattr(tty, &modes));
	modes.c_lflag &= ~(tcflag_t)TOSTOP;
	OK(tcsetattr(tty, TCSANOW, &modes));
	/* Ignoring SIGTTIN: EIO. With a handler, the call is restarted or not as usual. */
	signal(SIGTTIN, SIG_IGN);
	job = start_job(tty, false);
	CHECK_EQ(waitpid(job, &st, 0), job);
	CHECK(WIFEXITED(st) && WEXITSTATUS(st) == EIO);
	on_signal(SIGTTIN, on_ttin, 0);
	job = OK(fork());
	if (!job) {
		char c;
		setpgid(0, 0);
		CHECK_ERR(read(tty, &c, 1), EINTR);
		_exit(ttin == 1 ? 0 : 1);
	}
	CHECK_EXIT(job, 0);
	/* A new size is told to the foreground group. */
	on_signal(SIGWINCH, on_winch, 0);
	dprintf(tty, "resize\n");
	while (!winch)
		pause();
	signal(SIGHUP, SIG_IGN);
	dprintf(tty, "resized\n");
	/* The master goes: SIGHUP, and everything on the terminal ends. */
	while (read(tty, &st, 1) != 0) /* EIO, too, while it is under way */
		CHECK_EQ(errno, EIO);
	CHECK_ERR(tcsetpgrp(tty, getpgrp()), ENOTTY);
	CHECK_ERR(open("/dev/tty", O_RDWR), ENXIO);
}

static void hangup_by_leader(void)
{
	int fd[2];
	pid_t leader, fg = 0;

	OK(pipe(fd));
	master = OK(posix_openpt(O_RDWR | O_NOCTTY));
	OK(unlockpt(master));
	CHECK_EQ(ptsname_r(master, name, sizeof name), 0);
	leader = OK(fork());
	if (!leader) {
		OK(setsid());
		int tty = OK(open(name, O_RDWR | O_NOCTTY));
		CHECK_ERR(tcgetpgrp(tty), ENOTTY);
		OK(ioctl(tty, TIOCSCTTY, 0));
		pid_t pid = OK(fork());
		if (!pid) {
			setpgid(0, 0);
			signal(SIGTTOU, SIG_IGN);
			OK(tcsetpgrp(tty, getpid()));
			pid = getpid();
			CHECK_EQ(write(fd[1], &pid, sizeof pid), sizeof pid);
			sleep_forever();
		}
		while (tcgetpgrp(tty) != pid)
			nap_ms(5);
		_exit(0);
	}
	OK(close(fd[1]));
	CHECK_EQ(read(fd[0], &fg, sizeof fg), sizeof fg);
	CHECK_EXIT(leader, 0);
	char c;
	CHECK_EQ(read(fd[0], &c, 1), 0); /* the job has been hung up */
	CHECK_EQ(ioctl(master, TIOCGSID, &(int){0}), -1);
	OK(close(master));
}

int main(void)
{
	struct winsize w = {.ws_row = 10, .ws_col = 20};
	pid_t pid;

	master = OK(posix_openpt(O_RDWR | O_NOCTTY));
	OK(unlockpt(master));
	CHECK_EQ(ptsname_r(master, name, sizeof name), 0);
	pid = OK(fork());
	if (!pid) {
		close(master);
		shell();
		_exit(0);
	}
	expect("ready\r\n");
	type("\003");
	expect("^Cready\r\n");
	type("\032");
	expect("^Zstopped\r\n");
	type("line\n");
	expect("line\r\njob read line\r\nready\r\nbackground\r\n");
	type("other\n");
	expect("other\r\njob read other\r\nready\r\nresize\r\n");
	OK(ioctl(master, TIOCSWINSZ, &w));
	expect("resized\r\n");
	OK(close(master));
	CHECK_EXIT(pid, 0);
	hangup_by_leader();
	return guest_ok();
}
