/* sigaltstack: the handler runs there with SA_ONSTACK, elsewhere without; state flags; errors. */
#include "guest.h"

static char area[65536];
static volatile sig_atomic_t on_it, flags;

static void handler(int sig)
{
	char here;
	stack_t ss;

	on_it = &here >= area && &here < area + sizeof area;
	OK(sigaltstack(NULL, &ss));
	flags = ss.ss_flags;
	if (on_it) {
		stack_t off = {.ss_flags = SS_DISABLE};
		CHECK_ERR(sigaltstack(&off, NULL), EPERM);
	}
}

static void *no_stack(void *arg)
{
	stack_t ss;

	OK(sigaltstack(NULL, &ss));
	CHECK_EQ(ss.ss_flags, SS_DISABLE); /* each thread's own */
	return NULL;
}

int main(void)
{
	stack_t ss = {.ss_sp = area, .ss_size = sizeof area}, old;

	OK(sigaltstack(&ss, &old));
	CHECK_EQ(old.ss_flags, SS_DISABLE);
	on_signal(SIGUSR1, handler, SA_ONSTACK);
	raise(SIGUSR1);
	CHECK_EQ(on_it, 1);
	CHECK_EQ(flags, SS_ONSTACK);
	on_signal(SIGUSR1, handler, 0);
	raise(SIGUSR1);
	CHECK_EQ(on_it, 0);
	CHECK_EQ(flags, 0);
	join(thread(no_stack, NULL));
	ss.ss_size = 100;
	CHECK_ERR(sigaltstack(&ss, NULL), ENOMEM);
	ss.ss_flags = 0x4000;
	CHECK_ERR(sigaltstack(&ss, NULL), EINVAL);
	return guest_ok();
}
