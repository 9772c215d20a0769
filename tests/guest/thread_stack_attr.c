/* Own stacks, guard pages, pthread_getattr_np; the main thread's stack is known from /proc/self/maps. */
#include "guest.h"

#include <sys/mman.h>

static char *lo;
static size_t len;

static int deep(int n)
{
	volatile char frame[1000];

	frame[0] = (char)n;
	return n == 0 ? frame[0] : deep(n - 1) + 1;
}

static void *on_own(void *arg)
{
	char here;

	CHECK(&here >= lo && &here < lo + len);
	CHECK_EQ(deep(50), 50);
	return NULL;
}

int main(void)
{
	pthread_attr_t a;
	pthread_t t;
	void *addr;
	size_t size;

	len = 256 * 1024;
	lo = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	CHECK(lo != MAP_FAILED);
	PT(pthread_attr_init(&a));
	PT(pthread_attr_setstack(&a, lo, len));
	PT(pthread_create(&t, &a, on_own, NULL));
	join(t);

	PT(pthread_getattr_np(pthread_self(), &a));
	PT(pthread_attr_getstack(&a, &addr, &size));
	CHECK((char *)&a >= (char *)addr && (char *)&a < (char *)addr + size);
	PT_ERR(pthread_attr_setstacksize(&a, 100), EINVAL);
	return guest_ok();
}
