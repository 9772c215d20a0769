/*
 * The line discipline N_TTY: editing of lines, echo, signal characters and flow control on the way in, expansion of newlines
 * and tabs on the way out. What it does is termios(3)'s; where that leaves a choice, it is Linux's (drivers/tty/n_tty.c).
 */
#include "kernel/tty.h"

#include "base/mem.h"

#include <string.h>

enum { NO_CHAR = 0, TAB = 8 }; /* _POSIX_VDISABLE; also what stands for an end of file in the input */

/* ---- rings ---- */

size_t ring_put(struct tty_ring *r, const void *buf, size_t len)
{
	const uint8_t *p = buf;

	len = MIN(len, (size_t)ring_room(r));
	for (size_t i = 0; i < len; i++)
		r->data[r->head++ & (r->cap - 1)] = p[i];
	return len;
}

size_t ring_take(struct tty_ring *r, void *buf, size_t len)
{
	uint8_t *p = buf;

	len = MIN(len, (size_t)ring_used(r));
	for (size_t i = 0; i < len; i++)
		p[i] = r->data[r->tail++ & (r->cap - 1)];
	return len;
}

/* ---- small questions ---- */

static bool in_flag(const struct tty *t, uint32_t f)
{
	return t->t.iflag & f;
}

static bool out_flag(const struct tty *t, uint32_t f)
{
	return t->t.oflag & f;
}

static bool local(const struct tty *t, uint32_t f)
{
	return t->t.lflag & f;
}

static bool is_control(uint8_t c)
{
	return c < 32 || c == 127;
}

/* Letters are those of Latin-1: lib/ctype.c of the kernel. */
static bool is_upper(uint8_t c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 0xc0 && c < 0xdf && c != 0xd7);
}

static bool is_lower(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 0xdf && c != 0xf7);
}

static bool is_word(uint8_t c)
{
	return is_upper(c) || is_lower(c) || (c >= '0' && c <= '9') || c == '_';
}

static bool is_char(const struct tty *t, uint8_t c, int which)
{
	return c != NO_CHAR && c == t->t.cc[which];
}

/* The second and later bytes of a character take no column. */
static bool continues(const struct tty *t, uint8_t c)
{
	return in_flag(t, K_IUTF8) && (c & 0xc0) == 0x80;
}

static bool has_delim(const struct tty *t, uint32_t at)
{
	at %= TTY_INPUT;
	return t->delim[at / 8] >> (at % 8) & 1;
}

static void set_delim(struct tty *t, uint32_t at, bool on)
{
	at %= TTY_INPUT;
	if (on)
		t->delim[at / 8] |= (uint8_t)(1 << at % 8);
	else
		t->delim[at / 8] &= (uint8_t)~(1 << at % 8);
}

static uint8_t input_at(const struct tty *t, uint32_t at)
{
	return t->in[at % TTY_INPUT];
}

void ldisc_reset(struct tty *t)
{
	t->head = t->canon = t->tail = 0;
	memset(t->delim, 0, sizeof t->delim);
	t->erasing = t->literal_next = false;
	t->echo.head = t->echo.tail = 0;
}

/* ---- output ---- */

static bool output_blocked(const struct tty *t)
{
	return t->stopped || t->flow_stopped;
}

/* One character through output processing: what it becomes, at most a tab's blanks. */
static size_t expand(struct tty *t, uint8_t c, uint8_t out[TAB])
{
	size_t n = 1;

	out[0] = c;
	switch (c) {
	case '\n':
		if (out_flag(t, K_ONLRET))
			t->column = 0;
		if (out_flag(t, K_ONLCR)) {
			t->column = 0;
			memcpy(out, "\r\n", 2);
			n = 2;
		}
		t->canon_column = t->column;
		break;
	case '\r':
		if (out_flag(t, K_ONOCR) && !t->column)
			return 0;
		if (out_flag(t, K_OCRNL)) {
			out[0] = '\n';
			if (!out_flag(t, K_ONLRET))
				break;
		}
		t->column = t->canon_column = 0;
		break;
	case '\t':
		if ((t->t.oflag & K_TABDLY) == K_XTABS) {
			n = TAB - t->column % TAB;
			memset(out, ' ', n);
		}
		t->column += TAB - t->column % TAB;
		break;
	case '\b':
		t->column -= t->column > 0;
		break;
	default:
		if (is_control(c))
			break;
		if (out_flag(t, K_OLCUC) && is_lower(c))
			out[0] = (uint8_t)(c - 'a' + 'A');
		t->column += !continues(t, c);
	}
	return n;
}

void ldisc_flush_echo(struct tty *t)
{
	uint8_t c;

	while (!output_blocked(t) && ring_used(&t->echo) && ring_room(&t->out) && ring_take(&t->echo, &c, 1))
		ring_put(&t->out, &c, 1);
}

size_t ldisc_write(struct tty *t, const uint8_t *buf, size_t len)
{
	uint8_t out[TAB];
	size_t done = 0;

	ldisc_flush_echo(t);
	if (output_blocked(t) || ring_used(&t->echo))
		return 0;
	if (!out_flag(t, K_OPOST))
		return ring_put(&t->out, buf, len);
	/* A tab's room is kept, so that nothing is expanded in vain: the column would be wrong then. */
	while (done < len && ring_room(&t->out) >= TAB)
		ring_put(&t->out, out, expand(t, buf[done++], out));
	return done;
}

/* ---- echo ---- */

static void echo_raw(struct tty *t, uint8_t c)
{
	uint8_t out[TAB] = {c};

	if (c == 0377) /* Linux marks its echo operations with this byte, and puts it out without processing */
		t->column++;
	ring_put(&t->echo, out, out_flag(t, K_OPOST) && c != 0377 ? expand(t, c, out) : 1);
}

static void echo_char(struct tty *t, uint8_t c)
{
	uint8_t pair[2] = {'^', c ^ 0100};

	if (!local(t, K_ECHOCTL) || !is_control(c) || c == '\t') {
		echo_raw(t, c);
		return;
	}
	ring_put(&t->echo, pair, 2);
	t->column += 2;
}

static void echo_typed(struct tty *t, uint8_t c)
{
	/* Where the line begins, for the erasing of tabs. */
	if (t->canon == t->head)
		t->canon_column = t->column;
	echo_char(t, c);
}

static void end_erasing(struct tty *t)
{
	if (t->erasing)
		echo_raw(t, '/');
	t->erasing = false;
}

/* ---- erasing ---- */

/* Back over a tab: to the column where it began, which follows from what stands before it. */
static void rub_tab(struct tty *t)
{
	unsigned columns = 0;
	bool after_tab = false;

	for (uint32_t at = t->head; at != t->canon && !after_tab;) {
		uint8_t c = input_at(t, --at);
		if (c == '\t')
			after_tab = true;
		else if (is_control(c))
			columns += local(t, K_ECHOCTL) ? 2 : 0;
		else if (!continues(t, c))
			columns++;
	}
	columns %= TAB;
	if (!after_tab)
		columns += t->canon_column;
	for (unsigned n = TAB - columns % TAB; n; n--) {
		ring_put(&t->echo, "\b", 1);
		t->column -= t->column > 0;
	}
}

static void rub_out(struct tty *t)
{
	echo_raw(t, '\b');
	echo_raw(t, ' ');
	echo_raw(t, '\b');
}

/* A character was taken off the line; it and the n - 1 bytes behind it are at t->head. */
static void show_erased(struct tty *t, uint8_t c, uint32_t n, bool one)
{
	if (local(t, K_ECHOPRT)) {
		if (!t->erasing)
			echo_raw(t, '\\');
		t->erasing = true;
		echo_char(t, c);
		for (uint32_t i = 1; i < n; i++) {
			echo_raw(t, input_at(t, t->head + i));
			t->column -= t->column > 0;
		}
	} else if (one && !local(t, K_ECHOE)) {
		echo_char(t, t->t.cc[K_VERASE]);
	} else if (c == '\t') {
		rub_tab(t);
	} else if (!is_control(c)) {
		rub_out(t);
	} else if (local(t, K_ECHOCTL)) {
		rub_out(t);
		rub_out(t);
	}
}

/* One character, of maybe several bytes, before `head`. False: there is only a part of one. */
static bool last_char(const struct tty *t, uint32_t *at)
{
	*at = t->head;
	do
		--*at;
	while (continues(t, input_at(t, *at)) && *at != t->canon);
	return !continues(t, input_at(t, *at));
}

static void erase_last(struct tty *t, bool word)
{
	bool seen = false;
	uint32_t at;

	while (t->head != t->canon && last_char(t, &at)) {
		uint8_t c = input_at(t, at);
		uint32_t n = t->head - at;
		if (word && is_word(c))
			seen = true;
		else if (word && seen)
			break;
		t->head = at;
		if (local(t, K_ECHO))
			show_erased(t, c, n, !word);
		if (!word)
			break;
	}
}

static void kill_line(struct tty *t)
{
	uint32_t at;

	if (!local(t, K_ECHO)) {
		t->head = t->canon;
	} else if (local(t, K_ECHOK) && local(t, K_ECHOKE) && local(t, K_ECHOE)) {
		while (t->head != t->canon && last_char(t, &at)) {
			uint8_t c = input_at(t, at);
			uint32_t n = t->head - at;
			t->head = at;
			show_erased(t, c, n, false);
		}
	} else {
		t->head = t->canon;
		end_erasing(t);
		echo_char(t, t->t.cc[K_VKILL]);
		if (local(t, K_ECHOK))
			echo_raw(t, '\n');
	}
}

static void erase(struct tty *t, uint8_t c)
{
	if (t->head == t->canon)
		return;
	if (is_char(t, c, K_VKILL))
		kill_line(t);
	else
		erase_last(t, !is_char(t, c, K_VERASE));
	if (t->head == t->canon && local(t, K_ECHO))
		end_erasing(t);
}

/* ---- input ---- */

static void store(struct tty *t, uint8_t c)
{
	t->in[t->head++ % TTY_INPUT] = c;
}

static void end_line(struct tty *t, uint8_t c)
{
	set_delim(t, t->head, true);
	store(t, c);
	t->canon = t->head;
}

static void start_output(struct kern *k, struct tty *t)
{
	if (!t->stopped)
		return;
	t->stopped = false;
	tty_packet_event(k, t, PKT_START, PKT_STOP);
}

static void signal_char(struct kern *k, struct tty *t, int sig, uint8_t c)
{
	tty_signal_group(k, t->pgrp, sig);
	if (!local(t, K_NOFLSH)) {
		tty_flush_output(k, t);
		ldisc_reset(t);
		tty_packet_event(k, t, PKT_FLUSHREAD, 0);
	}
	if (in_flag(t, K_IXON))
		start_output(k, t);
	if (local(t, K_ECHO))
		echo_char(t, c);
}

/* START, STOP and the characters that send signals. True: c was one of them. */
static bool control_char(struct kern *k, struct tty *t, uint8_t c)
{
	static const struct {
		int which, sig;
	} signals[] = {{K_VINTR, SIGINT}, {K_VQUIT, SIGQUIT}, {K_VSUSP, SIGTSTP}};

	if (in_flag(t, K_IXON)) {
		if (is_char(t, c, K_VSTART)) {
			start_output(k, t);
			return true;
		}
		if (is_char(t, c, K_VSTOP)) {
			if (!t->stopped)
				tty_packet_event(k, t, PKT_STOP, PKT_START);
			t->stopped = true;
			return true;
		}
	}
	for (size_t i = 0; local(t, K_ISIG) && i < ARRAY_LEN(signals); i++)
		if (is_char(t, c, signals[i].which)) {
			signal_char(k, t, signals[i].sig, c);
			return true;
		}
	return false;
}

static void reprint(struct tty *t, uint8_t c)
{
	end_erasing(t);
	echo_char(t, c);
	echo_raw(t, '\n');
	for (uint32_t at = t->canon; at != t->head; at++)
		echo_char(t, input_at(t, at));
}

/* Line editing. True: c has been dealt with. */
static bool canonical_char(struct tty *t, uint8_t c)
{
	bool extended = local(t, K_IEXTEN);

	if (is_char(t, c, K_VERASE) || is_char(t, c, K_VKILL) || (extended && is_char(t, c, K_VWERASE))) {
		erase(t, c);
	} else if (extended && is_char(t, c, K_VLNEXT)) {
		t->literal_next = true;
		if (!local(t, K_ECHO))
			return true;
		end_erasing(t);
		if (local(t, K_ECHOCTL)) {
			echo_raw(t, '^');
			echo_raw(t, '\b');
		}
	} else if (extended && local(t, K_ECHO) && is_char(t, c, K_VREPRINT)) {
		reprint(t, c);
	} else if (c == '\n') {
		if (local(t, K_ECHO) || local(t, K_ECHONL))
			echo_raw(t, '\n');
		end_line(t, c);
	} else if (is_char(t, c, K_VEOF)) {
		end_line(t, NO_CHAR);
	} else if (is_char(t, c, K_VEOL) || (extended && is_char(t, c, K_VEOL2))) {
		if (local(t, K_ECHO))
			echo_typed(t, c);
		if (c == 0377 && in_flag(t, K_PARMRK))
			store(t, c);
		end_line(t, c);
	} else {
		return false;
	}
	return true;
}

/* A newline that was typed as a return moves the cursor; any other one is shown as ^J. */
static void plain_char(struct tty *t, uint8_t c, bool returned)
{
	if (local(t, K_ECHO)) {
		end_erasing(t);
		if (c == '\n' && returned)
			echo_raw(t, c);
		else
			echo_typed(t, c);
	}
	if (c == 0377 && in_flag(t, K_PARMRK))
		store(t, c);
	store(t, c);
}

static uint8_t stripped(const struct tty *t, uint8_t c)
{
	if (in_flag(t, K_ISTRIP))
		c &= 0x7f;
	if (in_flag(t, K_IUCLC) && local(t, K_IEXTEN) && is_upper(c))
		c = (uint8_t)(c - 'A' + 'a');
	return c;
}

static void receive_char(struct kern *k, struct tty *t, uint8_t c)
{
	bool returned = false;

	c = stripped(t, c);
	if (local(t, K_EXTPROC)) {
		store(t, c);
		return;
	}
	if (t->literal_next) {
		t->literal_next = false;
		plain_char(t, c, false);
		return;
	}
	if (control_char(k, t, c))
		return;
	if (t->stopped && in_flag(t, K_IXON) && in_flag(t, K_IXANY))
		start_output(k, t);
	if (c == '\r') {
		if (in_flag(t, K_IGNCR))
			return;
		returned = in_flag(t, K_ICRNL);
		c = returned ? '\n' : c;
	} else if (c == '\n' && in_flag(t, K_INLCR)) {
		c = '\r';
	}
	if (!local(t, K_ICANON) || !canonical_char(t, c))
		plain_char(t, c, returned);
}

/* Room for one more character. A line that grows too long without end loses its last ones, so that it can still be ended. */
static bool make_room(struct tty *t)
{
	int room = (int)(TTY_INPUT - (t->head - t->tail));

	if (in_flag(t, K_PARMRK))
		room = (room + 2) / 3;
	if (--room > 0)
		return true;
	if (!local(t, K_ICANON) || t->canon != t->tail)
		return false;
	if (room < 0)
		t->head--;
	return true;
}

void ldisc_receive(struct kern *k, struct tty *t)
{
	bool any = false;
	uint8_t c;

	while (ring_used(&t->wire) && make_room(t) && ring_take(&t->wire, &c, 1)) {
		receive_char(k, t, c);
		any = true;
	}
	ldisc_flush_echo(t);
	if (!any)
		return;
	t->last_input_ns = k->clock.now_ns;
	tty_output_changed(k, t);
	tty_input_changed(k, t);
}

/* ---- reading ---- */

bool ldisc_readable(const struct tty *t, bool for_poll)
{
	uint32_t want = 1;

	if (local(t, K_ICANON) && !local(t, K_EXTPROC))
		return t->canon != t->tail;
	if (for_poll && !t->t.cc[K_VTIME] && t->t.cc[K_VMIN])
		want = t->t.cc[K_VMIN];
	return t->head - t->tail >= want;
}

/* One line, or what fits of it. */
static size_t read_line(struct tty *t, uint8_t *buf, size_t len)
{
	size_t n = 0;

	while (t->tail != t->canon) {
		bool end = has_delim(t, t->tail), eof = end && input_at(t, t->tail) == NO_CHAR;
		if (n == len && !eof) /* an end of file behind the last byte that fits belongs to it */
			break;
		if (!eof)
			buf[n++] = input_at(t, t->tail);
		if (end)
			set_delim(t, t->tail, false);
		t->tail++;
		if (end)
			break;
	}
	return n;
}

size_t ldisc_read(struct tty *t, uint8_t *buf, size_t len)
{
	size_t n;

	if (!len)
		return 0;
	if (local(t, K_ICANON) && !local(t, K_EXTPROC))
		return read_line(t, buf, len);
	n = MIN(len, (size_t)(t->head - t->tail));
	for (size_t i = 0; i < n; i++)
		buf[i] = input_at(t, t->tail++);
	return n;
}

/* ---- termios ---- */

void ldisc_mode_changed(struct tty *t, const struct k_termios *old)
{
	if ((old->lflag ^ t->t.lflag) & (K_ICANON | K_EXTPROC)) {
		memset(t->delim, 0, sizeof t->delim);
		t->canon = t->tail;
		/* What is there already becomes a line without an end. */
		if (local(t, K_ICANON) && t->head != t->tail) {
			set_delim(t, t->head - 1, true);
			t->canon = t->head;
		}
		t->erasing = t->literal_next = false;
	}
	if (!in_flag(t, K_IXON) && (old->iflag & K_IXON) && !t->flow_stopped)
		t->stopped = false;
}
