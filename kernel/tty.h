/*
 * Pseudo-terminals: pairs of a master (/dev/ptmx) and a slave (/dev/pts/N) with the standard line discipline between them, and
 * what makes a terminal the controlling one of a session. See pty(7), termios(3), ioctl_tty(2), and POSIX.1 chapter 11.
 *
 *   tty.c    the pair: its files, opening, closing, hanging up, requests
 *   ldisc.c  the line discipline: what becomes of the bytes in both directions
 *   ctty.c   sessions, foreground groups, job control
 */
#ifndef KERNEL_TTY_H
#define KERNEL_TTY_H

#include "kernel/file.h"
#include "kernel/task.h"

/* Indices into k_termios.cc: include/uapi/asm-generic/termbits.h. */
enum { K_VINTR, K_VQUIT, K_VERASE, K_VKILL, K_VEOF, K_VTIME, K_VMIN, K_VSWTC, K_VSTART, K_VSTOP, K_VSUSP, K_VEOL, K_VREPRINT,
       K_VDISCARD, K_VWERASE, K_VLNEXT, K_VEOL2, K_NCC = 19 };
enum { /* iflag */
	K_IGNBRK = 1, K_BRKINT = 2, K_PARMRK = 010, K_ISTRIP = 040, K_INLCR = 0100, K_IGNCR = 0200, K_ICRNL = 0400, K_IUCLC = 01000,
	K_IXON = 02000, K_IXANY = 04000, K_IUTF8 = 040000
};
enum { /* oflag */
	K_OPOST = 1, K_OLCUC = 2, K_ONLCR = 4, K_OCRNL = 010, K_ONOCR = 020, K_ONLRET = 040, K_TABDLY = 014000, K_XTABS = 014000
};
enum { K_CSIZE = 060, K_CS8 = 060, K_CREAD = 0200, K_PARENB = 0400, K_B38400 = 017 }; /* cflag */
enum { /* lflag */
	K_ISIG = 1, K_ICANON = 2, K_ECHO = 010, K_ECHOE = 020, K_ECHOK = 040, K_ECHONL = 0100, K_NOFLSH = 0200, K_TOSTOP = 0400,
	K_ECHOCTL = 01000, K_ECHOPRT = 02000, K_ECHOKE = 04000, K_IEXTEN = 0100000, K_EXTPROC = 0200000
};
/* First byte of what a master in packet mode reads: include/uapi/asm-generic/ioctls.h. */
enum { PKT_FLUSHREAD = 1, PKT_FLUSHWRITE = 2, PKT_STOP = 4, PKT_START = 8, PKT_NOSTOP = 16, PKT_DOSTOP = 32, PKT_IOCTL = 64 };

/* struct termios2 of the ABI; struct termios is all of it but the speeds. */
struct k_termios {
	uint32_t iflag, oflag, cflag, lflag;
	uint8_t line, cc[K_NCC];
	uint32_t ispeed, ospeed;
};

struct k_winsize {
	uint16_t row, col, xpixel, ypixel;
};

/* Bytes under way. */
struct tty_ring {
	uint8_t *data;
	uint32_t cap, head, tail; /* head - tail bytes; cap is a power of two */
};

enum { TTY_INPUT = 4096, TTY_WIRE = 8192, TTY_OUTPUT = 16384, TTY_ECHO = 4096 };
enum { TTY_MAX = 4096 };

struct tty {
	int index;
	struct k_termios t;
	struct k_winsize win;
	struct file *master;  /* NULL: closed, and the slave hung up */
	struct list slaves;   /* struct tty_end.link: open files of the slave */
	bool locked;          /* the slave cannot be opened yet: unlockpt(3) */
	bool exclusive;       /* TIOCEXCL */
	bool slave_gone;      /* was open, is closed: the master reads EIO */
	bool packet;
	uint8_t packet_status;

	/* Line discipline. Input is the slave's to read: bytes of [tail, head), of which in canonical mode those before `canon`
	 * are complete lines; `delim` marks where lines end. */
	uint8_t in[TTY_INPUT], delim[TTY_INPUT / 8];
	uint32_t head, canon, tail;
	struct tty_ring wire; /* written by the master, not yet taken in */
	struct tty_ring out;  /* for the master to read */
	struct tty_ring echo; /* to be put out as soon as there is room and output is not stopped */
	unsigned column, canon_column;
	bool erasing, literal_next;
	bool stopped;         /* output: by the STOP character */
	bool flow_stopped;    /* by tcflow(3) */
	int64_t last_input_ns;

	int sid, pgrp;        /* whose controlling terminal it is, and the foreground group; 0: none */
};

/* ---- files ---- */

/* A new pair: its master, or NULL when there are too many. */
struct file *tty_new(struct kern *k, uint32_t flags);
struct tty *tty_by_index(struct kern *k, int index); /* NULL: no such */
/* 0 or -errno. Makes it the controlling terminal where open(2) does. */
int tty_open_slave(struct kern *k, struct tty *t, uint32_t flags, bool noctty, struct file **out);
struct tty *tty_of(const struct file *f); /* NULL: f is no terminal */
bool tty_is_master(const struct file *f);
bool tty_hung_up(const struct file *f);   /* a slave whose master is closed */

/* ---- reading of a slave: how long a read that found nothing waits ---- */

/* What read() would give now, without waiting for VMIN: a byte count, 0 at the end. */
int64_t tty_read_now(struct kern *k, struct file *f, void *buf, size_t len);
/* Deadline of a read that started then; VCLOCK_NEVER: none. */
int64_t tty_read_deadline(const struct tty *t, int64_t started_ns);

/* ---- requests ---- */

void tty_set_termios(struct kern *k, struct tty *t, const struct k_termios *n);
void tty_set_winsize(struct kern *k, struct tty *t, const struct k_winsize *w);
void tty_flush_input(struct kern *k, struct tty *t);
void tty_flush_output(struct kern *k, struct tty *t);
void tty_set_stopped(struct kern *k, struct tty *t, bool stopped); /* TCOOFF, TCOON */
void tty_send_char(struct kern *k, struct tty *t, uint8_t c);      /* TCIOFF, TCION */
void tty_set_packet(struct tty *t, bool on);
uint32_t tty_input_bytes(const struct file *f); /* FIONREAD */

/* ---- line discipline (ldisc.c) ---- */

void ldisc_reset(struct tty *t);
void ldisc_receive(struct kern *k, struct tty *t); /* takes in what is on the wire, as far as there is room */
bool ldisc_readable(const struct tty *t, bool for_poll);
size_t ldisc_read(struct tty *t, uint8_t *buf, size_t len);
/* Output of a program: how many of the bytes were taken. */
size_t ldisc_write(struct tty *t, const uint8_t *buf, size_t len);
void ldisc_flush_echo(struct tty *t);
void ldisc_mode_changed(struct tty *t, const struct k_termios *old);
static inline uint32_t ring_used(const struct tty_ring *r)
{
	return r->head - r->tail;
}
static inline uint32_t ring_room(const struct tty_ring *r)
{
	return r->cap - ring_used(r);
}
size_t ring_put(struct tty_ring *r, const void *buf, size_t len);
size_t ring_take(struct tty_ring *r, void *buf, size_t len);
/* Used by ldisc.c. */
void tty_output_changed(struct kern *k, struct tty *t); /* something for the master to read, or room for the slave */
void tty_input_changed(struct kern *k, struct tty *t);
void tty_packet_event(struct kern *k, struct tty *t, uint8_t set, uint8_t clear);

/* ---- controlling terminals and job control (ctty.c) ---- */

/* The current thread's process uses its controlling terminal from the background: sends sig to its group. 0: go on, -EIO, or
 * -K_ERESTARTSYS: the call is to be tried again after the signal. */
int tty_job_check(struct kern *k, struct tty *t, int sig);
void tty_signal_group(struct kern *k, int pgrp, int sig);
int tty_set_controlling(struct kern *k, struct tty *t, bool readable, bool steal); /* TIOCSCTTY: 0 or -errno */
void tty_opened(struct kern *k, struct tty *t);                                     /* without O_NOCTTY, readable */
int tty_give_up(struct kern *k, struct tty *t);                                     /* TIOCNOTTY */
int tty_set_group(struct kern *k, struct tty *t, int pgrp);                         /* TIOCSPGRP, after tty_job_check() */
int tty_get_group(struct kern *k, const struct file *f);                            /* TIOCGPGRP: the group or -ENOTTY */
int tty_get_session(struct kern *k, const struct file *f);                          /* TIOCGSID */
void tty_session_leader_ended(struct kern *k, struct proc *p);
void tty_hangup(struct kern *k, struct tty *t);          /* the master was closed */
void tty_session_cleared(struct kern *k, int sid);       /* no process of it has a controlling terminal any more */

#endif
