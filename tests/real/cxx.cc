// needs: g++
// std::random_device, std::thread, condition variables, chrono, async, call_once, shared_mutex, unordered containers.
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <mutex>
#include <queue>
#include <random>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <unordered_set>

using namespace std::chrono_literals;

template <class T> class Channel {
	std::mutex mutex;
	std::condition_variable ready;
	std::queue<T> items;

public:
	void put(T t)
	{
		std::lock_guard lock(mutex);
		items.push(std::move(t));
		ready.notify_one();
	}

	T get()
	{
		std::unique_lock lock(mutex);
		ready.wait(lock, [this] { return !items.empty(); });
		T t = std::move(items.front());
		items.pop();
		return t;
	}
};

int main()
{
	std::random_device device;
	std::mt19937 engine(device());
	std::cout << device() << ' ' << engine() << ' ' << std::random_device("/dev/urandom")() << '\n';

	Channel<int> jobs, results;
	std::vector<std::thread> threads;
	for (int t = 0; t < 4; t++) {
		threads.emplace_back([&, t] {
			std::mt19937 mine(std::random_device{}());
			for (int job; (job = jobs.get()) >= 0;) {
				std::this_thread::sleep_for(std::chrono::microseconds(mine() % 5000));
				results.put(job * 10 + t);
			}
		});
	}
	for (int i = 0; i < 40; i++)
		jobs.put(i);
	std::string order;
	int sum = 0;
	for (int i = 0; i < 40; i++) {
		int r = results.get();
		sum += r / 10;
		order += static_cast<char>('0' + r % 10);
	}
	for (int t = 0; t < 4; t++)
		jobs.put(-1);
	for (auto &t : threads)
		t.join();
	assert(sum == 780);
	std::cout << order << '\n';

	std::mutex m;
	std::condition_variable never;
	std::unique_lock lock(m);
	auto from = std::chrono::steady_clock::now();
	assert(never.wait_for(lock, 1500ms) == std::cv_status::timeout);
	auto took = std::chrono::steady_clock::now() - from;
	assert(took >= 1500ms && took < 1600ms);
	std::cout << took.count() << ' ' << std::chrono::system_clock::now().time_since_epoch().count() << ' '
		  << std::chrono::high_resolution_clock::now().time_since_epoch().count() << '\n';

	auto a = std::async(std::launch::async, [] { std::this_thread::sleep_for(20ms); return 6; });
	auto b = std::async(std::launch::async, [] { std::this_thread::sleep_for(10ms); return 7; });
	assert(b.wait_for(1ms) == std::future_status::timeout);
	assert(a.get() * b.get() == 42);

	std::shared_mutex rw;
	std::counting_semaphore<2> two(2);
	std::atomic<int> readers = 0, most = 0;
	{
		std::vector<std::jthread> all;
		for (int i = 0; i < 6; i++) {
			all.emplace_back([&] {
				two.acquire();
				std::shared_lock l(rw);
				int now = ++readers;
				if (now > most)
					most = now;
				std::this_thread::sleep_for(1ms);
				readers--;
				two.release();
			});
		}
	}
	assert(most <= 2);
	std::atomic<int> flag = 0;
	std::jthread waker([&] { std::this_thread::sleep_for(5ms); flag = 1; flag.notify_all(); });
	flag.wait(0);

	auto dir = std::filesystem::temp_directory_path() / ("cxx" + std::to_string(device()));
	std::filesystem::create_directories(dir / "a/b");
	std::ofstream(dir / "a/b/c") << "text";
	for (auto &e : std::filesystem::recursive_directory_iterator(dir))
		std::cout << e.path().filename() << ' ';
	std::filesystem::remove_all(dir);
	std::unordered_set<void *> pointers;
	for (int i = 0; i < 5; i++)
		pointers.insert(new char[100]);
	for (auto *p : pointers)
		std::cout << p << ' ';
	std::cout << std::this_thread::get_id() << '\n';
}
