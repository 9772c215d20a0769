#include "tracer/hwrand.h"

#include "base/mem.h"
#include "tracer/gmem.h"
#include "tracer/sim.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <unistd.h>

/* ---- which places: once per file and run ---- */

static struct hwrand_sites *scan_fd(int fd, const struct stat *st)
{
	struct hwrand_sites *sites = xnew(struct hwrand_sites);
	void *p = st->st_size ? mmap(NULL, (size_t)st->st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;

	if (p == MAP_FAILED)
		return sites;
	hwrand_scan(p, (size_t)st->st_size, sites);
	munmap(p, (size_t)st->st_size);
	return sites;
}

static const struct hwrand_sites *sites_of(struct sim *s, int fd)
{
	struct hwrand_sites *sites;
	struct stat st;
	uint64_t key;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	/* A file that the run itself writes may change under the same inode: its size and time are part of the key. */
	key = (uint64_t)st.st_ino ^ (uint64_t)st.st_dev << 40 ^ (uint64_t)st.st_size << 20 ^ (uint64_t)st.st_mtim.tv_nsec ^
	      (uint64_t)st.st_mtim.tv_sec << 13;
	sites = map_get(&s->hwrand_files, key);
	if (!sites) {
		sites = scan_fd(fd, &st);
		map_put(&s->hwrand_files, key, sites);
	}
	return sites;
}

/* ---- patches ---- */

void hwrand_patches_copy(struct hwrand_patches *to, const struct hwrand_patches *from)
{
	to->n = from->n;
	to->at = from->n ? xmemdup(from->at, from->n * sizeof *from->at) : NULL;
}

void hwrand_patches_clear(struct hwrand_patches *p)
{
	free(p->at);
	*p = (struct hwrand_patches){0};
}

static bool patched(const struct hwrand_patches *p, uint64_t at)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->at[i] == at)
			return true;
	return false;
}

static void patch(struct sim *s, struct task *t, uint64_t at)
{
	struct hwrand_patches *p = &proc_host(t->thread->proc)->hwrand;
	const unsigned char ud2[2] = {0x0f, 0x0b};

	if (gm_poke(t->tid, s->host_proc, at, ud2, sizeof ud2)) {
		sim_warn(s, "an instruction that reads hardware randomness could not be replaced");
		return;
	}
	if (patched(p, at))
		return;
	p->at = xrealloc(p->at, (p->n + 1) * sizeof *p->at);
	p->at[p->n++] = at;
}

void hwrand_mapped(struct sim *s, struct task *t, int host_fd, uint64_t off, uint64_t len, uint64_t addr)
{
	const struct hwrand_sites *sites = sites_of(s, host_fd);

	for (size_t i = 0; sites && i < sites->n; i++)
		if (sites->at[i] >= off && sites->at[i] < off + len)
			patch(s, t, addr + (sites->at[i] - off));
}

/* The executable mappings of files that stand right after exec: the program and its interpreter. */
void hwrand_exec(struct sim *s, struct task *t)
{
	char path[64], line[4608], perm[8], file[4096];
	unsigned long lo, hi, off;
	FILE *f;
	int fd;

	hwrand_patches_clear(&proc_host(t->thread->proc)->hwrand);
	snprintf(path, sizeof path, "%d/maps", t->tid);
	fd = openat(s->host_proc, path, O_RDONLY | O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "re");
	while (f && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095[^\n]", &lo, &hi, perm, &off, file) != 5 || perm[2] != 'x' ||
		    file[0] != '/')
			continue;
		fd = open(file, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		hwrand_mapped(s, t, fd, off, hi - lo, lo);
		count_mapped(s, t, fd, off, hi - lo, lo);
		close(fd);
	}
	if (f)
		fclose(f);
}

/* ---- the trap ---- */

/* The operand's register number of user_regs_struct: rax rcx rdx rbx rsp rbp rsi rdi r8 … r15. */
static unsigned long long *reg(struct user_regs_struct *r, unsigned n)
{
	switch (n) {
	case 0: return &r->rax;
	case 1: return &r->rcx;
	case 2: return &r->rdx;
	case 3: return &r->rbx;
	case 4: return &r->rsp;
	case 5: return &r->rbp;
	case 6: return &r->rsi;
	case 7: return &r->rdi;
	case 8: return &r->r8;
	case 9: return &r->r9;
	case 10: return &r->r10;
	case 11: return &r->r11;
	case 12: return &r->r12;
	case 13: return &r->r13;
	case 14: return &r->r14;
	default: return &r->r15;
	}
}

bool hwrand_emulate(struct sim *s, struct task *t, struct user_regs_struct *r)
{
	enum { CF = 1, PF = 4, AF = 0x10, ZF = 0x40, SF = 0x80, OF = 0x800 };
	const struct hwrand_patches *p = &proc_host(t->thread->proc)->hwrand;
	unsigned char b[5] = {0};
	unsigned i = 0, rex = 0;
	bool word = false;
	uint64_t v;

	if (!p->n || gm_read_some(t->tid, b, r->rip, sizeof b) < 3)
		return false;
	if (b[i] == 0x66) {
		word = true;
		i++;
	}
	if ((b[i] & 0xf0) == 0x40)
		rex = b[i++];
	if (b[i] != 0x0f || b[i + 1] != 0x0b || b[i + 2] < 0xf0 || !patched(p, r->rip + i))
		return false;
	v = rng_u64(&sim_node_of(s, t->thread->proc)->rng);
	unsigned long long *to = reg(r, (b[i + 2] & 7u) | (rex & 1u) << 3);
	if (rex & 8)
		*to = v;
	else if (word)
		*to = (*to & ~0xffffull) | (v & 0xffff);
	else
		*to = v & 0xffffffff;
	r->eflags = (r->eflags & ~(unsigned long long)(PF | AF | ZF | SF | OF)) | CF; /* a value was there */
	r->rip += i + 3;
	return true;
}
