/* The built vDSO image, as bytes of the program. */
	.section .rodata
	.globl vdso_image_start, vdso_image_end
	.balign 16
vdso_image_start:
	.incbin VDSO_SO
vdso_image_end:
	.section .note.GNU-stack,"",@progbits
