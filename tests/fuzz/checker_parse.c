/*
 * The readers of histories, and whatever is done with what they read: any bytes end in a result or in an error with a
 * message. The first byte picks format and model.
 *
 * With -DFUZZ_MAIN it is a program that mutates the given files, or built-in ones:  checker_parse ROUNDS SEED [FILE…]
 */
#include "checker/check.h"

#include "base/mem.h"
#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct check_options opt = CHECK_DEFAULTS;
	struct history h = {0};
	struct check c = {0};
	struct err e = {0};
	struct buf out = {0};
	uint32_t line, nmodels = 0;
	char *text;

	if (!n)
		return 0;
	while (models[nmodels])
		nmodels++;
	text = xmemdup(data + 1, n - 1);
	opt.limits.configs = 2000;
	opt.limits.memory = 4 << 20;
	opt.own = data[0] % (nmodels + 1) < nmodels ? models[data[0] % (nmodels + 1)] : NULL;
	if (!hist_parse(&h, "fuzz", text, n - 1, FMT_AUTO, &e) && !check_prepare(&c, &h, &opt, &e, &line) && !check_run(&c, &e, &line)) {
		report_head(&c, &out);
		report_text(&c, &out);
		report_json(&c, &out);
		report_html(&c, &out);
	} else if (!e.msg[0]) {
		abort(); /* an error without a message */
	}
	buf_clear(&out);
	check_clear(&c);
	hist_clear(&h);
	return 0;
}

#ifdef FUZZ_MAIN
static const char *const built_in[] = {
	"{\"type\":\"invoke\",\"process\":1,\"f\":\"put\",\"key\":\"x\",\"value\":\"1-0\",\"time\":8,\"id\":0}\n"
	"{\"type\":\"ok\",\"process\":1,\"f\":\"put\",\"key\":\"x\",\"value\":null,\"time\":9,\"id\":0}\n"
	"{\"type\":\"invoke\",\"process\":2,\"f\":\"get\",\"key\":\"x\",\"value\":null,\"time\":10,\"id\":1,\"after\":[0]}\n"
	"{\"type\":\"ok\",\"process\":2,\"f\":\"get\",\"key\":\"x\",\"value\":\"1-0\",\"time\":11,\"id\":1}\n",
	"[{:process 4, :type :invoke, :f :write, :value 2}\n {:process 4, :type :ok, :f :write, :value 2}\n"
	" {:process 6, :type :invoke, :f :cas, :value [2 3]} ; comment\n #_ 5 {:process 6, :type :ok, :f :cas, :value [2 3]}]\n",
	"INFO  jepsen.util - 0\t:invoke\t:read\tnil\nINFO  jepsen.util - 0\t:ok\t:read\t3\nINFO  jepsen.util - 1\t:info\t:write\t:timed-out\n",
	"{\"id\":0,\"process\":\"A\",\"f\":\"cas\",\"key\":\"x\",\"value\":[0,1e0],\"output\":true,\"start\":1,\"end\":4}\n"
	"{\"id\":1,\"process\":\"B\",\"f\":\"read\",\"key\":\"x\",\"value\":null,\"output\":1.0,\"start\":2,\"end\":3,\"after\":[0]}\n",
	"{\"type\":\"invoke\",\"process\":0,\"f\":\"txn\",\"value\":[[\"append\",\"x\",1],[\"r\",\"x\",null]],\"id\":0}\n"
	"{\"type\":\"ok\",\"process\":0,\"f\":\"txn\",\"value\":[[\"append\",\"x\",1],[\"r\",\"x\",[1]]],\"id\":0}\n"
	"{\"type\":\"invoke\",\"process\":1,\"f\":\"txn\",\"value\":[[\"r\",\"x\",null]],\"id\":1}\n"
	"{\"type\":\"ok\",\"process\":1,\"f\":\"txn\",\"value\":[[\"r\",\"x\",[1, 2]]],\"id\":1}\n"};

static void mutate(struct buf *b, struct rng *r)
{
	static const char *const words[] = {"null", "[", "]", "{", "}", "\"", ",", ":", "-", "1e9", "\\u12", "true", ":ok", "nil", "#{", "\n", "[1,2]",
	                                    "\"id\":0", "\"after\":[1]", "info", "fail", "99999999999999999999"};

	for (uint64_t times = 1 + rng_below(r, 6); times; times--) {
		size_t at = b->len ? rng_below(r, b->len) : 0, n = 1 + rng_below(r, 30);
		const char *w = words[rng_below(r, ARRAY_LEN(words))];
		n = MIN(n, b->len - at);
		switch (rng_below(r, 4)) {
		case 0: /* a byte */
			if (b->len)
				b->data[at] = (char)rng_u64(r);
			break;
		case 1: /* leave out */
			memmove(b->data + at, b->data + at + n, b->len - at - n);
			b->len -= n;
			break;
		case 2: /* repeat */
			buf_reserve(b, n);
			memmove(b->data + at + n, b->data + at, b->len - at);
			b->len += n;
			break;
		default: /* put a word in */
			buf_reserve(b, strlen(w));
			memmove(b->data + at + strlen(w), b->data + at, b->len - at);
			memcpy(b->data + at, w, strlen(w));
			b->len += strlen(w);
		}
	}
}

static void load(struct buf *b, const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		exit(99);
	while ((n = fread(buf_reserve(b, 4096), 1, 4096, f)) > 0)
		b->len += n;
	fclose(f);
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
	struct rng r;

	rng_init(&r, argc > 2 ? strtoull(argv[2], NULL, 10) : 1, "checker_parse");
	for (uint64_t i = 0; i < rounds; i++) {
		struct buf b = {0};
		uint64_t k = rng_below(&r, ARRAY_LEN(built_in) + (uint64_t)MAX(argc - 3, 0));
		buf_addc(&b, (char)rng_u64(&r));
		if (k < ARRAY_LEN(built_in))
			buf_adds(&b, built_in[k]);
		else
			load(&b, argv[3 + k - ARRAY_LEN(built_in)]);
		if (rng_below(&r, 20))
			mutate(&b, &r);
		LLVMFuzzerTestOneInput((const uint8_t *)b.data, b.len);
		buf_clear(&b);
	}
	printf("ok - %llu mutated histories read\n", (unsigned long long)rounds);
	return 0;
}
#endif
