/* /proc and /sys outside of processes: a fixed machine, the run's clock, and the settings that programs look up. */
#include "tracer/procfs_rows.h"

#include "base/mem.h"
#include "base/rng.h"
#include "kernel/node.h"
#include "tracer/machine.h"
#include "tracer/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* --- the machine --- */

/* What every x86-64 processor of the last decade has; programs ask CPUID for the truth. */
static const char cpu_flags[] =
	"fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ht syscall nx rdtscp lm "
	"constant_tsc rep_good nopl xtopology cpuid pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes xsave avx f16c "
	"hypervisor lahf_lm abm bmi1 avx2 bmi2";

static void show_cpuinfo(struct procctx *x, struct buf *out)
{
	unsigned cpus = sim_cpus(x->sim);

	for (unsigned i = 0; i < cpus; i++) {
		buf_addf(out, "processor\t: %u\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n", i);
		buf_adds(out, "model name\t: Simulated CPU @ 2.00GHz\nstepping\t: 7\nmicrocode\t: 0x1\ncpu MHz\t\t: 2000.000\n");
		buf_addf(out, "cache size\t: 4096 KB\nphysical id\t: 0\nsiblings\t: %u\ncore id\t\t: %u\ncpu cores\t: %u\n", cpus, i, cpus);
		buf_addf(out, "apicid\t\t: %u\ninitial apicid\t: %u\nfpu\t\t: yes\nfpu_exception\t: yes\n", i, i);
		buf_addf(out, "cpuid level\t: 13\nwp\t\t: yes\nflags\t\t: %s\nbugs\t\t:\nbogomips\t: 4000.00\n", cpu_flags);
		buf_adds(out, "clflush size\t: 64\ncache_alignment\t: 64\naddress sizes\t: 46 bits physical, 48 bits virtual\n");
		buf_adds(out, "power management:\n\n");
	}
}

static void show_meminfo(struct procctx *x, struct buf *out)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} row[] = {{"MemTotal", MACHINE_MEM_TOTAL}, {"MemFree", MACHINE_MEM_FREE}, {"MemAvailable", MACHINE_MEM_FREE},
		   {"Buffers", MACHINE_MEM_BUFFERS}, {"Cached", MACHINE_MEM_TOTAL / 8}, {"SwapCached", 0},
		   {"Active", MACHINE_MEM_TOTAL / 8}, {"Inactive", MACHINE_MEM_TOTAL / 16}, {"Active(anon)", MACHINE_MEM_TOTAL / 16},
		   {"Inactive(anon)", 0}, {"Active(file)", MACHINE_MEM_TOTAL / 16}, {"Inactive(file)", MACHINE_MEM_TOTAL / 16},
		   {"Unevictable", 0}, {"Mlocked", 0}, {"SwapTotal", 0}, {"SwapFree", 0}, {"Dirty", 0}, {"Writeback", 0},
		   {"AnonPages", MACHINE_MEM_TOTAL / 16}, {"Mapped", MACHINE_MEM_TOTAL / 32}, {"Shmem", 0},
		   {"KReclaimable", 32 << 20}, {"Slab", 64 << 20}, {"SReclaimable", 32 << 20}, {"SUnreclaim", 32 << 20},
		   {"KernelStack", 4 << 20}, {"PageTables", 8 << 20}, {"NFS_Unstable", 0}, {"Bounce", 0}, {"WritebackTmp", 0},
		   {"CommitLimit", MACHINE_MEM_TOTAL / 2}, {"Committed_AS", MACHINE_MEM_TOTAL / 8},
		   {"VmallocTotal", (1ull << 45) - 1024}, {"VmallocUsed", 16 << 20}, {"VmallocChunk", 0}, {"Percpu", 1 << 20},
		   {"AnonHugePages", 0}, {"ShmemHugePages", 0}, {"ShmemPmdMapped", 0}};

	(void)x;
	for (size_t i = 0; i < ARRAY_LEN(row); i++)
		buf_addf(out, "%s:%*" PRIu64 " kB\n", row[i].name, 24 - (int)strlen(row[i].name), row[i].bytes / 1024);
	buf_adds(out, "HugePages_Total:       0\nHugePages_Free:        0\nHugePages_Rsvd:        0\nHugePages_Surp:        0\n"
		      "Hugepagesize:       2048 kB\nHugetlb:               0 kB\nDirectMap4k:      131072 kB\n"
		      "DirectMap2M:     4063232 kB\n");
}

static int64_t now_ns(const struct procctx *x)
{
	return x->sim->kern.clock.now_ns;
}

static void show_uptime(struct procctx *x, struct buf *out)
{
	int64_t cs = now_ns(x) / (NS_PER_S / 100);

	for (unsigned i = 0; i < 2; i++, cs *= sim_cpus(x->sim))
		buf_addf(out, "%" PRId64 ".%02" PRId64 "%c", cs / 100, cs % 100, i ? '\n' : ' ');
}

static void show_loadavg(struct procctx *x, struct buf *out)
{
	unsigned threads = 0, runnable = 0;
	int last = 0;

	list_each(p, &x->sim->kern.proc_list, struct proc, in_kern) {
		list_each(t, &p->threads, struct thread, in_proc) {
			threads++;
			runnable += t->state == THREAD_READY || t->state == THREAD_RUNNING;
		}
		last = MAX(last, p->pid);
	}
	buf_addf(out, "0.00 0.00 0.00 %u/%u %d\n", runnable, threads, last);
}

static void show_stat(struct procctx *x, struct buf *out)
{
	int64_t idle = now_ns(x) / MACHINE_TICK_NS, boot = x->sim->kern.wall_offset_ns / NS_PER_S;
	unsigned cpus = sim_cpus(x->sim), procs = 0;

	list_each(p, &x->sim->kern.proc_list, struct proc, in_kern)
		procs = MAX(procs, (unsigned)p->pid);
	buf_addf(out, "cpu  0 0 0 %" PRId64 " 0 0 0 0 0 0\n", idle * cpus);
	for (unsigned i = 0; i < cpus; i++)
		buf_addf(out, "cpu%u 0 0 0 %" PRId64 " 0 0 0 0 0 0\n", i, idle);
	buf_addf(out, "intr 0\nctxt 0\nbtime %" PRId64 "\nprocesses %u\nprocs_running 1\nprocs_blocked 0\n", boot, procs);
	buf_adds(out, "softirq 0 0 0 0 0 0 0 0 0 0 0\n");
}

/* --- names and randomness --- */

static struct node *reader_node(struct procctx *x)
{
	struct thread *t = x->sim->kern.current;

	return sim_node_of(x->sim, t ? t->proc : NULL);
}

static void show_hostname(struct procctx *x, struct buf *out)
{
	buf_addf(out, "%s\n", reader_node(x)->name);
}

static void put_uuid(struct buf *out, struct rng *r)
{
	uint8_t b[16];

	rng_bytes(r, b, sizeof b);
	b[6] = (uint8_t)((b[6] & 0x0f) | 0x40); /* version 4: RFC 4122 */
	b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
	for (size_t i = 0; i < sizeof b; i++)
		buf_addf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
	buf_addc(out, '\n');
}

static void show_uuid(struct procctx *x, struct buf *out)
{
	put_uuid(out, &reader_node(x)->rng);
}

/* The same for every reader of a node, until the node's machine boots again. */
static void show_boot_id(struct procctx *x, struct buf *out)
{
	struct rng r;
	char stream[128];

	snprintf(stream, sizeof stream, "boot_id:%s", reader_node(x)->name);
	rng_init(&r, x->sim->cfg->seed, stream);
	put_uuid(out, &r);
}

/* --- CPUs in /sys --- */

static void show_cpu_range(struct procctx *x, struct buf *out)
{
	unsigned cpus = sim_cpus(x->sim);

	buf_addf(out, cpus > 1 ? "0-%u\n" : "0\n", cpus - 1);
}

static void show_cpu_mask(struct procctx *x, struct buf *out)
{
	unsigned cpus = sim_cpus(x->sim);

	buf_addf(out, "%x\n", cpus >= 32 ? ~0u : (1u << cpus) - 1);
}

static void show_cpu_self(struct procctx *x, struct buf *out)
{
	buf_addf(out, "%d\n", x->node->num[0]);
}

static void show_cpu_self_mask(struct procctx *x, struct buf *out)
{
	buf_addf(out, "%x\n", 1u << (x->node->num[0] & 31));
}

static const char net_dev[] =
	"Inter-|   Receive                                                |  Transmit\n"
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n"
	"    lo:       0       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0\n";

#define NET(name, text) PROC_TEXT("/proc/#/net/" name, text)
#define KERNEL(name, text) PROC_KNOB("/proc/sys/kernel/" name, text)
#define VM(name, text) PROC_KNOB("/proc/sys/vm/" name, text)
#define CORE(name, text) PROC_KNOB("/proc/sys/net/core/" name, text)
#define IPV4(name, text) PROC_KNOB("/proc/sys/net/ipv4/" name, text)
#define FS(name, text) PROC_KNOB("/proc/sys/fs/" name, text)
#define CPU "/sys/devices/system/cpu/"
#define TOPOLOGY CPU "cpu#/topology/"

const struct procrow procfs_sys_rows[] = {
	PROC_FILE("/proc/cpuinfo", show_cpuinfo),
	PROC_FILE("/proc/meminfo", show_meminfo),
	PROC_FILE("/proc/loadavg", show_loadavg),
	PROC_FILE("/proc/uptime", show_uptime),
	PROC_FILE("/proc/stat", show_stat),
	PROC_TEXT("/proc/version", "Linux version " MACHINE_RELEASE " (simrun@simrun) (gcc) " MACHINE_VERSION "\n"),
	PROC_TEXT("/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/root ro quiet\n"),
	PROC_TEXT("/proc/filesystems", "nodev\tsysfs\nnodev\ttmpfs\nnodev\tproc\nnodev\toverlay\n\text4\n"),
	PROC_TEXT("/proc/cgroups", "#subsys_name\thierarchy\tnum_cgroups\tenabled\n"),
	PROC_TEXT("/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"),
	PROC_TEXT("/proc/partitions", "major minor  #blocks  name\n\n"),
	PROC_TEXT("/proc/diskstats", ""),
	PROC_TEXT("/proc/modules", ""),
	PROC_TEXT("/proc/vmstat", "nr_free_pages 786432\npgpgin 0\npgpgout 0\npswpin 0\npswpout 0\npgfault 0\npgmajfault 0\n"),
	PROC_TEXT("/proc/devices", "Character devices:\n  1 mem\n  5 /dev/tty\n\nBlock devices:\n"),
	PROC_TEXT("/proc/interrupts", ""),
	PROC_FILE("/proc/sysvipc/shm", procfs_show_sysv_shm),
	PROC_FILE("/proc/sysvipc/sem", procfs_show_sysv_sem),
	PROC_FILE("/proc/sysvipc/msg", procfs_show_sysv_msg),
	NET("dev", net_dev),
	NET("tcp", "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"),
	NET("tcp6", "  sl  local_address                         remote_address                        st tx_queue rx_queue tr"
		    " tm->when retrnsmt   uid  timeout inode\n"),
	NET("udp", "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer"
		   " drops\n"),
	NET("udp6", "  sl  local_address                         remote_address                        st tx_queue rx_queue tr"
		    " tm->when retrnsmt   uid  timeout inode ref pointer drops\n"),
	NET("raw", "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer"
		   " drops\n"),
	NET("unix", "Num       RefCount Protocol Flags    Type St Inode Path\n"),
	NET("route", "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"),
	NET("ipv6_route", ""),
	NET("if_inet6", "00000000000000000000000000000001 01 80 10 80       lo\n"),
	NET("arp", "IP address       HW type     Flags       HW address            Mask     Device\n"),
	NET("netlink", "sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    Drops    Inode\n"),
	NET("packet", "sk       RefCnt Type Proto  Iface R Rmem   User   Inode\n"),
	NET("sockstat", "sockets: used 0\nTCP: inuse 0 orphan 0 tw 0 alloc 0 mem 0\nUDP: inuse 0 mem 0\nRAW: inuse 0\n"),
	NET("sockstat6", "TCP6: inuse 0\nUDP6: inuse 0\nRAW6: inuse 0\n"),
	NET("igmp", "Idx\tDevice    : Count Querier\tGroup    Users Timer\tReporter\n"),
	NET("wireless", ""),

	PROC_FILE("/proc/sys/kernel/hostname", show_hostname),
	PROC_FILE("/proc/sys/kernel/random/uuid", show_uuid),
	PROC_FILE("/proc/sys/kernel/random/boot_id", show_boot_id),
	PROC_TEXT("/proc/sys/kernel/random/entropy_avail", "256\n"),
	PROC_TEXT("/proc/sys/kernel/random/poolsize", "256\n"),
	KERNEL("random/urandom_min_reseed_secs", "60\n"),
	KERNEL("random/write_wakeup_threshold", "256\n"),
	KERNEL("domainname", "(none)\n"),
	PROC_TEXT("/proc/sys/kernel/ostype", "Linux\n"),
	PROC_TEXT("/proc/sys/kernel/osrelease", MACHINE_RELEASE "\n"),
	PROC_TEXT("/proc/sys/kernel/version", MACHINE_VERSION "\n"),
	PROC_TEXT("/proc/sys/kernel/arch", "x86_64\n"),
	KERNEL("pid_max", "4194304\n"),
	KERNEL("threads-max", "31457\n"),
	PROC_TEXT("/proc/sys/kernel/cap_last_cap", "40\n"),
	PROC_TEXT("/proc/sys/kernel/ngroups_max", "65536\n"),
	KERNEL("randomize_va_space", "2\n"),
	KERNEL("core_pattern", "core\n"),
	KERNEL("core_uses_pid", "0\n"),
	KERNEL("overflowuid", "65534\n"),
	KERNEL("overflowgid", "65534\n"),
	KERNEL("shmmax", "18446744073692774399\n"),
	KERNEL("shmall", "18446744073692774399\n"),
	KERNEL("shmmni", "4096\n"),
	KERNEL("sem", "32000\t1024000000\t500\t32000\n"),
	KERNEL("msgmax", "8192\n"),
	KERNEL("msgmnb", "16384\n"),
	KERNEL("msgmni", "32000\n"),
	KERNEL("perf_event_paranoid", "4\n"),
	KERNEL("kptr_restrict", "1\n"),
	KERNEL("dmesg_restrict", "1\n"),
	KERNEL("yama/ptrace_scope", "1\n"),
	KERNEL("unprivileged_userns_clone", "0\n"),
	KERNEL("numa_balancing", "0\n"),
	KERNEL("sched_rt_period_us", "1000000\n"),
	KERNEL("sched_rt_runtime_us", "950000\n"),
	KERNEL("sched_autogroup_enabled", "0\n"),
	KERNEL("tainted", "0\n"),
	KERNEL("panic", "0\n"),
	KERNEL("pty/max", "4096\n"),
	KERNEL("pty/nr", "0\n"),
	PROC_TEXT("/proc/sys/crypto/fips_enabled", "0\n"),

	/* 1: what servers that fork to save ask for. */
	VM("overcommit_memory", "1\n"),
	VM("overcommit_ratio", "50\n"),
	VM("overcommit_kbytes", "0\n"),
	VM("max_map_count", "1048576\n"),
	VM("swappiness", "60\n"),
	VM("min_free_kbytes", "67584\n"),
	VM("mmap_min_addr", "65536\n"),
	VM("dirty_ratio", "20\n"),
	VM("dirty_background_ratio", "10\n"),
	VM("dirty_bytes", "0\n"),
	VM("dirty_background_bytes", "0\n"),
	VM("dirty_expire_centisecs", "3000\n"),
	VM("dirty_writeback_centisecs", "500\n"),
	VM("nr_hugepages", "0\n"),
	VM("nr_overcommit_hugepages", "0\n"),
	VM("hugetlb_shm_group", "0\n"),
	VM("zone_reclaim_mode", "0\n"),
	VM("vfs_cache_pressure", "100\n"),
	VM("panic_on_oom", "0\n"),
	VM("oom_kill_allocating_task", "0\n"),

	CORE("somaxconn", "4096\n"),
	CORE("rmem_default", "212992\n"),
	CORE("rmem_max", "212992\n"),
	CORE("wmem_default", "212992\n"),
	CORE("wmem_max", "212992\n"),
	CORE("optmem_max", "131072\n"),
	CORE("netdev_max_backlog", "1000\n"),
	CORE("default_qdisc", "fq_codel\n"),
	CORE("bpf_jit_enable", "1\n"),
	CORE("busy_poll", "0\n"),
	CORE("busy_read", "0\n"),
	IPV4("ip_local_port_range", "32768\t60999\n"),
	IPV4("ip_local_reserved_ports", "\n"),
	IPV4("ip_unprivileged_port_start", "1024\n"),
	IPV4("ip_forward", "0\n"),
	IPV4("ip_nonlocal_bind", "0\n"),
	IPV4("ip_default_ttl", "64\n"),
	IPV4("ping_group_range", "1\t0\n"),
	IPV4("icmp_echo_ignore_all", "0\n"),
	IPV4("tcp_rmem", "4096\t131072\t6291456\n"),
	IPV4("tcp_wmem", "4096\t16384\t4194304\n"),
	IPV4("tcp_mem", "46512\t62018\t93024\n"),
	IPV4("tcp_max_syn_backlog", "256\n"),
	IPV4("tcp_syncookies", "1\n"),
	IPV4("tcp_fin_timeout", "60\n"),
	IPV4("tcp_keepalive_time", "7200\n"),
	IPV4("tcp_keepalive_intvl", "75\n"),
	IPV4("tcp_keepalive_probes", "9\n"),
	IPV4("tcp_retries1", "3\n"),
	IPV4("tcp_retries2", "15\n"),
	IPV4("tcp_syn_retries", "6\n"),
	IPV4("tcp_synack_retries", "5\n"),
	IPV4("tcp_orphan_retries", "0\n"),
	IPV4("tcp_max_orphans", "16384\n"),
	IPV4("tcp_max_tw_buckets", "16384\n"),
	IPV4("tcp_tw_reuse", "2\n"),
	IPV4("tcp_timestamps", "1\n"),
	IPV4("tcp_sack", "1\n"),
	IPV4("tcp_window_scaling", "1\n"),
	IPV4("tcp_moderate_rcvbuf", "1\n"),
	IPV4("tcp_ecn", "2\n"),
	IPV4("tcp_fastopen", "1\n"),
	IPV4("tcp_abort_on_overflow", "0\n"),
	IPV4("tcp_no_metrics_save", "0\n"),
	IPV4("tcp_slow_start_after_idle", "1\n"),
	IPV4("tcp_mtu_probing", "0\n"),
	IPV4("tcp_notsent_lowat", "4294967295\n"),
	IPV4("tcp_congestion_control", "cubic\n"),
	IPV4("tcp_available_congestion_control", "reno cubic\n"),
	IPV4("tcp_allowed_congestion_control", "reno cubic\n"),
	IPV4("udp_mem", "93027\t124037\t186054\n"),
	IPV4("udp_rmem_min", "4096\n"),
	IPV4("udp_wmem_min", "4096\n"),
	IPV4("conf/all/forwarding", "0\n"),
	IPV4("conf/all/rp_filter", "0\n"),
	IPV4("conf/lo/forwarding", "0\n"),
	PROC_KNOB("/proc/sys/net/ipv6/bindv6only", "0\n"),
	PROC_KNOB("/proc/sys/net/ipv6/conf/all/disable_ipv6", "0\n"),
	PROC_KNOB("/proc/sys/net/ipv6/conf/default/disable_ipv6", "0\n"),
	PROC_KNOB("/proc/sys/net/ipv6/conf/lo/disable_ipv6", "0\n"),
	PROC_KNOB("/proc/sys/net/unix/max_dgram_qlen", "512\n"),

	FS("file-max", "9223372036854775807\n"),
	PROC_TEXT("/proc/sys/fs/file-nr", "1024\t0\t9223372036854775807\n"),
	PROC_TEXT("/proc/sys/fs/inode-nr", "65536\t1024\n"),
	FS("nr_open", "1048576\n"),
	FS("pipe-max-size", "1048576\n"),
	FS("pipe-user-pages-soft", "16384\n"),
	FS("pipe-user-pages-hard", "0\n"),
	FS("aio-max-nr", "65536\n"),
	PROC_TEXT("/proc/sys/fs/aio-nr", "0\n"),
	FS("inotify/max_user_watches", "30053\n"),
	FS("inotify/max_user_instances", "128\n"),
	FS("inotify/max_queued_events", "16384\n"),
	FS("epoll/max_user_watches", "831354\n"),
	FS("mqueue/msg_max", "10\n"),
	FS("mqueue/msgsize_max", "8192\n"),
	FS("mqueue/queues_max", "256\n"),
	FS("mount-max", "100000\n"),
	FS("overflowuid", "65534\n"),
	FS("overflowgid", "65534\n"),
	FS("protected_hardlinks", "1\n"),
	FS("protected_symlinks", "1\n"),
	FS("protected_fifos", "1\n"),
	FS("protected_regular", "2\n"),
	FS("suid_dumpable", "0\n"),
	FS("lease-break-time", "45\n"),

	PROC_FILE(CPU "online", show_cpu_range),
	PROC_FILE(CPU "possible", show_cpu_range),
	PROC_FILE(CPU "present", show_cpu_range),
	PROC_TEXT(CPU "offline", "\n"),
	PROC_TEXT(CPU "isolated", "\n"),
	PROC_TEXT(CPU "kernel_max", "8191\n"),
	PROC_TEXT(CPU "smt/active", "0\n"),
	PROC_TEXT(CPU "smt/control", "notsupported\n"),
	PROC_TEXT(CPU "cpu#/online", "1\n"),
	PROC_FILE(TOPOLOGY "core_id", show_cpu_self),
	PROC_TEXT(TOPOLOGY "physical_package_id", "0\n"),
	PROC_TEXT(TOPOLOGY "die_id", "0\n"),
	PROC_FILE(TOPOLOGY "thread_siblings", show_cpu_self_mask),
	PROC_FILE(TOPOLOGY "thread_siblings_list", show_cpu_self),
	PROC_FILE(TOPOLOGY "core_cpus", show_cpu_self_mask),
	PROC_FILE(TOPOLOGY "core_cpus_list", show_cpu_self),
	PROC_FILE(TOPOLOGY "core_siblings", show_cpu_mask),
	PROC_FILE(TOPOLOGY "core_siblings_list", show_cpu_range),
	PROC_FILE(TOPOLOGY "package_cpus", show_cpu_mask),
	PROC_FILE(TOPOLOGY "package_cpus_list", show_cpu_range),
	PROC_TEXT("/sys/devices/system/node/online", "0\n"),
	PROC_TEXT("/sys/devices/system/node/possible", "0\n"),
	PROC_TEXT("/sys/devices/system/node/has_cpu", "0\n"),
	PROC_TEXT("/sys/devices/system/node/has_memory", "0\n"),
	PROC_FILE("/sys/devices/system/node/node0/cpulist", show_cpu_range),
	PROC_FILE("/sys/devices/system/node/node0/cpumap", show_cpu_mask),
	PROC_TEXT("/sys/devices/system/node/node0/distance", "10\n"),
	PROC_TEXT("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
	PROC_TEXT("/sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc\n"),
	PROC_TEXT("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n"),
	PROC_TEXT("/sys/kernel/mm/transparent_hugepage/defrag", "always defer defer+madvise [madvise] never\n"),
	PROC_TEXT("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "always within_size advise [never] deny force\n"),
	PROC_TEXT("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "2097152\n"),
	PROC_TEXT("/sys/kernel/mm/transparent_hugepage/use_zero_page", "1\n"),
	PROC_DIR("/sys/block"),
	PROC_DIR("/sys/class"),
	PROC_DIR("/sys/fs"),
};
const size_t procfs_sys_nrows = ARRAY_LEN(procfs_sys_rows);
