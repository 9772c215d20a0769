/* /proc/PID/maps and what is derived from it. Addresses repeat, since the address space is laid out the same every time;
 * device and inode numbers do not and are replaced; resident sizes would depend on the host's page cache and are made up. */
#include "tracer/procfs_rows.h"

#include "base/mem.h"
#include "tracer/machine.h"
#include "tracer/sim.h"
#include "tracer/vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct mapping {
	uint64_t lo, hi, off, ino;
	unsigned major, minor;
	char perm[8];
	const char *path; /* "" when anonymous; up to the end of its line */
	int path_len;
};

bool procfs_read_host(struct procctx *x, const char *name, struct buf *out)
{
	char path[64];
	ssize_t n = -1;
	int fd;

	if (!x->proc || !proc_host(x->proc) || x->proc->zombie)
		return false;
	snprintf(path, sizeof path, "%d/%s", proc_host(x->proc)->tgid, name);
	fd = openat(x->sim->host_proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while ((n = read(fd, buf_reserve(out, 65536), 65536)) > 0)
		out->len += (size_t)n;
	close(fd);
	if (out->data)
		out->data[out->len] = 0;
	return n == 0;
}

static bool parse_line(const char *line, struct mapping *m)
{
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 "%n", &m->lo, &m->hi, m->perm, &m->off,
		   &m->major, &m->minor, &m->ino, &at) < 7)
		return false;
	m->path = line + at;
	while (*m->path == ' ')
		m->path++;
	m->path_len = (int)(strchrnul(m->path, '\n') - m->path);
	return true;
}

/* Our own pages look like what they stand for. */
static void disguise(const struct procctx *x, struct mapping *m)
{
	static const char shm[] = "/memfd:SYSV";
	uint64_t vdso = proc_host(x->proc)->vdso;

	if ((size_t)m->path_len >= sizeof shm && !strncmp(m->path, shm, sizeof shm - 1)) {
		char *name = (char *)(uintptr_t)m->path + 6; /* a segment of System V shared memory: /SYSV… */
		*name = '/';
		m->path_len -= 6;
		m->path = name;
	}
	if (!vdso || m->lo < vdso - x->sim->vvar_len || m->lo >= vdso)
		return;
	m->ino = m->off = 0;
	m->major = m->minor = 0;
	m->path = "[vvar]";
	m->path_len = 6;
}

typedef void (*mapping_fn)(struct procctx *x, const struct mapping *m, void *arg);

static void each_mapping(struct procctx *x, mapping_fn fn, void *arg)
{
	struct buf b = {0};
	struct mapping m;

	if (procfs_read_host(x, "maps", &b) && b.data) {
		for (const char *line = b.data; *line;) {
			const char *nl = strchrnul(line, '\n');
			if (parse_line(line, &m)) {
				disguise(x, &m);
				fn(x, &m, arg);
			}
			line = *nl ? nl + 1 : nl;
		}
	}
	buf_clear(&b);
}

/* The columns of show_map_vma(), fs/proc/task_mmu.c. */
static void show_line(struct procctx *x, const struct mapping *m, void *arg)
{
	struct inodes *in = &x->sim->vfs->inodes;
	struct buf *out = arg;
	size_t start = out->len;
	uint64_t ino = 0;
	dev_t dev = 0;

	if (m->ino) {
		dev = inodes_dev(in, makedev(m->major, m->minor));
		ino = inodes_number(in, makedev(m->major, m->minor), m->ino);
	}
	buf_addf(out, "%08" PRIx64 "-%08" PRIx64 " %s %08" PRIx64 " %02x:%02x %" PRIu64 " ", m->lo, m->hi, m->perm, m->off,
		 major(dev), minor(dev), ino);
	if (m->path_len) {
		while (out->len - start < 73)
			buf_addc(out, ' ');
		buf_add(out, m->path, (size_t)m->path_len);
	}
	buf_addc(out, '\n');
}

void procfs_show_maps(struct procctx *x, struct buf *out)
{
	each_mapping(x, show_line, out);
}

/* --- sizes --- */

static bool path_is(const struct mapping *m, const char *s)
{
	return (size_t)m->path_len == strlen(s) && !memcmp(m->path, s, (size_t)m->path_len);
}

static void add_sizes(struct procctx *x, const struct mapping *m, void *arg)
{
	struct vm_sizes *v = arg;
	const char *exe = proc_host(x->proc)->exe;
	uint64_t n = m->hi - m->lo;

	if (path_is(m, "[vsyscall]"))
		return;
	v->total += n;
	if (path_is(m, "[stack]"))
		v->stack += n;
	else if (m->perm[1] == 'w' && m->perm[3] == 'p')
		v->data += n;
	if (m->perm[2] == 'x' && m->ino) {
		if (exe && path_is(m, exe))
			v->text += n;
		else
			v->lib += n;
	}
	v->resident = MIN(v->total, MACHINE_RSS);
}

void procfs_vm_sizes(struct procctx *x, struct vm_sizes *v)
{
	*v = (struct vm_sizes){0};
	each_mapping(x, add_sizes, v);
}

/* The kernel's own counts, without a walk over the maps: servers read stat many times a second. */
void procfs_vm_counts(struct procctx *x, struct vm_sizes *v)
{
	unsigned long size = 0, text = 0, data = 0;
	struct buf b = {0};

	*v = (struct vm_sizes){0};
	if (procfs_read_host(x, "statm", &b) && b.data && sscanf(b.data, "%lu %*u %*u %lu %*u %lu", &size, &text, &data) == 3)
		*v = (struct vm_sizes){.total = size * 4096ull, .text = text * 4096ull, .data = data * 4096ull};
	v->resident = MIN(v->total, MACHINE_RSS);
	buf_clear(&b);
}

/* Writable private memory counts as resident and dirty, the rest as shared and clean. */
static void smaps_numbers(struct buf *out, uint64_t dirty, uint64_t clean, bool anon)
{
	static const char *const zero[] = {"LazyFree", "AnonHugePages", "ShmemPmdMapped", "FilePmdMapped", "Shared_Hugetlb",
					   "Private_Hugetlb", "Swap", "SwapPss", "Locked"};
	uint64_t rss = dirty + clean;

	buf_addf(out, "Rss:            %8" PRIu64 " kB\nPss:            %8" PRIu64 " kB\nPss_Dirty:      %8" PRIu64 " kB\n",
		 rss, rss, dirty);
	buf_addf(out, "Shared_Clean:   %8" PRIu64 " kB\nShared_Dirty:   %8d kB\n", clean, 0);
	buf_addf(out, "Private_Clean:  %8d kB\nPrivate_Dirty:  %8" PRIu64 " kB\n", 0, dirty);
	buf_addf(out, "Referenced:     %8" PRIu64 " kB\nAnonymous:      %8" PRIu64 " kB\n", rss, anon ? dirty : 0);
	for (size_t i = 0; i < ARRAY_LEN(zero); i++)
		buf_addf(out, "%s:%*d kB\n", zero[i], 23 - (int)strlen(zero[i]), 0);
}

struct smaps_sum {
	uint64_t dirty, clean;
};

static void count_smaps(const struct mapping *m, uint64_t *dirty, uint64_t *clean)
{
	uint64_t kb = (m->hi - m->lo) / 1024;
	bool present = m->perm[0] == 'r' || m->perm[1] == 'w' || m->perm[2] == 'x';

	*dirty = present && m->perm[1] == 'w' && m->perm[3] == 'p' ? kb : 0;
	*clean = present && !*dirty ? kb : 0;
}

static void show_smap(struct procctx *x, const struct mapping *m, void *arg)
{
	struct buf *out = arg;
	uint64_t dirty, clean;

	show_line(x, m, out);
	count_smaps(m, &dirty, &clean);
	buf_addf(out, "Size:           %8" PRIu64 " kB\nKernelPageSize:        4 kB\nMMUPageSize:           4 kB\n",
		 (m->hi - m->lo) / 1024);
	smaps_numbers(out, dirty, clean, !m->ino);
	buf_addf(out, "THPeligible:           0\nVmFlags:%s%s%s%s mr mw me \n", m->perm[0] == 'r' ? " rd" : "",
		 m->perm[1] == 'w' ? " wr" : "", m->perm[2] == 'x' ? " ex" : "", m->perm[3] == 's' ? " sh" : "");
}

void procfs_show_smaps(struct procctx *x, struct buf *out)
{
	each_mapping(x, show_smap, out);
}

static void sum_smap(struct procctx *x, const struct mapping *m, void *arg)
{
	struct smaps_sum *sum = arg;
	uint64_t dirty, clean;

	(void)x;
	count_smaps(m, &dirty, &clean);
	sum->dirty += dirty;
	sum->clean += clean;
}

void procfs_show_smaps_rollup(struct procctx *x, struct buf *out)
{
	struct smaps_sum sum = {0};

	each_mapping(x, sum_smap, &sum);
	buf_addf(out, "00400000-7ffffffff000 ---p 00000000 00:00 0                              [rollup]\n");
	smaps_numbers(out, sum.dirty, sum.clean, true);
}
