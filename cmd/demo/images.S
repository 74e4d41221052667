/* The two builds of the demo's patient, as bytes of the program. */
	.section .rodata

	.macro image name, file
	.global \name, \name\()_end
	.balign 16
\name:
	.incbin "\file"
\name\()_end:
	.endm

	image nh_demo_image, rank
	image nh_demo_image_stripped, rank.stripped

	.section .note.GNU-stack, "", %progbits
