/* pthread_once runs once; thread-specific data has destructors; pthread_atfork handlers run around fork. */
#include "guest.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int inits, destroyed;
static char order[8];

static void init(void)
{
	nap_ms(5);
	inits++;
}

static void destroy(void *v)
{
	__atomic_add_fetch(&destroyed, (int)(intptr_t)v, __ATOMIC_SEQ_CST);
}

static void *body(void *arg)
{
	PT(pthread_once(&once, init));
	CHECK_EQ(inits, 1);
	CHECK(pthread_getspecific(key) == NULL);
	PT(pthread_setspecific(key, arg));
	CHECK(pthread_getspecific(key) == arg);
	return NULL;
}

static void prepare(void)
{
	strcat(order, "a");
}

static void parent(void)
{
	strcat(order, "b");
}

static void in_child(void)
{
	strcat(order, "c");
}

int main(void)
{
	pthread_t t[6];

	PT(pthread_key_create(&key, destroy));
	for (intptr_t i = 0; i < 6; i++)
		t[i] = thread(body, (void *)(i + 1));
	for (int i = 0; i < 6; i++)
		join(t[i]);
	CHECK_EQ(destroyed, 21);

	PT(pthread_atfork(prepare, parent, in_child));
	pid_t pid = OK(fork());
	if (pid == 0)
		_exit(strcmp(order, "ac") == 0 ? 0 : 1);
	CHECK_EXIT(pid, 0);
	CHECK(strcmp(order, "ab") == 0);
	return guest_ok();
}
