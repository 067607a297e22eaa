#include <linux/linkage.h>
SYM_FUNC_START(acme_copy)
	mov r0, r1
SYM_FUNC_END(acme_copy)
ENTRY(acme_entry)
1:	b 1b
ENDPROC(acme_entry)
.globl acme_label
acme_label:
local_label:
	.macro acme_macro a
	.endm
