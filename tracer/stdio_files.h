/* The standard descriptors that guests start with: an empty input, and output that the supervisor takes. */
#ifndef TRACER_STDIO_FILES_H
#define TRACER_STDIO_FILES_H

struct sim;
struct proc;

void stdio_file(struct sim *s, struct proc *p, int fd); /* 0, 1 or 2 */
void stdio_files(struct sim *s, struct proc *p); /* all three */

#endif
