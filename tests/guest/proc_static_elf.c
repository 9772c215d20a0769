/* A static executable without any library, no vDSO use: a handful of instructions. */
#include "guest.h"

#include <elf.h>
#include <stddef.h>

struct image {
	Elf64_Ehdr e;
	Elf64_Phdr p;
	unsigned char code[64];
};

int main(void)
{
	/* write(1, argv[0], 4); exit_group(getpid() ? 21 : 0) */
	static const unsigned char code[] = {
		0xb8, 1,    0,    0,    0,          /* mov eax, SYS_write */
		0xbf, 1,    0,    0,    0,          /* mov edi, 1 */
		0x48, 0x8b, 0x74, 0x24, 0x08,       /* mov rsi, [rsp+8]: argv[0] */
		0xba, 4,    0,    0,    0,          /* mov edx, 4 */
		0x0f, 0x05,                         /* syscall */
		0xb8, 39,   0,    0,    0,          /* mov eax, SYS_getpid */
		0x0f, 0x05,                         /* syscall */
		0x31, 0xff,                         /* xor edi, edi */
		0x85, 0xc0,                         /* test eax, eax */
		0x74, 0x05,                         /* jz +5 */
		0xbf, 21,   0,    0,    0,          /* mov edi, 21 */
		0xb8, 231,  0,    0,    0,          /* mov eax, SYS_exit_group */
		0x0f, 0x05,                         /* syscall */
	};
	struct image im = {
		.e = {
			.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			.e_type = ET_EXEC,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_entry = 0x400000 + offsetof(struct image, code),
			.e_phoff = offsetof(struct image, p),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
		},
		.p = {
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_vaddr = 0x400000,
			.p_paddr = 0x400000,
			.p_filesz = sizeof im,
			.p_memsz = sizeof im,
			.p_align = 0x1000,
		},
	};
	int p[2];
	char buf[16];

	memcpy(im.code, code, sizeof code);
	workdir();
	int fd = OK(open("tiny", O_WRONLY | O_CREAT, 0755));
	CHECK_EQ(write(fd, &im, sizeof im), (ssize_t)sizeof im);
	OK(close(fd));
	OK(pipe(p));
	pid_t pid = OK(fork());
	if (pid == 0) {
		dup2(p[1], 1);
		execl("./tiny", "tiny", (char *)NULL);
		_exit(127);
	}
	CHECK_EXIT(pid, 21);
	CHECK_EQ(read(p[0], buf, sizeof buf), 4);
	CHECK(memcmp(buf, "tiny", 4) == 0);
	return guest_ok();
}
