/* Small programs with one race each; -DFIXED builds the correct twin. Status 1: the race showed. */
#ifndef RACE_H
#define RACE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef FIXED
enum { fixed = 1 };
#else
enum { fixed = 0 };
#endif

static inline void run(void *(*a)(void *), void *(*b)(void *), int pairs)
{
	pthread_t t[16];

	for (int i = 0; i < 2 * pairs; i++)
		pthread_create(&t[i], NULL, i % 2 ? b : a, NULL);
	for (int i = 0; i < 2 * pairs; i++)
		pthread_join(t[i], NULL);
}

static inline int show(bool bad, const char *what)
{
	if (bad)
		printf("%s\n", what);
	return bad;
}

#endif
