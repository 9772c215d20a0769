/* Isolation levels and which of them are stronger. */
#include "checker/txn_int.h"

#include "base/mem.h"

#include <string.h>

#define L(x) (1u << LEVEL_##x)

/* Name, and the levels that a level implies directly. After Adya 1999, Cerone et al. 2015, Bailis et al. 2013. */
static const struct { const char *name; uint32_t implies; } levels[LEVELS] = {
	[LEVEL_READ_UNCOMMITTED] = {"read-uncommitted", 0},
	[LEVEL_READ_COMMITTED] = {"read-committed", L(READ_UNCOMMITTED)},
	[LEVEL_READ_ATOMIC] = {"read-atomic", L(READ_COMMITTED)},
	[LEVEL_CURSOR_STABILITY] = {"cursor-stability", L(READ_COMMITTED)},
	[LEVEL_CONSISTENT_VIEW] = {"consistent-view", L(CURSOR_STABILITY)},
	[LEVEL_REPEATABLE_READ] = {"repeatable-read", L(CURSOR_STABILITY)},
	[LEVEL_SNAPSHOT_ISOLATION] = {"snapshot-isolation", L(CONSISTENT_VIEW) | L(READ_ATOMIC)},
	[LEVEL_SERIALIZABLE] = {"serializable", L(SNAPSHOT_ISOLATION) | L(REPEATABLE_READ)},
	[LEVEL_SESSION_READ_UNCOMMITTED] = {"strong-session-read-uncommitted", L(READ_UNCOMMITTED)},
	[LEVEL_SESSION_READ_COMMITTED] = {"strong-session-read-committed", L(SESSION_READ_UNCOMMITTED) | L(READ_COMMITTED)},
	[LEVEL_SESSION_SNAPSHOT_ISOLATION] = {"strong-session-snapshot-isolation",
	                                      L(SESSION_READ_COMMITTED) | L(SNAPSHOT_ISOLATION)},
	[LEVEL_SESSION_SERIALIZABLE] = {"strong-session-serializable", L(SESSION_SNAPSHOT_ISOLATION) | L(SERIALIZABLE)},
	[LEVEL_STRONG_READ_UNCOMMITTED] = {"strong-read-uncommitted", L(SESSION_READ_UNCOMMITTED)},
	[LEVEL_STRONG_READ_COMMITTED] = {"strong-read-committed", L(STRONG_READ_UNCOMMITTED) | L(SESSION_READ_COMMITTED)},
	[LEVEL_STRONG_SNAPSHOT_ISOLATION] = {"strong-snapshot-isolation",
	                                     L(STRONG_READ_COMMITTED) | L(SESSION_SNAPSHOT_ISOLATION)},
	[LEVEL_STRICT_SERIALIZABLE] = {"strict-serializable", L(STRONG_SNAPSHOT_ISOLATION) | L(SESSION_SERIALIZABLE)},
};

const char *level_name(enum level l)
{
	return levels[l].name;
}

int level_find(const char *name)
{
	for (int l = 0; l < LEVELS; l++)
		if (!strcmp(levels[l].name, name))
			return l;
	return -1;
}

uint32_t level_and_stronger(enum level weakest)
{
	uint32_t set = 1u << weakest, old = 0;

	while (set != old) {
		old = set;
		for (int l = 0; l < LEVELS; l++)
			if (levels[l].implies & set)
				set |= 1u << l;
	}
	return set;
}

void txn_strongest(const struct txn_result *r, struct buf *b)
{
	uint32_t held = ~r->ruled_out & ((1u << LEVELS) - 1);
	bool first = true;

	for (int l = LEVELS; l-- > 0;) {
		bool stronger = false;
		if (!(held >> l & 1))
			continue;
		for (int k = 0; k < LEVELS; k++) /* one that holds and implies it? */
			stronger |= k != l && held >> k & 1 && level_and_stronger((enum level)l) >> k & 1;
		if (stronger)
			continue;
		buf_addf(b, "%s%s", first ? "" : ", ", levels[l].name);
		first = false;
	}
	if (first)
		buf_adds(b, "none");
}
