/* prctl: names, dumpable, no_new_privs, timer slack, subreaper, unknown commands. */
#include "guest.h"

#include <sys/prctl.h>

int main(void)
{
	char name[32];
	int v;

	OK(prctl(PR_SET_NAME, "a name"));
	OK(prctl(PR_GET_NAME, name));
	CHECK(strcmp(name, "a name") == 0);
	CHECK_EQ(prctl(PR_GET_DUMPABLE), 1);
	OK(prctl(PR_SET_DUMPABLE, 0));
	CHECK_EQ(prctl(PR_GET_DUMPABLE), 0);
	OK(prctl(PR_SET_DUMPABLE, 1));
	CHECK_ERR(prctl(PR_SET_DUMPABLE, 7), EINVAL);
	OK(prctl(PR_GET_CHILD_SUBREAPER, &v));
	CHECK_EQ(v, 0);
	OK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHECK_EQ(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), 1);
	CHECK_ERR(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0), EINVAL);
	OK(prctl(PR_SET_TIMERSLACK, 1000));
	CHECK_EQ(prctl(PR_GET_TIMERSLACK), 1000);
	CHECK(prctl(PR_CAPBSET_READ, 0) >= 0);
	CHECK_ERR(prctl(PR_SET_PDEATHSIG, 99), EINVAL);
	CHECK_ERR(prctl(987654), EINVAL);
	return guest_ok();
}
