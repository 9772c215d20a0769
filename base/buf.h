/* Growable bytes. `data` is NULL until the first byte; text is kept NUL-terminated by buf_addf/buf_adds. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
	char *data;
	size_t len; /* bytes in use */
	size_t cap; /* bytes allocated */
};

void buf_clear(struct buf *b);                 /* frees; ready for reuse */
void buf_reset(struct buf *b);                 /* empties, keeps the memory */
char *buf_reserve(struct buf *b, size_t more); /* room for `more` bytes at the end; returns their address */
void buf_add(struct buf *b, const void *p, size_t n);
void buf_adds(struct buf *b, const char *s);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vaddf(struct buf *b, const char *fmt, va_list ap);
void buf_drop(struct buf *b, size_t n); /* removes the first n bytes */
/* Appends n bytes of p escaped as in a C string, without quotes. */
void buf_add_escaped(struct buf *b, const void *p, size_t n);

#endif
