/* Double-checked initialisation that publishes before it has initialised. */
#include "race.h"

struct config {
	int size, limit;
};
static struct config *_Atomic config;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int bad;

static void fill(struct config *c)
{
	for (int i = 0; i < 30; i++)
		((volatile struct config *)c)->size = i;
	((volatile struct config *)c)->limit = 10;
}

static void *use(void *arg)
{
	struct config *c = config;

	if (!c) {
		pthread_mutex_lock(&lock);
		c = config;
		if (!c) {
			c = calloc(1, sizeof *c);
			if (!fixed)
				config = c;
			fill(c);
			config = c;
		}
		pthread_mutex_unlock(&lock);
	}
	if (((volatile struct config *)c)->limit != 10)
		bad = 1;
	return arg;
}

int main(void)
{
	run(use, use, 3);
	return show(bad, "somebody saw it half initialised");
}
