/* Unix stream sockets by path: bind makes the file, EADDRINUSE, ECONNREFUSED, ENOENT, names, data, end. */
#include "sock.h"

static void serves(void *arg)
{
	int l = (int)(intptr_t)arg;
	char buf[64];
	ssize_t n;

	int c = OK(accept(l, NULL, NULL));
	while ((n = OK(read(c, buf, sizeof buf))) > 0)
		send_all(c, buf, (size_t)n);
}

int main(void)
{
	struct sockaddr_un a = unix_addr("s"), got;
	socklen_t len = sizeof got;
	struct stat st;
	char buf[64];

	workdir();
	int l = unix_listener("s", SOCK_STREAM);
	OK(stat("s", &st));
	CHECK(S_ISSOCK(st.st_mode));
	CHECK_ERR(open("s", O_RDONLY), ENXIO);
	int t = OK(socket(AF_UNIX, SOCK_STREAM, 0));
	CHECK_ERR(bind(t, (struct sockaddr *)&a, sizeof a), EADDRINUSE);
	pid_t pid = child(serves, (void *)(intptr_t)l);
	int s = unix_connect("s", SOCK_STREAM);
	for (int i = 0; i < 20; i++) {
		send_all(s, "hello unix", 10);
		recv_all(s, buf, 10);
		CHECK(memcmp(buf, "hello unix", 10) == 0);
	}
	OK(getpeername(s, (struct sockaddr *)&got, &len));
	CHECK_EQ(got.sun_family, AF_UNIX);
	CHECK(strcmp(got.sun_path, "s") == 0);
	CHECK_EQ(len, offsetof(struct sockaddr_un, sun_path) + 2);
	len = sizeof got;
	OK(getsockname(s, (struct sockaddr *)&got, &len));
	CHECK_EQ(len, sizeof(sa_family_t)); /* unnamed */
	OK(close(s));
	CHECK_EXIT(pid, 0);

	OK(close(l));
	CHECK_ERR(connect(t, (struct sockaddr *)&a, sizeof a), ECONNREFUSED); /* the file stays */
	OK(unlink("s"));
	CHECK_ERR(connect(t, (struct sockaddr *)&a, sizeof a), ENOENT);
	close(file_with("plain", ""));
	a = unix_addr("plain");
	CHECK_ERR(connect(t, (struct sockaddr *)&a, sizeof a), ECONNREFUSED);

	/* Moved, it is reached by the new name. */
	l = unix_listener("s", SOCK_STREAM);
	OK(rename("s", "moved"));
	OK(close(unix_connect("moved", SOCK_STREAM)));
	return guest_ok();
}
