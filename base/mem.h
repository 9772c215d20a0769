/* Allocation that cannot fail: out of memory ends the process with one clear line (exit 125). */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

void *xmalloc(size_t n);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
void *xmemdup(const void *p, size_t n);
/* Formatted string on the heap; the caller frees it. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#define xnew(T) ((T *)xcalloc(1, sizeof(T)))
#define xnewn(T, n) ((T *)xcalloc((n), sizeof(T)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
