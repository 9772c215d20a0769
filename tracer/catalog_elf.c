#include "tracer/catalog.h"

#include "base/mem.h"
#include "sdk/c/simrun_wire.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
	const unsigned char *p;
	size_t n;
};

/* n bytes at offset `at`; NULL when the file is shorter. */
static const void *piece(const struct image *m, uint64_t at, uint64_t n)
{
	return at <= m->n && n <= m->n - at ? m->p + at : NULL;
}

static const Elf64_Shdr *find_section(const struct image *m)
{
	const Elf64_Ehdr *eh = piece(m, 0, sizeof *eh);
	const Elf64_Shdr *sh, *names;

	if (!eh || memcmp(eh->e_ident, ELFMAG, SELFMAG) || eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_shentsize != sizeof *sh ||
	    (uintptr_t)(m->p + eh->e_shoff) % _Alignof(Elf64_Shdr))
		return NULL;
	sh = piece(m, eh->e_shoff, (uint64_t)eh->e_shnum * sizeof *sh);
	if (!sh || eh->e_shstrndx >= eh->e_shnum)
		return NULL;
	names = &sh[eh->e_shstrndx];
	for (unsigned i = 0; i < eh->e_shnum; i++) {
		const char *name = piece(m, names->sh_offset + sh[i].sh_name, sizeof SIMRUN_SECTION);
		if (name && !memcmp(name, SIMRUN_SECTION, sizeof SIMRUN_SECTION) && sh[i].sh_type == SHT_PROGBITS)
			return &sh[i];
	}
	return NULL;
}

/* The value of one character or escape of a C literal. */
static int unescape(const char **s)
{
	static const char letters[] = "abfnrtv\\\"'?", values[] = "\a\b\f\n\r\t\v\\\"'?";
	const char *p = *s, *at;
	int v = 0;

	if (*p != '\\') {
		*s = p + 1;
		return (unsigned char)*p;
	}
	p++;
	if (*p == 'x') {
		*s = p + 1 + strspn(p + 1, "0123456789abcdefABCDEF");
		return (int)strtoul(p + 1, NULL, 16) & 0xff;
	}
	if (*p >= '0' && *p <= '7') {
		for (int i = 0; i < 3 && *p >= '0' && *p <= '7'; i++)
			v = v * 8 + (*p++ - '0');
		*s = p;
		return v & 0xff;
	}
	at = *p ? strchr(letters, *p) : NULL;
	*s = p + (*p != 0);
	return at ? values[at - letters] : (unsigned char)*p;
}

/* A C literal, or several in a row ("a" "b"), as it stands in the source. On the heap; NULL when it is none. */
static char *literal(const char *s)
{
	struct buf b = {0};

	for (;;) {
		s += strcspn(s, "\"");
		if (!*s)
			break;
		for (s++; *s && *s != '"';)
			buf_addc(&b, (char)unescape(&s));
		if (*s != '"') {
			buf_clear(&b);
			return NULL;
		}
		s++;
		if (!b.data)
			buf_reserve(&b, 1);
	}
	if (!b.data)
		return NULL;
	buf_addc(&b, 0);
	return b.data;
}

/* The next string of the section; NULL at its end. Bytes of padding between object files are empty strings. */
static const char *next_string(const char **at, const char *end)
{
	const char *s, *nul;

	while (*at < end && !**at)
		++*at;
	s = *at;
	nul = memchr(s, 0, (size_t)(end - s));
	if (!nul)
		return NULL;
	*at = nul + 1;
	return s;
}

static void read_entries(struct properties *ps, const char *at, const char *end)
{
	const char *kind, *msg, *file, *line;

	while ((kind = next_string(&at, end)) && (msg = next_string(&at, end)) && (file = next_string(&at, end)) &&
	       (line = next_string(&at, end))) {
		char *message = literal(msg), *path = literal(file), *place = path ? xasprintf("%s:%s", path, line) : NULL;
		enum property_kind k;
		if (message && *message && property_kind_find(kind, &k))
			property_note(ps, k, message, place);
		free(message);
		free(path);
		free(place);
	}
}

void catalog_elf(struct properties *ps, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Shdr *sh;
	struct image m;
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		m.n = (size_t)st.st_size;
		m.p = mmap(NULL, m.n, PROT_READ, MAP_PRIVATE, fd, 0);
		if (m.p != MAP_FAILED) {
			sh = find_section(&m);
			if (sh && piece(&m, sh->sh_offset, sh->sh_size))
				read_entries(ps, (const char *)m.p + sh->sh_offset, (const char *)m.p + sh->sh_offset + sh->sh_size);
			munmap((void *)(uintptr_t)m.p, m.n);
		}
	}
	close(fd);
}
