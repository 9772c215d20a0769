// Two tellers serve the customers of one account. Build it with -DFIXED for the version without the bug.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define CUSTOMERS 3

struct account {
	pthread_mutex_t lock;
	long balance;
};

struct teller {
	const char *name;
	int rounds; // of the hash that signatures of this teller's customers are checked with
};

static struct account account = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t signature(uint64_t customer, int rounds)
{
	for (int i = 0; i < rounds; i++)
		customer = (customer ^ (customer >> 29)) * 0xbf58476d1ce4e5b9;
	return customer;
}

static void deposit(const char *teller, long amount)
{
	pthread_mutex_lock(&account.lock);
	long balance = account.balance + amount;
#ifndef FIXED
	// Printing is slow; the others need not wait for it.
	pthread_mutex_unlock(&account.lock);
#endif
	printf("%s: %ld paid in, balance %ld\n", teller, amount, balance);
#ifndef FIXED
	pthread_mutex_lock(&account.lock);
#endif
	account.balance = balance;
	pthread_mutex_unlock(&account.lock);
}

static void *serve(void *arg)
{
	struct teller *t = arg;

	for (int i = 0; i < CUSTOMERS; i++)
		deposit(t->name, signature(i + 1, t->rounds) ? 100 : 0);
	return NULL;
}

int main(void)
{
	struct teller tellers[] = {{"Ann", 500000}, {"Bob", 8000000}};
	pthread_t threads[2];
	long expected = 2 * CUSTOMERS * 100;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, serve, &tellers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (account.balance != expected) {
		printf("LOST: the balance is %ld, %ld was paid in\n", account.balance, expected);
		return 1;
	}
	return 0;
}
