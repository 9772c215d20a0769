/*
 * Numbers of the Linux socket ABI that the simulated network needs, so that nothing here includes <sys/socket.h> and its
 * like. Sources: include/linux/socket.h, include/uapi/asm-generic/socket.h, include/uapi/linux/tcp.h of Linux 6.18.
 */
#ifndef NETSIM_ABI_H
#define NETSIM_ABI_H

enum { K_AF_UNSPEC = 0, K_AF_UNIX = 1, K_AF_INET = 2, K_AF_INET6 = 10, K_AF_NETLINK = 16, K_AF_PACKET = 17, K_AF_MAX = 46 };

enum {
	K_SOCK_STREAM = 1,
	K_SOCK_DGRAM = 2,
	K_SOCK_RAW = 3,
	K_SOCK_RDM = 4,
	K_SOCK_SEQPACKET = 5,
	K_SOCK_PACKET = 10,
	K_SOCK_MAX = 11,
	K_SOCK_TYPE_MASK = 0xf,
	K_SOCK_NONBLOCK = 04000,
	K_SOCK_CLOEXEC = 02000000,
};

enum { K_IPPROTO_IP = 0, K_IPPROTO_ICMP = 1, K_IPPROTO_TCP = 6, K_IPPROTO_UDP = 17, K_IPPROTO_IPV6 = 41, K_IPPROTO_UDPLITE = 136 };
enum { K_SOL_SOCKET = 1, K_SOL_NETLINK = 270 };
enum { K_SHUT_RD = 0, K_SHUT_WR = 1, K_SHUT_RDWR = 2 };

enum {
	K_MSG_OOB = 0x1,
	K_MSG_PEEK = 0x2,
	K_MSG_DONTROUTE = 0x4,
	K_MSG_CTRUNC = 0x8,
	K_MSG_TRUNC = 0x20,
	K_MSG_DONTWAIT = 0x40,
	K_MSG_EOR = 0x80,
	K_MSG_WAITALL = 0x100,
	K_MSG_CONFIRM = 0x800,
	K_MSG_ERRQUEUE = 0x2000,
	K_MSG_NOSIGNAL = 0x4000,
	K_MSG_MORE = 0x8000,
	K_MSG_WAITFORONE = 0x10000,
	K_MSG_ZEROCOPY = 0x4000000,
	K_MSG_FASTOPEN = 0x20000000,
	K_MSG_CMSG_CLOEXEC = 0x40000000,
};

enum { K_SOMAXCONN = 4096 }; /* net.core.somaxconn */
enum { K_SCM_MAX_FD = 253 };

#endif
