/*
 * A long correct history of a model on standard output: pieces of SEGMENT operations, each on a key of its own, one after
 * the other. CLIENTS take turns; a few of them are busy at once.
 *
 *     checker_long MODEL OPERATIONS SEGMENT CLIENTS SEED
 */
#define GEN_MAX 100000
#define GEN_OUT 2048
#include "tests/fuzz/generate.h"

#include "base/err.h"

/* An event line of piece `s`, with its key, ids and times moved. */
static void print_line(const char *line, size_t len, int s, int first)
{
	const char *key = strstr(line, "\"key\":\"k0\""), *id = strstr(line, "\"id\":"), *time = strstr(line, "\"time\":");

	ENSURE(key && id && time && time < line + len);
	printf("%.*s\"key\":\"k%d\"%.*s\"id\":%d,\"time\":%lld}\n", (int)(key - line), line, s, (int)(id - key - 10), key + 10, first + atoi(id + 5),
	       (long long)first * 100 + atoll(time + 7));
}

int main(int argc, char **argv)
{
	static struct gen g;
	struct buf text = {0};
	struct rng r;
	int n, segment;

	if (argc != 6)
		return 129;
	n = atoi(argv[2]);
	segment = MIN(atoi(argv[3]), GEN_MAX);
	rng_init(&r, strtoull(argv[5], NULL, 10), "checker_long");
	for (int s = 0, done = 0; done < n; s++, done += segment) {
		g.r = &r;
		g.model = argv[1];
		g.n = MIN(segment, n - done);
		g.clients = MIN(atoi(argv[4]), 64);
		g.keys = 1;
		gen_history(&g, &text);
		for (const char *p = text.data, *end; (end = strchr(p, '\n')); p = end + 1)
			print_line(p, (size_t)(end - p), s, done);
	}
	buf_clear(&text);
	return 0;
}
