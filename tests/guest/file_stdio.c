/* stdio on files: modes, seeking, pushing back, getline, formatted input, error and end flags, fmemopen, freopen. */
#include "guest.h"

int main(void)
{
	char buf[64], *line = NULL;
	size_t cap = 0;
	int n;

	workdir();
	FILE *f = fopen("f", "w+");
	CHECK(f);
	for (int i = 0; i < 100; i++)
		fprintf(f, "line %d\n", i);
	CHECK_EQ(fseek(f, 0, SEEK_SET), 0);
	CHECK(getline(&line, &cap, f) == 7 && strcmp(line, "line 0\n") == 0);
	CHECK_EQ(fscanf(f, "line %d\n", &n), 1);
	CHECK_EQ(n, 1);
	int c = getc(f);
	CHECK_EQ(ungetc(c, f), c);
	long at = ftell(f);
	CHECK(fgets(buf, sizeof buf, f) && strcmp(buf, "line 2\n") == 0);
	fseek(f, at, SEEK_SET);
	CHECK(fgets(buf, sizeof buf, f) && strcmp(buf, "line 2\n") == 0);
	fseek(f, -8, SEEK_END);
	CHECK(fgets(buf, sizeof buf, f) && strcmp(buf, "line 99\n") == 0);
	CHECK_EQ(getc(f), EOF);
	CHECK(feof(f) && !ferror(f));
	fclose(f);

	f = fopen("f", "a");
	fputs("appended\n", f);
	fclose(f);
	f = fopen("f", "r");
	n = 0;
	while (getline(&line, &cap, f) > 0)
		n++;
	CHECK_EQ(n, 101);
	CHECK(strcmp(line, "appended\n") == 0);
	CHECK_EQ(fputs("x", f), EOF);
	CHECK(ferror(f));
	CHECK(freopen("f", "w", f));
	fclose(f);
	struct stat st;
	OK(stat("f", &st));
	CHECK_EQ(st.st_size, 0);
	CHECK(fopen("f", "wx") == NULL && errno == EEXIST);
	CHECK(fopen("none/f", "w") == NULL && errno == ENOENT);
	free(line);
	return guest_ok();
}
