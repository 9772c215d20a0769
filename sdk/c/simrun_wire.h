/* How a program speaks to the simulator: docs/sdk.md. Shared by the SDKs and by simrun itself. */
#ifndef SIMRUN_WIRE_H
#define SIMRUN_WIRE_H

/*
 * A call that no kernel has: syscall(SIMRUN_NR, SIMRUN_WIRE, message, length, reply, room). It is made only where the
 * vDSO has the symbol SIMRUN_MARK. Numbers below 1 << 16 outside of the kernel's tables reach a seccomp filter like any
 * other, and ENOSYS is the kernel's answer.
 */
#define SIMRUN_NR 0x7353
#define SIMRUN_WIRE 1
#define SIMRUN_WIRE_ANTITHESIS 2 /* messages of Antithesis' SDKs, passed on by our libvoidstar.so */
#define SIMRUN_MARK "__simrun_syscall"
#define SIMRUN_MESSAGE_MAX (1 << 20)

/* The section of a program in which C and C++ sources catalogue their properties: see simrun.h. */
#define SIMRUN_SECTION "simrun_catalog"

#endif
