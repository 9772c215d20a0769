/* dlopen: a library is mapped, its functions work, dladdr knows them, a missing one is an error. */
#include "guest.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

static int objects;

static int count(struct dl_phdr_info *info, size_t size, void *data)
{
	objects++;
	return 0;
}

int main(void)
{
	void *h = dlopen("libm.so.6", RTLD_NOW);

	CHECK(h);
	double (*cosine)(double) = (double (*)(double))(uintptr_t)dlsym(h, "cos");
	CHECK(cosine);
	CHECK(cosine(0.0) == 1.0);
	Dl_info info;
	CHECK(dladdr((void *)(uintptr_t)cosine, &info) && strstr(info.dli_fname, "libm"));
	CHECK(dlsym(h, "no_such_function_here") == NULL && dlerror());
	CHECK_EQ(dlclose(h), 0);
	CHECK(dlopen("libno-such-library.so.9", RTLD_NOW) == NULL && dlerror());
	h = dlopen("libthread_db.so.1", RTLD_LAZY); /* one that is not loaded yet */
	if (h)
		CHECK_EQ(dlclose(h), 0);
	dl_iterate_phdr(count, NULL);
	CHECK(objects >= 3);
	void *frames[10];
	CHECK(backtrace(frames, 10) >= 2);
	return guest_ok();
}
