/* Walking a tree: nftw, glob, realpath, scandir, with links and loops in it. */
#include "guest.h"

#include <dirent.h>
#include <glob.h>

static int files, dirs, links;

static int visit(const char *path, const struct stat *st, int type, struct FTW *f)
{
	files += type == FTW_F;
	dirs += type == FTW_D;
	links += type == FTW_SL;
	return 0;
}

int main(void)
{
	char path[PATH_MAX], want[PATH_MAX];

	workdir();
	OK(mkdir("a", 0755));
	OK(mkdir("a/b", 0755));
	OK(mkdir("a/b/c", 0755));
	close(file_with("a/one.txt", "1"));
	close(file_with("a/b/two.txt", "2"));
	close(file_with("a/b/c/three.log", "3"));
	OK(symlink("../..", "a/b/up"));
	OK(symlink("b/c", "a/c"));
	CHECK_EQ(nftw("a", visit, 8, FTW_PHYS), 0);
	CHECK(files == 3 && dirs == 3 && links == 2);

	glob_t g;
	CHECK_EQ(glob("a/*/*.txt", 0, NULL, &g), 0);
	CHECK_EQ(g.gl_pathc, 1);
	CHECK(strcmp(g.gl_pathv[0], "a/b/two.txt") == 0);
	globfree(&g);
	CHECK_EQ(glob("a/*.none", 0, NULL, &g), GLOB_NOMATCH);

	CHECK(realpath("a/b/up/a/c/../two.txt", path));
	snprintf(want, sizeof want, "%s/a/b/two.txt", guest_dir);
	CHECK(strcmp(path, want) == 0);
	CHECK(realpath("a/none", path) == NULL && errno == ENOENT);

	struct dirent **list;
	int n = scandir("a", &list, NULL, alphasort);
	CHECK_EQ(n, 5);
	CHECK(strcmp(list[2]->d_name, "b") == 0 && strcmp(list[4]->d_name, "one.txt") == 0);
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return guest_ok();
}
