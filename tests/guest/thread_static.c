/* Threads, thread-local variables and condition variables of a static program. */
#include "thread_cond_pingpong.c"
