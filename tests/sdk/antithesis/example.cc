// A program made for Antithesis, with the C++ SDK as it is published (antithesis_sdk.h beside it).
#include "antithesis_sdk.h"

#include <cstdio>
#include <cstring>

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	using namespace antithesis;

	setup_complete({{"nodes", 3}});
	for (int i = 0; i < 5; i++) {
		ALWAYS(i < 5, "cc counts", {{"i", i}});
		SOMETIMES(i == 3, "cc three", {{"i", i}});
		SOMETIMES_GREATER_THAN(i, 10, "cc more than ten", {});
		ALWAYS_LESS_THAN_OR_EQUAL_TO(i, 4, "cc at most four", {});
	}
	REACHABLE("cc reached", {});
	if (argc > 5)
		REACHABLE("cc never reached", {});
	send_event("cc event", {{"x", 1}});
	std::printf("random %llx\n", (unsigned long long)antithesis::get_random());
	std::fflush(stdout);
	if (!std::strcmp(mode, "bad"))
		ALWAYS(false, "cc violated", {{"left", 1}});
	if (!std::strcmp(mode, "unreachable"))
		UNREACHABLE("cc not here", {{"term", 7}});
	std::puts("end");
}
