/* /dev/simrun/output and /dev/simrun/sdk.jsonl: what is written there, line by line, are messages to the simulation. */
#ifndef TRACER_SDK_FILE_H
#define TRACER_SDK_FILE_H

#include "kernel/file.h"

#include <stdbool.h>

struct sim;

/* antithesis: lines of Antithesis' SDKs, not our own. */
struct file *sdk_file_open(struct sim *s, bool antithesis, uint32_t flags);
/* The minor number of its device, or -1: f is no such file. */
int sdk_file_minor(const struct file *f);

enum { SDK_FILE_MAJOR = 60 }; /* for local use: Documentation/admin-guide/devices.txt */

#endif
