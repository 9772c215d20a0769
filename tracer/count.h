/*
 * Threads that pass a counting site (sites.h) often enough without a call give way: by detours where the instruction can be
 * moved (detour.h), else by breakpoints of the processor, whose every hit stops the thread (about 4 µs). Sites are armed
 * from the moment the file is mapped, in every thread, so the count depends on nothing but what the guest executes.
 */
#ifndef TRACER_COUNT_H
#define TRACER_COUNT_H

#include "tracer/detour.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sim;
struct task;

enum { DEBUG_REGS = 4 };

/* What hostproc carries. */
struct counting {
	struct detours detours;
	uint64_t breakpoint[DEBUG_REGS]; /* 0: free */
	unsigned gen;                    /* grows with each change of breakpoint[] */
};

/* What a task carries. */
struct counted {
	int64_t left;      /* passes until it gives way; a breakpoint's hit counts for HIT_WEIGHT of a detour's */
	uint64_t scratch;  /* of the stub that it stands in */
	unsigned turns;    /* since the last call */
	unsigned armed;    /* the gen that its debug registers follow */
	bool any;          /* some debug register is set */
};

/* `len` bytes of the file behind host_fd from `off` on have been mapped at addr, private and executable. In a stop. */
void count_mapped(struct sim *s, struct task *t, int host_fd, uint64_t off, uint64_t len, uint64_t addr);
/* exec has replaced the program: nothing of the old one is left. In a stop; before count_mapped() for the new one. */
void count_exec(struct sim *s, struct task *t);
/* The thread is about to run: its debug registers are made to follow. False: it is in a notification, and must be stopped
 * first. */
bool count_arm(struct sim *s, struct task *t);
/* Its next turn begins: it has made a call. */
void count_reset(struct sim *s, struct task *t);
/* The clock page carries the count of the thread that runs. */
void count_load(struct sim *s, const struct task *t);
void count_save(struct sim *s, struct task *t);
/* The thread stands at a site with its count used up: it gives way, or goes on when nobody is there. */
void count_turn(struct sim *s, struct task *t);
/* A SIGTRAP: true when it was one of ours. The thread goes on, or is parked. */
bool count_trap(struct sim *s, struct task *t);
/* Stepping has come to a breakpoint instead of executing the instruction: counted. True: its turn is over. */
bool count_step(struct sim *s, struct task *t);
/* Others could run, or time could pass for them; else giving way changes nothing. */
bool count_others(const struct sim *s);
/* A fault inside a stub is shown at the instruction that it stands for. */
void count_unmask(struct sim *s, struct task *t);

#endif
