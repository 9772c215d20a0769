/* Identities: the rules of set*id(2), capabilities, groups, fork and exec. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "kernel/cred.h"

enum { NO_ID = -1 };

struct world {
	struct kern k;
	struct proc *root, *user;
};

static int setup(void **state)
{
	static struct world w;

	memset(&w, 0, sizeof w);
	kern_init(&w.k, 1, SCHED_POLICY_FIFO);
	w.root = proc_new(&w.k, 10, NULL);
	w.user = proc_new(&w.k, 11, NULL);
	w.user->uid = w.user->euid = w.user->suid = 1000;
	w.user->gid = w.user->egid = w.user->sgid = 100;
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	kern_clear(&((struct world *)*state)->k);
	return 0;
}

static void uids_are(const struct proc *p, uint32_t r, uint32_t e, uint32_t s)
{
	assert_int_equal(p->uid, r);
	assert_int_equal(p->euid, e);
	assert_int_equal(p->suid, s);
}

static void root_drops_for_good(void **state)
{
	struct world *w = *state;
	struct proc *p = w->root;

	assert_true(cred_capable(&w->k, p, CRED_CAP_SETUID));
	assert_int_equal(cred_setuid(&w->k, p, 1000), 0);
	uids_are(p, 1000, 1000, 1000);
	assert_false(cred_capable(&w->k, p, CRED_CAP_SETUID));
	assert_int_equal(p->cred->permitted, 0);
	assert_int_equal(p->cred->dumpable, 0);
	assert_int_equal(cred_setuid(&w->k, p, 0), -EPERM);
	assert_int_equal(cred_setresuid(&w->k, p, 0, NO_ID, NO_ID), -EPERM);
}

static void root_steps_aside_and_back(void **state)
{
	struct world *w = *state;
	struct proc *p = w->root;
	uint64_t caps = cred_of(&w->k, p)->effective;

	assert_int_equal(cred_setresuid(&w->k, p, NO_ID, 1000, NO_ID), 0);
	uids_are(p, 0, 1000, 0);
	assert_int_equal(p->cred->effective, 0);
	assert_true(p->cred->permitted == caps);
	assert_int_equal(p->cred->fsuid, 1000);
	assert_int_equal(cred_setreuid(&w->k, p, NO_ID, 0), 0);
	assert_true(p->cred->effective == caps);
	/* With keepcaps the permitted set survives giving up all root ids. */
	p->cred->keepcaps = true;
	assert_int_equal(cred_setresuid(&w->k, p, 5, 5, 5), 0);
	assert_true(p->cred->permitted == caps);
	assert_int_equal(p->cred->effective, 0);
}

static void user_moves_among_its_own_ids(void **state)
{
	struct world *w = *state;
	struct proc *p = w->user;

	assert_int_equal(cred_setuid(&w->k, p, 1001), -EPERM);
	assert_int_equal(cred_setuid(&w->k, p, (uint32_t)NO_ID), -EINVAL);
	p->suid = 1001;
	assert_int_equal(cred_setuid(&w->k, p, 1001), 0);
	uids_are(p, 1000, 1001, 1001);
	/* setreuid: the real id may become the effective one, not the saved one. */
	assert_int_equal(cred_setreuid(&w->k, p, 1002, NO_ID), -EPERM);
	assert_int_equal(cred_setreuid(&w->k, p, 1001, 1000), 0);
	uids_are(p, 1001, 1000, 1000); /* the saved id follows */
	assert_int_equal(cred_setresuid(&w->k, p, 1000, 1001, 7), -EPERM);
	assert_int_equal(cred_setresuid(&w->k, p, 1000, 1001, 1001), 0);
	uids_are(p, 1000, 1001, 1001);
}

static void group_ids_have_the_same_rules(void **state)
{
	struct world *w = *state;

	assert_int_equal(cred_setgid(&w->k, w->user, 0), -EPERM);
	assert_int_equal(cred_setresgid(&w->k, w->user, 5, NO_ID, NO_ID), -EPERM);
	assert_int_equal(cred_setregid(&w->k, w->user, 100, 100), 0);
	assert_int_equal(cred_setgid(&w->k, w->root, 7), 0);
	assert_int_equal(w->root->gid, 7);
	assert_int_equal(w->root->sgid, 7);
	assert_true(cred_capable(&w->k, w->root, CRED_CAP_SETGID)); /* groups do not touch capabilities */
}

static void fsuid_reports_the_old_one(void **state)
{
	struct world *w = *state;

	assert_int_equal(cred_setfsuid(&w->k, w->user, 5), 1000);
	assert_int_equal(cred_setfsuid(&w->k, w->user, (uint32_t)NO_ID), 1000);
	assert_int_equal(cred_setfsuid(&w->k, w->root, 5), 0);
	assert_int_equal(cred_setfsuid(&w->k, w->root, 0), 5);
	assert_true(w->root->cred->effective == w->root->cred->permitted);
	assert_int_equal(cred_setfsgid(&w->k, w->root, 5), 0);
	assert_int_equal(cred_setfsgid(&w->k, w->root, (uint32_t)NO_ID), 5);
}

static void groups(void **state)
{
	struct world *w = *state;
	const uint32_t g[] = {3, 1, 2};

	assert_int_equal(cred_of(&w->k, w->user)->ngroups, 1);
	assert_int_equal(w->user->cred->groups[0], 100);
	assert_int_equal(cred_setgroups(&w->k, w->user, g, 3), -EPERM);
	assert_int_equal(cred_setgroups(&w->k, w->root, g, 3), 0);
	assert_int_equal(w->root->cred->groups[0], 3);
	assert_true(cred_in_group(&w->k, w->root, 2));
	assert_false(cred_in_group(&w->k, w->root, 4));
	assert_int_equal(cred_setgroups(&w->k, w->root, NULL, 0), 0);
	assert_int_equal(w->root->cred->ngroups, 0);
}

static void capset_only_takes_away(void **state)
{
	struct world *w = *state;
	struct cred *c = cred_of(&w->k, w->root);
	uint64_t all = c->permitted, some = CRED_CAPBIT(CRED_CAP_SETUID);

	assert_int_equal(cred_capset(&w->k, w->root, all | 1ull << 21, all, 0), -EPERM); /* SYS_ADMIN */
	assert_int_equal(cred_capset(&w->k, w->root, some, some, some), 0);
	assert_false(cred_capable(&w->k, w->root, CRED_CAP_SETGID));
	assert_int_equal(cred_capset(&w->k, w->root, all, some, 0), -EPERM);
	assert_int_equal(cred_capset(&w->k, w->root, 0, some, 0), -EPERM);
	assert_int_equal(cred_capset(&w->k, w->root, some, 0, all), -EPERM); /* SETPCAP is gone */
}

static void fork_copies_and_exec_settles(void **state)
{
	struct world *w = *state;
	const uint32_t g[] = {8, 9};
	struct proc *child;

	assert_int_equal(cred_setgroups(&w->k, w->root, g, 2), 0);
	cred_of(&w->k, w->root)->no_new_privs = true;
	child = proc_fork(&w->k, w->root, 12, false, false, false);
	assert_ptr_not_equal(child->cred, w->root->cred);
	assert_int_equal(child->cred->ngroups, 2);
	assert_ptr_not_equal(child->cred->groups, w->root->cred->groups);
	assert_int_equal(cred_setresuid(&w->k, child, NO_ID, 1000, NO_ID), 0);
	assert_int_equal(w->root->euid, 0);
	child->cred->keepcaps = true;
	cred_exec(&w->k, child);
	uids_are(child, 0, 1000, 1000);
	assert_false(child->cred->keepcaps);
	assert_true(child->cred->no_new_privs);
	assert_int_equal(child->cred->effective, 0); /* only a zero effective id makes them effective */
	assert_int_equal(child->cred->dumpable, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(root_drops_for_good),	TEST(root_steps_aside_and_back),
		TEST(user_moves_among_its_own_ids), TEST(group_ids_have_the_same_rules),
		TEST(fsuid_reports_the_old_one),     TEST(groups),
		TEST(capset_only_takes_away),	     TEST(fork_copies_and_exec_settles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
