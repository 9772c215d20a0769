#include "tracer/filter.h"

#include "base/mem.h"
#include "tracer/fault_match.h"
#include "tracer/syscalls.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Conditions on mmap and mprotect are disjoint and complete, because libseccomp keeps only the widest of overlapping
 * rules. What stays with the kernel unseen: private anonymous memory that is not executable.
 */
static int add_mmap(scmp_filter_ctx f)
{
	const unsigned anon = MAP_ANONYMOUS, both = MAP_ANONYMOUS | MAP_SHARED, all = both | MAP_HUGETLB;
	int rc;

	rc = seccomp_rule_add(f, SCMP_ACT_TRACE(0), SCMP_SYS(mmap), 1, SCMP_A3(SCMP_CMP_MASKED_EQ, anon, 0));
	if (!rc)
		rc = seccomp_rule_add(f, SCMP_ACT_TRACE(0), SCMP_SYS(mmap), 1, SCMP_A3(SCMP_CMP_MASKED_EQ, both, both));
	if (!rc)
		rc = seccomp_rule_add(f, SCMP_ACT_TRACE(0), SCMP_SYS(mmap), 2,
				      SCMP_A3(SCMP_CMP_MASKED_EQ, both, anon),
				      SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));
	if (!rc)
		rc = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2,
				      SCMP_A3(SCMP_CMP_MASKED_EQ, all, anon),
				      SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	if (!rc) /* huge pages: for sys_mmap() to refuse */
		rc = seccomp_rule_add(f, SCMP_ACT_TRACE(0), SCMP_SYS(mmap), 2,
				      SCMP_A3(SCMP_CMP_MASKED_EQ, all, anon | MAP_HUGETLB),
				      SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	return rc;
}

static int add_mprotect(scmp_filter_ctx f)
{
	int rc = seccomp_rule_add(f, SCMP_ACT_TRACE(0), SCMP_SYS(mprotect), 1,
				  SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));

	if (!rc)
		rc = seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
				      SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	return rc;
}

static int add_row(scmp_filter_ctx f, const struct sysrow *row, bool seen)
{
	if (seen && (row->argf || row->cls == CLS_NATIVE))
		return seccomp_rule_add(f, SCMP_ACT_TRACE(0), row->nr, 0);
	if (row->argf == ARGF_MMAP)
		return add_mmap(f);
	if (row->argf == ARGF_MPROTECT)
		return add_mprotect(f);
	if (row->cls == CLS_OBSERVE)
		return seccomp_rule_add(f, SCMP_ACT_TRACE(0), row->nr, 0);
	if (row->cls == CLS_NATIVE)
		return seccomp_rule_add(f, SCMP_ACT_ALLOW, row->nr, 0);
	return 0; /* everything else is the default: notify */
}

int filter_build(struct sock_fprog *prog, const struct callset *seen, struct err *e)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_NOTIFY);
	int rc, fd;
	off_t size;

	if (!f)
		return err_set(e, ENOMEM, "cannot make a seccomp filter");
	/* int $0x80 and x32 come to the supervisor, which refuses them by name, instead of a silent SIGSYS. */
	rc = seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_NOTIFY);
	if (!rc)
		rc = seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	for (long nr = 0; !rc && nr < SYSROW_MAX; nr++)
		if (sysrow_get(nr))
			rc = add_row(f, sysrow_get(nr), seen && callset_has(seen, nr));
	if (rc) {
		seccomp_release(f);
		return err_set(e, -rc, "cannot build the seccomp filter");
	}
	fd = memfd_create("filter", MFD_CLOEXEC);
	rc = fd < 0 ? -errno : seccomp_export_bpf(f, fd);
	seccomp_release(f);
	if (rc) {
		if (fd >= 0)
			close(fd);
		return err_set(e, -rc, "cannot export the seccomp filter");
	}
	size = lseek(fd, 0, SEEK_END);
	prog->len = (unsigned short)((size_t)size / sizeof *prog->filter);
	prog->filter = xmalloc((size_t)size);
	if (pread(fd, prog->filter, (size_t)size, 0) != size)
		rc = -EIO;
	close(fd);
	return rc ? err_set(e, -rc, "cannot read the seccomp filter back") : 0;
}

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

int filter_load(const struct sock_fprog *prog)
{
	long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			  SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV |
				  SECCOMP_FILTER_FLAG_SPEC_ALLOW,
			  prog);

	return fd < 0 ? -errno : (int)fd;
}
