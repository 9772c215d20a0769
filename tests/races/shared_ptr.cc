// One std::shared_ptr that a thread replaces and others copy, without std::atomic_load and std::atomic_store: an object may
// end twice, or be used after its end.
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>

#ifdef FIXED
constexpr bool fixed = true;
#else
constexpr bool fixed = false;
#endif

static std::atomic<int> made, ended;

struct Config {
	explicit Config(int v) : value(v) { made++; }
	~Config() { ended++; }
	int value;
};

static std::shared_ptr<Config> current = std::make_shared<Config>(0);

static void publish()
{
	for (int i = 1; i <= 100; i++) {
		auto next = std::make_shared<Config>(i);
		if (fixed)
			std::atomic_store(&current, next);
		else
			current = next;
	}
}

static void use()
{
	for (int i = 0; i < 100; i++)
		std::shared_ptr<Config> mine = fixed ? std::atomic_load(&current) : current;
}

int main()
{
	std::thread a(publish), b(use), c(use);

	a.join();
	b.join();
	c.join();
	current.reset();
	if (made != ended)
		std::printf("%d objects were made, %d ended\n", made.load(), ended.load());
	return made != ended;
}
