/* Files that runs find in their view, as bytes of the program; see guest_files.h. */
	.section .rodata
	.globl voidstar_start, voidstar_end, stop_faults_start, stop_faults_end
	.balign 16
voidstar_start:
	.incbin VOIDSTAR_SO
voidstar_end:
	.balign 16
stop_faults_start:
	.incbin STOP_FAULTS
stop_faults_end:
	.section .note.GNU-stack,"",@progbits
