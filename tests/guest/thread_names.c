/* Thread names: pthread_setname_np, prctl, /proc/self/task/TID/comm agree. */
#include "guest.h"

#include <sys/prctl.h>

static void comm_of(pid_t tid, char *buf)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/self/task/%d/comm", tid);
	FILE *f = fopen(path, "r");
	CHECK(f);
	CHECK(fgets(buf, 32, f));
	buf[strcspn(buf, "\n")] = 0;
	fclose(f);
}

static void *body(void *arg)
{
	char name[32];

	OK(prctl(PR_GET_NAME, name));
	CHECK(strcmp(name, "thread_names") == 0); /* inherited */
	OK(prctl(PR_SET_NAME, "a-name-longer-than-fifteen"));
	PT(pthread_getname_np(pthread_self(), name, sizeof name));
	CHECK(strcmp(name, "a-name-longer-t") == 0);
	comm_of(gettid(), name);
	CHECK(strcmp(name, "a-name-longer-t") == 0);
	return NULL;
}

int main(void)
{
	char name[32];

	join(thread(body, NULL));
	comm_of(getpid(), name);
	CHECK(strcmp(name, "thread_names") == 0);
	PT(pthread_setname_np(pthread_self(), "renamed"));
	comm_of(getpid(), name);
	CHECK(strcmp(name, "renamed") == 0);
	PT_ERR(pthread_setname_np(pthread_self(), "much too long a name"), ERANGE);
	return guest_ok();
}
