/* epoll, level triggered: reported as long as ready; MOD, DEL, data, errors. */
#include "guest.h"

#include <sys/epoll.h>

static int ep;

static int wait_one(struct epoll_event *ev)
{
	return (int)OK(epoll_wait(ep, ev, 1, 0));
}

int main(void)
{
	int p[2];
	struct epoll_event ev = {.events = EPOLLIN, .data.u64 = 0x1122334455667788}, got;

	ep = OK(epoll_create1(EPOLL_CLOEXEC));
	OK(pipe(p));
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &ev));
	CHECK_EQ(wait_one(&got), 0);
	tell(p[1]);
	tell(p[1]);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ(wait_one(&got), 1);
		CHECK_EQ(got.events, EPOLLIN);
		CHECK_EQ(got.data.u64, 0x1122334455667788);
	}
	await(p[0]);
	CHECK_EQ(wait_one(&got), 1);
	await(p[0]);
	CHECK_EQ(wait_one(&got), 0);

	ev = (struct epoll_event){.events = EPOLLOUT, .data.fd = 9};
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[1], &ev));
	CHECK_EQ(wait_one(&got), 1);
	CHECK_EQ(got.events, EPOLLOUT);
	CHECK_EQ(got.data.fd, 9);
	ev.events = 0;
	OK(epoll_ctl(ep, EPOLL_CTL_MOD, p[1], &ev));
	CHECK_EQ(wait_one(&got), 0);
	close(p[0]);
	CHECK_EQ(wait_one(&got), 1); /* errors are always reported */
	CHECK_EQ(got.events, EPOLLERR);
	OK(epoll_ctl(ep, EPOLL_CTL_DEL, p[1], NULL));
	CHECK_EQ(wait_one(&got), 0);

	CHECK_ERR(epoll_ctl(ep, EPOLL_CTL_DEL, p[1], NULL), ENOENT);
	CHECK_ERR(epoll_ctl(ep, EPOLL_CTL_MOD, p[1], &ev), ENOENT);
	OK(epoll_ctl(ep, EPOLL_CTL_ADD, p[1], &ev));
	CHECK_ERR(epoll_ctl(ep, EPOLL_CTL_ADD, p[1], &ev), EEXIST);
	CHECK_ERR(epoll_ctl(ep, EPOLL_CTL_ADD, 999, &ev), EBADF);
	CHECK_ERR(epoll_ctl(ep, EPOLL_CTL_ADD, ep, &ev), EINVAL);
	CHECK_ERR(epoll_ctl(p[1], EPOLL_CTL_ADD, ep, &ev), EINVAL);
	CHECK_ERR(epoll_ctl(ep, 77, p[1], &ev), EINVAL);
	CHECK_ERR(epoll_wait(ep, &got, 0, 0), EINVAL);
	CHECK_ERR(epoll_wait(p[1], &got, 1, 0), EINVAL);
	CHECK_ERR(epoll_create(0), EINVAL);
	workdir();
	int file = file_with("f", "x");
	CHECK_ERR(epoll_ctl(ep, EPOLL_CTL_ADD, file, &ev), EPERM); /* always ready, not pollable */
	return guest_ok();
}
