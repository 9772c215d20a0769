/* Pseudo-terminals: opening, reading with VMIN and VTIME, ioctl_tty(2). The terminals themselves are in kernel/tty.c. */
#include "tracer/sys_tty.h"

#include "base/mem.h"
#include "tracer/syscalls.h"
#include "tracer/vfs.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <asm/ioctls.h>
#include <sys/sysmacros.h>

enum { READ_MAX = 65536, TERMIOS1_SIZE = 36, PTS_MAJOR = 136 };

/* ---- opening ---- */

int tty_open_master(struct call *c, uint32_t shown_flags, struct file **out)
{
	int rc;

	*out = tty_new(c->k, shown_flags);
	if (!*out)
		return -ENOSPC;
	rc = pts_make(c, tty_of(*out)->index);
	if (rc < 0)
		file_unref(c->k, *out);
	return rc;
}

int tty_open_index(struct call *c, int index, uint64_t flags, uint32_t shown_flags, struct file **out)
{
	struct tty *t = tty_by_index(c->k, index);

	return t ? tty_open_slave(c->k, t, shown_flags, (flags & O_NOCTTY) != 0, out) : -ENXIO;
}

int tty_open_controlling(struct call *c, uint64_t flags, uint32_t shown_flags, struct file **out)
{
	(void)flags;
	return c->proc->ctty ? tty_open_slave(c->k, c->proc->ctty, shown_flags, true, out) : -ENXIO;
}

/* ---- reading and writing ---- */

/* The signal that was just sent stops the caller, or runs its handler: then the call starts again. */
static struct verdict try_again(struct call *c)
{
	thread_wake(c->k, c->thread);
	return BLOCK(-K_ERESTARTSYS);
}

/* True: go on. */
static bool job_check(struct call *c, struct tty *t, int sig, struct verdict *v)
{
	int rc = tty_job_check(c->k, t, sig);

	*v = rc == -K_ERESTARTSYS ? try_again(c) : REPLY(rc);
	return !rc;
}

static struct verdict read_wait(struct call *c, struct file *f)
{
	int64_t deadline = tty_is_master(f) ? VCLOCK_NEVER : tty_read_deadline(tty_of(f), (int64_t)c->s[0]);

	if (f->flags & O_NONBLOCK)
		return FAIL(EAGAIN);
	call_wait_file(c, f, "read of a terminal");
	thread_wait_until(c->k, c->thread, deadline);
	call_keep(c, f);
	return BLOCK(-K_ERESTARTSYS);
}

struct verdict tty_read(struct call *c, struct file *f, const struct guest_iov *iov, size_t niov, size_t total)
{
	size_t len = MIN(total, (size_t)READ_MAX);
	void *buf = call_scratch(c, len);
	struct verdict v;
	int64_t n;

	if (!c->tries)
		c->s[0] = (uint64_t)c->k->clock.now_ns;
	if (!tty_is_master(f) && !tty_hung_up(f) && !job_check(c, tty_of(f), SIGTTIN, &v))
		return v;
	n = c->thread->timed_out ? tty_read_now(c->k, f, buf, len) : f->ops->read(c->k, f, buf, len);
	if (n == -EAGAIN)
		return read_wait(c, f);
	return REPLY(n > 0 ? iov_copy_out(c, iov, niov, 0, buf, (size_t)n) : n);
}

bool tty_may_write(struct call *c, struct file *f, struct verdict *v)
{
	struct tty *t = tty_of(f);

	if (tty_is_master(f) || tty_hung_up(f) || !(t->t.lflag & K_TOSTOP))
		return true;
	return job_check(c, t, SIGTTOU, v);
}

/* ---- termios ---- */

/* Speeds by their code in c_cflag: 0 to 15, and with CBAUDEX from 1. */
static uint32_t speed_of(uint32_t cflag, uint32_t other)
{
	static const uint32_t slow[] = {0, 50, 75, 110, 134, 150, 200, 300, 600, 1200, 1800, 2400, 4800, 9600, 19200, 38400};
	static const uint32_t fast[] = {57600, 115200, 230400, 460800, 500000, 576000, 921600, 1000000, 1152000, 1500000, 2000000,
					2500000, 3000000, 3500000, 4000000};
	uint32_t code = cflag & CBAUD;

	if (code == BOTHER)
		return other;
	if (!(code & CBAUDEX))
		return slow[code & 15];
	code = (code & 15) - 1;
	return code < ARRAY_LEN(fast) ? fast[code] : 0;
}

static struct verdict get_termios(struct call *c, struct tty *t, size_t size)
{
	return copy_out(c, c->arg[2], &t->t, size) ? FAIL(EFAULT) : REPLY(0);
}

static struct verdict set_termios(struct call *c, struct tty *t, size_t size, bool flush)
{
	struct k_termios n = t->t;
	struct verdict v;

	if (!job_check(c, t, SIGTTOU, &v))
		return v;
	if (copy_in(c, &n, c->arg[2], size))
		return FAIL(EFAULT);
	n.ospeed = speed_of(n.cflag, n.ospeed);
	n.ispeed = (n.cflag & CIBAUD) ? speed_of(n.cflag >> IBSHIFT, n.ispeed) : n.ospeed;
	if (flush)
		tty_flush_input(c->k, t);
	tty_set_termios(c->k, t, &n);
	return REPLY(0);
}

/* All the TCGETS and TCSETS. */
static bool termios_request(struct call *c, struct tty *t, uint32_t cmd, struct verdict *v)
{
	size_t size2 = sizeof(struct k_termios);

	switch (cmd) {
	case TCGETS:
		*v = get_termios(c, t, TERMIOS1_SIZE);
		return true;
	case TCGETS2:
		*v = get_termios(c, t, size2);
		return true;
	case TCSETS:
	case TCSETSW: /* what was written has reached the master already */
	case TCSETSF:
		*v = set_termios(c, t, TERMIOS1_SIZE, cmd == TCSETSF);
		return true;
	case TCSETS2:
	case TCSETSW2:
	case TCSETSF2:
		*v = set_termios(c, t, size2, cmd == TCSETSF2);
		return true;
	}
	return false;
}

/* ---- flow, buffers ---- */

static struct verdict flush(struct call *c, struct file *f)
{
	struct tty *t = tty_of(f);
	uint64_t what = c->arg[2];
	struct verdict v;

	if (!job_check(c, t, SIGTTOU, &v))
		return v;
	if (what > TCIOFLUSH)
		return FAIL(EINVAL);
	if (tty_is_master(f)) { /* its input is the slave's output */
		if (what != TCOFLUSH)
			t->out.tail = t->out.head;
		if (what != TCIFLUSH)
			t->wire.tail = t->wire.head;
		tty_output_changed(c->k, t);
		return REPLY(0);
	}
	if (what != TCOFLUSH) {
		t->wire.tail = t->wire.head;
		tty_flush_input(c->k, t);
	}
	if (what != TCIFLUSH)
		tty_flush_output(c->k, t);
	return REPLY(0);
}

static struct verdict flow(struct call *c, struct file *f)
{
	struct tty *t = tty_of(f);
	struct verdict v;

	if (!job_check(c, t, SIGTTOU, &v))
		return v;
	switch (c->arg[2]) {
	case TCOOFF:
	case TCOON:
		if (!tty_is_master(f))
			tty_set_stopped(c->k, t, c->arg[2] == TCOOFF);
		return REPLY(0);
	case TCIOFF:
	case TCION:
		if (!tty_is_master(f))
			tty_send_char(c->k, t, t->t.cc[c->arg[2] == TCIOFF ? K_VSTOP : K_VSTART]);
		return REPLY(0);
	}
	return FAIL(EINVAL);
}

/* ---- sessions ---- */

static struct verdict put_int(struct call *c, int64_t n)
{
	int32_t i = (int32_t)n;

	return n < 0 ? REPLY(n) : copy_out(c, c->arg[2], &i, sizeof i) ? FAIL(EFAULT) : REPLY(0);
}

static struct verdict set_group(struct call *c, struct tty *t)
{
	struct verdict v;
	int32_t pgrp;

	if (!job_check(c, t, SIGTTOU, &v))
		return v.value == -EIO ? FAIL(ENOTTY) : v;
	if (c->proc->ctty != t)
		return FAIL(ENOTTY);
	if (copy_in(c, &pgrp, c->arg[2], sizeof pgrp))
		return FAIL(EFAULT);
	return REPLY(tty_set_group(c->k, t, pgrp));
}

static bool session_request(struct call *c, struct file *f, uint32_t cmd, struct verdict *v)
{
	struct tty *t = tty_of(f);
	bool readable = (f->flags & O_ACCMODE) != O_WRONLY;

	switch (cmd) {
	case TIOCSCTTY:
		*v = REPLY(tty_set_controlling(c->k, t, readable, c->arg[2] == 1));
		return true;
	case TIOCNOTTY:
		*v = tty_is_master(f) ? FAIL(ENOTTY) : REPLY(tty_give_up(c->k, t));
		return true;
	case TIOCGPGRP:
		*v = put_int(c, tty_get_group(c->k, f));
		return true;
	case TIOCSPGRP:
		*v = set_group(c, t);
		return true;
	case TIOCGSID:
		*v = put_int(c, tty_get_session(c->k, f));
		return true;
	}
	return false;
}

/* ---- what only the master does ---- */

static struct verdict open_peer(struct call *c, struct tty *t)
{
	uint64_t flags = (uint32_t)c->arg[2];
	struct file *f;
	int rc = tty_open_slave(c->k, t, (uint32_t)(flags & (O_ACCMODE | O_NONBLOCK)), (flags & O_NOCTTY) != 0, &f);

	return rc < 0 ? REPLY(rc) : REPLY(call_install(c, f, (flags & O_CLOEXEC) != 0));
}

static struct verdict send_signal(struct call *c, struct tty *t)
{
	int sig = (int)c->arg[2];

	if (sig != SIGINT && sig != SIGQUIT && sig != SIGTSTP)
		return FAIL(EINVAL);
	tty_signal_group(c->k, t->pgrp, sig);
	return REPLY(0);
}

static bool master_request(struct call *c, struct tty *t, uint32_t cmd, struct verdict *v)
{
	int32_t on = 0;

	switch (cmd) {
	case TIOCGPTN:
		*v = put_int(c, t->index);
		return true;
	case TIOCGPTLCK:
		*v = put_int(c, t->locked);
		return true;
	case TIOCGPKT:
		*v = put_int(c, t->packet);
		return true;
	case TIOCSPTLCK:
	case TIOCPKT:
		*v = REPLY(0);
		if (copy_in(c, &on, c->arg[2], sizeof on))
			*v = FAIL(EFAULT);
		else if (cmd == TIOCPKT)
			tty_set_packet(t, on);
		else
			t->locked = on;
		return true;
	case TIOCGPTPEER:
		*v = open_peer(c, t);
		return true;
	case TIOCSIG:
		*v = send_signal(c, t);
		return true;
	}
	return false;
}

/* ---- the rest ---- */

static struct verdict window_size(struct call *c, struct tty *t, bool set)
{
	struct k_winsize w;

	if (!set)
		return copy_out(c, c->arg[2], &t->win, sizeof t->win) ? FAIL(EFAULT) : REPLY(0);
	if (copy_in(c, &w, c->arg[2], sizeof w))
		return FAIL(EFAULT);
	tty_set_winsize(c->k, t, &w);
	return REPLY(0);
}

static struct verdict discipline(struct call *c, bool set)
{
	int32_t n;

	if (!set)
		return put_int(c, 0); /* N_TTY */
	if (copy_in(c, &n, c->arg[2], sizeof n))
		return FAIL(EFAULT);
	return n ? call_refuse(c, EINVAL, "line discipline %d", n) : REPLY(0);
}

static bool misc_request(struct call *c, struct file *f, uint32_t cmd, struct verdict *v)
{
	struct tty *t = tty_of(f);

	*v = REPLY(0);
	switch (cmd) {
	case TIOCGWINSZ:
	case TIOCSWINSZ:
		*v = window_size(c, t, cmd == TIOCSWINSZ);
		return true;
	case TCFLSH:
		*v = flush(c, f);
		return true;
	case TCXONC:
		*v = flow(c, f);
		return true;
	case TCSBRK: /* tcdrain(3) and tcsendbreak(3): nothing is under way, and there is no line */
	case TCSBRKP:
	case TIOCSBRK:
	case TIOCCBRK:
		job_check(c, t, SIGTTOU, v);
		return true;
	case TIOCOUTQ:
		*v = put_int(c, 0);
		return true;
	case TIOCEXCL:
	case TIOCNXCL:
		t->exclusive = cmd == TIOCEXCL;
		return true;
	case TIOCGEXCL:
		*v = put_int(c, t->exclusive);
		return true;
	case TIOCGETD:
	case TIOCSETD:
		*v = discipline(c, cmd == TIOCSETD);
		return true;
	case TIOCGDEV:
		*v = put_int(c, tty_is_master(f) ? 5 << 8 | 2 : (int64_t)makedev(PTS_MAJOR, (unsigned)t->index));
		return true;
	case TIOCSTI: /* dev.tty.legacy_tiocsti is 0 */
		*v = FAIL(EIO);
		return true;
	case TIOCVHANGUP:
		*v = FAIL(EPERM);
		return true;
	}
	return false;
}

bool tty_ioctl(struct call *c, struct file *f, uint32_t cmd, struct verdict *v)
{
	struct tty *t = tty_of(f);

	if (tty_hung_up(f)) {
		*v = cmd == TIOCSPGRP ? FAIL(ENOTTY) : FAIL(EIO); /* hung_up_tty_ioctl() */
		return cmd >> 8 == 'T' || _IOC_TYPE(cmd) == 'T';
	}
	return termios_request(c, t, cmd, v) || session_request(c, f, cmd, v) ||
	       (tty_is_master(f) && master_request(c, t, cmd, v)) || misc_request(c, f, cmd, v);
}
