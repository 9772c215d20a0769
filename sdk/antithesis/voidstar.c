/*
 * The library that every SDK of Antithesis looks for at /usr/lib/libvoidstar.so. In the view of a run it is this one:
 * what programs say goes to the simulation. Freestanding, so that it suits any libc; it exists nowhere else, so it need
 * not ask whether there is a simulation.
 */
#include "sdk/c/simrun_wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static long call(long wire, const void *msg, size_t n, void *reply, size_t room)
{
	register void *r10 __asm__("r10") = reply;
	register size_t r8 __asm__("r8") = room;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(SIMRUN_NR), "D"(wire), "S"(msg), "d"(n), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return ret;
}

void fuzz_json_data(const char *message, size_t length);
void fuzz_flush(void);
uint64_t fuzz_get_random(void);
void fuzz_set_source_name(const char *name);
int fuzz_getchar(void);
void fuzz_info_message(const char *message);
void fuzz_error_message(const char *message);
bool fuzz_coin_flip(void);
uint64_t init_coverage_module(size_t num_edges, const char *symbols);
bool notify_coverage(size_t edge);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_trace_pc_guard_internal(uint32_t *guard, uint64_t edge);

void fuzz_json_data(const char *message, size_t length)
{
	call(SIMRUN_WIRE_ANTITHESIS, message, length, 0, 0);
}

void fuzz_flush(void)
{
}

uint64_t fuzz_get_random(void)
{
	static const char msg[] = "{\"simrun\":\"random\"}";
	uint64_t v = 0;

	call(SIMRUN_WIRE, msg, sizeof msg - 1, &v, sizeof v);
	return v;
}

int fuzz_getchar(void)
{
	return (int)(fuzz_get_random() & 0xff);
}

bool fuzz_coin_flip(void)
{
	return fuzz_get_random() & 1;
}

void fuzz_set_source_name(const char *name)
{
	(void)name;
}

void fuzz_info_message(const char *message)
{
	(void)message;
}

void fuzz_error_message(const char *message)
{
	(void)message;
}

/* Coverage is not asked for: no edge needs to be told again. */
uint64_t init_coverage_module(size_t num_edges, const char *symbols)
{
	(void)num_edges, (void)symbols;
	return 0;
}

bool notify_coverage(size_t edge)
{
	(void)edge;
	return false;
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop)
{
	(void)start, (void)stop;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
	(void)guard;
}

void __sanitizer_cov_trace_pc_guard_internal(uint32_t *guard, uint64_t edge)
{
	(void)guard, (void)edge;
}
