/*
 * Differential test: random small histories of every model; the monitor, the search and the brute-force oracle must
 * agree, and every order that is claimed must replay. Prints how many histories were compared, by verdict.
 *
 * As a fuzzer (LLVMFuzzerTestOneInput) the input seeds the generator; with -DFUZZ_MAIN it is a program:
 *
 *     checker_diff [histories [seed]]
 */
#include "tests/fuzz/brute.h"
#include "tests/fuzz/generate.h"

#include "checker/monitor.h"
#include "checker/parts.h"

static const char *const names[] = {
	"kv", "cas", "register", "cas-register", "kv-append", "append", "queue", "stack", "set", "counter", "deque",
	"priority-queue", "mutex", "owner-mutex", "reentrant-mutex", "fenced-mutex", "reentrant-fenced-mutex", "semaphore"};

static struct { uint64_t total, ok, bad, monitored, monitored_bad, undecided; } count[ARRAY_LEN(names)];

static void disagree(const char *what, const char *model, const struct buf *text)
{
	printf("not ok - %s (model %s):\n%s", what, model, text->data);
	exit(1);
}

static void compare(const struct part *p, const struct buf *text, size_t k)
{
	struct limits lim = {.configs = 10000000, .memory = 64 << 20};
	struct found mon, sea;
	struct reason why;
	enum verdict v = brute_force(p);

	monitor(p, &mon, &why);
	if (mon.verdict != UNDECIDED) {
		count[k].monitored++;
		count[k].monitored_bad += mon.verdict == NOT_LINEARIZABLE;
	}
	if (mon.verdict == NOT_LINEARIZABLE && v != NOT_LINEARIZABLE)
		disagree("the monitor says not linearizable, the oracle linearizable", p->model->name, text);
	if (mon.verdict == LINEARIZABLE) {
		const char *wrong = verify_order(p, mon.order, mon.norder);
		if (wrong && !p->nedges)
			disagree(wrong, p->model->name, text);
		if (!wrong && v != LINEARIZABLE)
			disagree("the monitor's order replays, the oracle says not linearizable", p->model->name, text);
	}
	search(p, &lim, &sea);
	count[k].undecided += sea.verdict == UNDECIDED; /* every order of ten appends does not fit the small memory here */
	if (sea.verdict != v && sea.verdict != UNDECIDED)
		disagree(sea.verdict == LINEARIZABLE ? "the search says linearizable, the oracle not" :
		                                       "the search says not linearizable, the oracle does", p->model->name, text);
	if (sea.verdict == LINEARIZABLE && verify_order(p, sea.order, sea.norder))
		disagree(verify_order(p, sea.order, sea.norder), p->model->name, text);
	count[k].total++;
	count[k].ok += v == LINEARIZABLE;
	count[k].bad += v == NOT_LINEARIZABLE;
	found_clear(&mon);
	found_clear(&sea);
}

static void one(struct rng *r, struct buf *text, uint64_t i)
{
	size_t k = i % ARRAY_LEN(names);
	struct gen g = {.r = r, .model = names[k], .n = 2 + (int)rng_below(r, 9), .clients = 1 + (int)rng_below(r, 5),
	                .keys = 1, .unknown = rng_below(r, 3) ? 0.12 : 0, .spoil = 0.8};
	unsigned order = ORDER_REALTIME | ORDER_EXPLICIT;
	struct history h;
	struct parts ps;
	struct err e = {0};
	uint32_t line;

	g.values = rng_below(r, 3) ? 0 : 1 + (int)rng_below(r, 3);
	if (rng_below(r, 5) == 0) {
		g.edges = 0.3;
		order = rng_below(r, 2) ? order : ORDER_EXPLICIT;
	} else if (rng_below(r, 8) == 0) {
		order = rng_below(r, 3) ? ORDER_PROCESS : ORDER_EXPLICIT;
	}
	gen_history(&g, text);
	if (hist_parse(&h, "fuzz", xstrndup(text->data, text->len), text->len, FMT_AUTO, &e))
		disagree(e.msg, g.model, text);
	if (parts_build(&ps, &h, model_find(g.model), VAL_NONE, order, &e, &line)) {
		if (!strstr(e.msg, "cycle")) /* edges that contradict real time are refused */
			disagree(e.msg, g.model, text);
	} else {
		compare(&ps.part[0], text, k);
	}
	parts_clear(&ps);
	hist_clear(&h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf text = {0};
	struct rng r;
	uint64_t seed = hash_bytes(data, n, 0);

	rng_init(&r, seed, "checker_diff");
	one(&r, &text, seed);
	buf_clear(&text);
	return 0;
}

#ifdef FUZZ_MAIN
int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 200000, seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct buf text = {0};
	struct rng r;
	uint64_t total = 0;

	rng_init(&r, seed, "checker_diff");
	for (uint64_t i = 0; i < n; i++)
		one(&r, &text, i);
	for (size_t k = 0; k < ARRAY_LEN(names); k++) {
		printf("# %-24s %8llu histories: %llu linearizable, %llu not; by monitor %llu, not %llu; search undecided %llu\n", names[k],
		       (unsigned long long)count[k].total, (unsigned long long)count[k].ok, (unsigned long long)count[k].bad,
		       (unsigned long long)count[k].monitored, (unsigned long long)count[k].monitored_bad, (unsigned long long)count[k].undecided);
		total += count[k].total;
	}
	printf("ok - %llu histories, monitor, search and oracle agree\n", (unsigned long long)total);
	buf_clear(&text);
	return 0;
}
#endif
