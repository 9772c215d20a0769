/* Histories that do not fit into memory. Only `bank` is judged as it goes by: each of its reads is judged alone. */
#ifndef CHECKER_STREAM_H
#define CHECKER_STREAM_H

#include "checker/check.h"

struct stream_result {
	uint64_t events, reads;
	bool bad;
	struct buf text; /* findings, for people */
};

bool stream_wanted(const char *path, const char *model, size_t memory);
int stream_bank(const char *path, const struct check_options *opt, struct stream_result *r, struct err *e);

#endif
