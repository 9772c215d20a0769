/* getrandom: all sizes and flags; two reads differ. */
#include "guest.h"

#include <sys/random.h>
#include <sys/syscall.h>

int main(void)
{
	static unsigned char big[100000];
	unsigned char a[32], b[32];

	CHECK_EQ(getrandom(a, sizeof a, 0), 32);
	CHECK_EQ(getrandom(b, sizeof b, GRND_NONBLOCK), 32);
	CHECK(memcmp(a, b, 32) != 0);
	CHECK_EQ(getrandom(b, sizeof b, GRND_RANDOM), 32);
	CHECK(memcmp(a, b, 32) != 0);
	CHECK_EQ(getrandom(b, 0, 0), 0);
	CHECK_EQ(getrandom(a, 1, 0), 1);
	CHECK_EQ(getrandom(a, 7, 4 /* GRND_INSECURE */), 7);
	CHECK_EQ(getrandom(big, sizeof big, 0), (ssize_t)sizeof big);
	int zero = 0, histogram = 0;
	for (size_t i = 0; i < sizeof big; i++) {
		zero += big[i] == 0;
		histogram |= big[i];
	}
	CHECK(zero < 2000); /* about 390 */
	CHECK_EQ(histogram, 255);
	CHECK_ERR(getrandom(a, 8, 0x80), EINVAL);
	CHECK_ERR(getrandom(a, 8, GRND_RANDOM | 4), EINVAL);
	CHECK_ERR(syscall(SYS_getrandom, (void *)8, 8, 0), EFAULT);
	CHECK_EQ(getentropy(a, 32), 0);
	for (int i = 0; i < 32; i++)
		printf("%02x", a[i]);
	puts("");
	CHECK_ERR(getentropy(big, 257), EIO);
	return guest_ok();
}
