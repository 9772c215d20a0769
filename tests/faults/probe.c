/* What tests/faults.sh runs as nodes: small programs that say what they saw. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void nap_us(long us)
{
	struct timespec t = {us / 1000000, us % 1000000 * 1000};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t) == EINTR)
		;
}

static struct timespec wall_in_ms(int64_t ms)
{
	int64_t at = now_ns(CLOCK_REALTIME) + ms * 1000000;

	return (struct timespec){at / 1000000000, at % 1000000000};
}

/* gap COUNT US: sleeps COUNT times; the longest pause between two looks at each clock. */
static int gap(int count, int us)
{
	int64_t mono = now_ns(CLOCK_MONOTONIC), wall = now_ns(CLOCK_REALTIME), tai = now_ns(CLOCK_TAI), gap_ns = 0, jump = 0, leap = 0;

	for (int i = 0; i < count; i++) {
		int64_t m, w, t, moved;
		nap_us(us);
		m = now_ns(CLOCK_MONOTONIC);
		w = now_ns(CLOCK_REALTIME);
		t = now_ns(CLOCK_TAI);
		if (m - mono > gap_ns)
			gap_ns = m - mono;
		moved = (w - wall) - (m - mono);
		if (llabs(moved) > llabs(jump))
			jump = moved;
		if (llabs((t - tai) - (m - mono)) > llabs(leap))
			leap = (t - tai) - (m - mono);
		mono = m;
		wall = w;
		tai = t;
	}
	printf("gap %lld ms, wall jumped %lld ms, TAI %lld ms\n", (long long)(gap_ns / 1000000), (long long)(jump / 1000000),
	       (long long)(leap / 1000000));
	return 0;
}

/* drift MS: how far the wall clock came in so many ms of the steady one. */
static int drift(int ms)
{
	int64_t wall = now_ns(CLOCK_REALTIME);

	nap_us(ms * 1000l);
	printf("wall %lld ms\n", (long long)((now_ns(CLOCK_REALTIME) - wall + 500000) / 1000000));
	return 0;
}

/* calls N: so many calls; how long they took. */
static int calls(int n)
{
	int64_t began = now_ns(CLOCK_MONOTONIC);

	for (int i = 0; i < n; i++)
		getppid();
	printf("took %lld ms\n", (long long)((now_ns(CLOCK_MONOTONIC) - began) / 1000000));
	return 0;
}

/* wait HOW MS: until a time of the wall clock; how long that was by the steady one. */
static int wait_wall(const char *how, int ms)
{
	struct timespec at = wall_in_ms(ms);
	int64_t began = now_ns(CLOCK_MONOTONIC);

	if (!strcmp(how, "sleep")) {
		clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL);
	} else if (!strcmp(how, "cond")) {
		pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
		pthread_cond_t c = PTHREAD_COND_INITIALIZER;
		pthread_mutex_lock(&m);
		while (pthread_cond_timedwait(&c, &m, &at) != ETIMEDOUT)
			;
	} else if (!strcmp(how, "timerfd") || !strcmp(how, "cancel")) {
		int fd = timerfd_create(CLOCK_REALTIME, 0);
		struct itimerspec it = {.it_value = at};
		uint64_t ticks;
		timerfd_settime(fd, TFD_TIMER_ABSTIME | (how[0] == 'c' ? TFD_TIMER_CANCEL_ON_SET : 0), &it, NULL);
		if (read(fd, &ticks, sizeof ticks) < 0)
			printf("%s\n", strerrorname_np(errno));
	} else if (!strcmp(how, "timer")) {
		struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
		struct itimerspec it = {.it_value = at};
		sigset_t set;
		timer_t t;
		int sig;
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		sigprocmask(SIG_BLOCK, &set, NULL);
		timer_create(CLOCK_REALTIME, &ev, &t);
		timer_settime(t, TIMER_ABSTIME, &it, NULL);
		sigwait(&set, &sig);
	}
	printf("%s waited %lld ms\n", how, (long long)((now_ns(CLOCK_MONOTONIC) - began + 500000) / 1000000));
	return 0;
}

static struct sockaddr_in local(int port)
{
	return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int bound(int type, int port)
{
	struct sockaddr_in a = local(port);
	int s = socket(AF_INET, type, 0), on = 1;

	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(s, (struct sockaddr *)&a, sizeof a) || (type == SOCK_STREAM && listen(s, 16)))
		exit(3);
	return s;
}

/* udp-server PORT MS: what came of numbered datagrams. */
static int udp_server(int port, int ms)
{
	int s = bound(SOCK_DGRAM, port), got = 0, twice = 0, late = 0, bad = 0;
	static unsigned char seen[10000];
	int64_t until = now_ns(CLOCK_MONOTONIC) + ms * 1000000ll;
	uint32_t m[2], highest = 0;

	for (;;) {
		struct pollfd p = {.fd = s, .events = POLLIN};
		int left = (int)((until - now_ns(CLOCK_MONOTONIC)) / 1000000);
		if (left <= 0 || poll(&p, 1, left) <= 0)
			break;
		if (recv(s, m, sizeof m, 0) != sizeof m)
			continue;
		if (m[1] != ~m[0] || m[0] >= sizeof seen) {
			bad++;
			continue;
		}
		got++;
		twice += seen[m[0]];
		late += m[0] < highest && !seen[m[0]];
		seen[m[0]] = 1;
		if (m[0] > highest)
			highest = m[0];
	}
	printf("got %d, twice %d, late %d, bad %d\n", got, twice, late, bad);
	return 0;
}

static int udp_client(int port, int n)
{
	struct sockaddr_in to = local(port);
	int s = socket(AF_INET, SOCK_DGRAM, 0);

	for (uint32_t i = 1; i <= (uint32_t)n; i++) {
		uint32_t m[2] = {i, ~i};
		sendto(s, m, sizeof m, 0, (struct sockaddr *)&to, sizeof to);
		nap_us(1000);
	}
	return 0;
}

static void *echo(void *arg)
{
	int c = (int)(intptr_t)arg;
	char b[65536];
	ssize_t n;

	while ((n = read(c, b, sizeof b)) > 0)
		for (ssize_t at = 0, w; at < n && (w = write(c, b + at, (size_t)(n - at))) > 0; at += w)
			;
	close(c);
	return NULL;
}

/* server PORT: echoes, for ever. */
static int server(int port)
{
	int s = bound(SOCK_STREAM, port);

	signal(SIGPIPE, SIG_IGN);
	for (;;) {
		pthread_t t;
		int c = accept(s, NULL, NULL);
		if (c < 0 || pthread_create(&t, NULL, echo, (void *)(intptr_t)c))
			return 1;
		pthread_detach(t);
	}
}

/* client PORT N BYTES MS: so many messages, one every MS; the slowest answer, and every error by name. */
static int client(int port, int n, int bytes, int ms)
{
	struct sockaddr_in to = local(port);
	static char out[65536], in[65536];
	int64_t slowest = 0;
	int ok = 0, s = -1;

	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < n; i++) {
		int64_t began = now_ns(CLOCK_MONOTONIC);
		ssize_t got = 0, r = 1;
		if (s < 0) {
			s = socket(AF_INET, SOCK_STREAM, 0);
			if (connect(s, (struct sockaddr *)&to, sizeof to)) {
				printf("connect %s\n", strerrorname_np(errno));
				close(s);
				s = -1;
				nap_us(ms * 1000l);
				continue;
			}
		}
		memset(out, i, (size_t)bytes);
		if (write(s, out, (size_t)bytes) == bytes)
			while (got < bytes && (r = read(s, in + got, (size_t)(bytes - got))) > 0)
				got += r;
		if (got == bytes && !memcmp(in, out, (size_t)bytes)) {
			ok++;
		} else {
			printf("message %d: %zd bytes, %s\n", i, got, r == 0 ? "end" : strerrorname_np(errno));
			close(s);
			s = -1;
		}
		if (now_ns(CLOCK_MONOTONIC) - began > slowest)
			slowest = now_ns(CLOCK_MONOTONIC) - began;
		nap_us(ms * 1000l);
	}
	printf("ok %d, slowest %lld ms\n", ok, (long long)(slowest / 1000000));
	return 0;
}

/* short: a pipe with 1000 bytes in it, read by 1000. */
static int short_reads(void)
{
	char b[1000] = {0};
	int p[2], times = 0;
	ssize_t n, got = 0;

	if (pipe(p) || write(p[1], b, sizeof b) != sizeof b)
		return 1;
	while (got < 1000 && (n = read(p[0], b, sizeof b)) > 0) {
		got += n;
		times++;
	}
	printf("read %zd in %d\n", got, times);
	return 0;
}

static void nothing(int sig)
{
	(void)sig;
}

/* eintr: waits in several ways for what comes after 20 ms, with a handler set. */
static int eintr(void)
{
	struct sigaction sa = {.sa_handler = nothing};
	struct timespec t = {0, 20000000}, rem = {0};
	struct pollfd pf = {.events = POLLIN};
	int p[2];

	sigaction(SIGUSR1, &sa, NULL);
	if (pipe(p))
		return 1;
	pf.fd = p[0];
	if (poll(&pf, 1, 20) < 0)
		printf("poll %s\n", strerrorname_np(errno));
	if (nanosleep(&t, &rem))
		printf("nanosleep %s, %ld ms left\n", strerrorname_np(errno), rem.tv_nsec / 1000000);
	if (!fork()) {
		int bad;
		nap_us(20000);
		bad = write(p[1], "x", 1) != 1;
		nap_us(20000);
		_exit(bad);
	}
	for (char c; read(p[0], &c, 1) < 0;)
		printf("read %s\n", strerrorname_np(errno));
	while (wait(NULL) < 0 && errno == EINTR)
		printf("wait EINTR\n");
	return 0;
}

/* eagain: an edge-triggered reader of a pipe that does not block. */
static int eagain(void)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLET};
	int p[2], e = epoll_create1(0), not_yet = 0;
	ssize_t n;
	char c;

	if (pipe2(p, O_NONBLOCK) || epoll_ctl(e, EPOLL_CTL_ADD, p[0], &ev))
		return 1;
	for (int i = 0; i < 20; i++) {
		if (write(p[1], "x", 1) != 1)
			return 1;
		while (epoll_wait(e, &ev, 1, 1000) == 1 && (n = read(p[0], &c, 1)) < 0 && errno == EAGAIN)
			not_yet++;
		if (n != 1) {
			printf("lost\n");
			return 1;
		}
	}
	printf("EAGAIN %d times, all read\n", not_yet);
	return 0;
}

static void *thread(void *arg)
{
	return arg;
}

/* make N: processes, threads, memory, files; how many of each could be made. */
static int make(int n)
{
	int procs = 0, threads = 0, memory = 0, files = 0, e = 0;

	for (int i = 0; i < n; i++) {
		pid_t pid = fork();
		pthread_t t;
		void *m;
		int fd;
		if (!pid)
			_exit(0);
		procs += pid > 0 && waitpid(pid, NULL, 0) == pid;
		if (!pthread_create(&t, NULL, thread, NULL)) {
			threads++;
			pthread_join(t, NULL);
		}
		m = malloc(200000 + (size_t)i * 300000); /* from both brk and mmap */
		memory += m != NULL;
		if (!m)
			e = errno;
		fd = open("/dev/null", O_RDONLY);
		files += fd >= 0;
		if (fd < 0)
			e = errno;
		close(fd);
	}
	printf("made %d processes, %d threads, %d of memory, %d files%s%s\n", procs, threads, memory, files, e ? ", " : "",
	       e ? strerrorname_np(e) : "");
	return 0;
}

static int resolve(const char *name)
{
	struct addrinfo *a;
	int rc = getaddrinfo(name, "80", NULL, &a);

	printf("%s\n", rc ? gai_strerror(rc) : "found");
	return 0;
}

/* log PATH N MS: appends lines, each made durable. */
static int log_lines(const char *path, int n, int ms)
{
	for (int i = 1; i <= n; i++) {
		int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
		dprintf(fd, "line %d\n", i);
		if (fsync(fd))
			printf("fsync %s\n", strerrorname_np(errno));
		close(fd);
		nap_us(ms * 1000l);
	}
	return 0;
}

/* turns N: two threads take turns by yielding; how often the one that counts came to it before N calls of the other. */
static volatile int stop_turns;

static void *busy(void *arg)
{
	int n = (int)(intptr_t)arg;

	for (int i = 0; i < n; i++)
		getppid();
	stop_turns = 1;
	return NULL;
}

static int turns(int n)
{
	pthread_t t;
	int mine = 0;

	pthread_create(&t, NULL, busy, (void *)(intptr_t)n);
	while (!stop_turns) {
		getpid();
		mine++;
	}
	pthread_join(t, NULL);
	printf("turns %d\n", mine);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int a = argc > 2 ? atoi(argv[2]) : 0, b = argc > 3 ? atoi(argv[3]) : 0, c = argc > 4 ? atoi(argv[4]) : 0,
	    d = argc > 5 ? atoi(argv[5]) : 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(what, "gap"))
		return gap(a, b);
	if (!strcmp(what, "drift"))
		return drift(a);
	if (!strcmp(what, "calls"))
		return calls(a);
	if (!strcmp(what, "wait"))
		return wait_wall(argv[2], b);
	if (!strcmp(what, "udp-server"))
		return udp_server(a, b);
	if (!strcmp(what, "udp-client"))
		return udp_client(a, b);
	if (!strcmp(what, "server"))
		return server(a);
	if (!strcmp(what, "client"))
		return client(a, b, c, d);
	if (!strcmp(what, "short"))
		return short_reads();
	if (!strcmp(what, "eintr"))
		return eintr();
	if (!strcmp(what, "eagain"))
		return eagain();
	if (!strcmp(what, "make"))
		return make(a);
	if (!strcmp(what, "resolve"))
		return resolve(argv[2]);
	if (!strcmp(what, "log"))
		return log_lines(argv[2], b, c);
	if (!strcmp(what, "turns"))
		return turns(a);
	return 2;
}
