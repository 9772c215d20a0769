/*
 * Catalogues: the properties that a program or a source names, whether or not they are ever reached. C and C++ programs
 * carry theirs in a section (sdk/c/simrun.h); Go sources are scanned.
 */
#ifndef TRACER_CATALOG_H
#define TRACER_CATALOG_H

#include "base/err.h"
#include "tracer/property.h"

#include <stddef.h>

/* The entries of the section in the ELF file; none is no error. */
void catalog_elf(struct properties *ps, const char *path);
/* The calls in a Go source, or in all those below a directory (but tests, vendor, testdata and hidden ones). 0 or -1. */
int catalog_go(struct properties *ps, const char *path, struct err *e);
/* One file's text, as `path`. */
int catalog_go_text(struct properties *ps, const char *path, const char *text, size_t n, struct err *e);

#endif
