/* Closing a descriptor on which another thread is blocked: its call goes on with the file that it has. */
#include "guest.h"

static int p[2];

static void *reads(void *arg)
{
	char c;

	CHECK_EQ(read(p[0], &c, 1), 1);
	return NULL;
}

int main(void)
{
	OK(pipe(p));
	int keep = OK(dup(p[0]));
	pthread_t t = thread(reads, NULL);
	nap_ms(30);
	OK(close(p[0]));
	/* The number is reused meanwhile; the blocked reader does not notice. */
	CHECK_EQ(open("/dev/null", O_RDONLY), p[0]);
	nap_ms(30);
	tell(p[1]);
	join(t);
	OK(close(keep));
	return guest_ok();
}
