/* Programs of any shape: the scan for RDRAND reads nothing outside of them, and what it reports is there.
 * fuzz: tracer/hwrand_scan.c */
#include "tracer/hwrand.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hwrand_sites s;

	hwrand_scan(data, size, &s);
	for (size_t i = 0; i < s.n; i++)
		if (s.at[i] + 3 > size || data[s.at[i]] != 0x0f || data[s.at[i] + 1] != 0xc7)
			abort();
	hwrand_sites_free(&s);
	return 0;
}
