/* What 32-bit programs load in place of the guest and of the auditor: nothing. As an auditor it takes part in nothing,
 * which is what 0 means. Assembled for i386; it needs no C library of that kind. */
	.text
	.globl la_version
	.type la_version, @function
la_version:
	xorl %eax, %eax
	ret
	.size la_version, . - la_version

/* Without this note the loader would make the stacks of the program executable. */
	.section .note.GNU-stack, "", @progbits
