/* Names that the library makes from time, pid and randomness: mkstemp, mkdtemp, tmpfile. */
#include "guest.h"

int main(void)
{
	workdir();
	char a[] = "fXXXXXX", b[] = "fXXXXXX", d[] = "dXXXXXX";
	int fa = OK(mkstemp(a)), fb = OK(mkostemp(b, O_CLOEXEC));
	struct stat st;

	CHECK(strcmp(a, b) != 0);
	CHECK(mkdtemp(d));
	OK(stat(d, &st));
	CHECK(S_ISDIR(st.st_mode));
	CHECK_EQ(st.st_mode & 0777, 0700);
	OK(fstat(fa, &st));
	CHECK_EQ(st.st_mode & 0777, 0600);
	CHECK_EQ(fcntl(fb, F_GETFD), FD_CLOEXEC);

	FILE *f = tmpfile();
	CHECK(f);
	fputs("hello", f);
	rewind(f);
	char buf[8];
	CHECK(fgets(buf, sizeof buf, f) && strcmp(buf, "hello") == 0);
	OK(fstat(fileno(f), &st));
	CHECK_EQ(st.st_nlink, 0);
	fclose(f);
	printf("%s %s %s %s\n", guest_dir, a, b, d);
	return guest_ok();
}
