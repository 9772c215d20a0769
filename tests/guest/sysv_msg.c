/* System V message queues: types, order, waiting both ways, removal. */
#include "guest.h"

#include <sys/msg.h>

struct message {
	long type;
	char text[64];
};

static int id;

static void sends_later(void *arg)
{
	struct message m = {.type = 9, .text = "late"};

	nap_ms(20);
	OK(msgsnd(id, &m, 5, 0));
}

static void waits_removed(void *arg)
{
	struct message m;

	CHECK_EQ(msgrcv(id, &m, sizeof m.text, 77, 0), -1);
	CHECK(errno == EIDRM || errno == EINVAL); /* EINVAL: it was gone before the call */
}

int main(void)
{
	struct message m;

	id = OK(msgget(IPC_PRIVATE, IPC_CREAT | 0600));
	CHECK_ERR(msgrcv(id, &m, sizeof m.text, 0, IPC_NOWAIT), ENOMSG);
	for (int i = 1; i <= 4; i++) {
		m.type = i % 2 + 1;
		snprintf(m.text, sizeof m.text, "message %d", i);
		OK(msgsnd(id, &m, strlen(m.text) + 1, 0));
	}
	CHECK_EQ(msgrcv(id, &m, sizeof m.text, 1, 0), 10);
	CHECK(strcmp(m.text, "message 2") == 0);
	CHECK_EQ(msgrcv(id, &m, sizeof m.text, 0, 0), 10);
	CHECK(m.type == 2 && strcmp(m.text, "message 1") == 0);
	CHECK_ERR(msgrcv(id, &m, 3, 0, 0), E2BIG);
	CHECK_EQ(msgrcv(id, &m, 3, -2, MSG_NOERROR), 3); /* the lowest type up to 2 */
	CHECK_EQ(m.type, 1);
	pid_t pid = child(sends_later, NULL);
	CHECK_EQ(msgrcv(id, &m, sizeof m.text, 9, 0), 5);
	CHECK(strcmp(m.text, "late") == 0);
	CHECK_EXIT(pid, 0);
	m.type = 0;
	CHECK_ERR(msgsnd(id, &m, 5, 0), EINVAL);
	pid = child(waits_removed, NULL);
	nap_ms(30);
	OK(msgctl(id, IPC_RMID, NULL));
	CHECK_EXIT(pid, 0);
	return guest_ok();
}
