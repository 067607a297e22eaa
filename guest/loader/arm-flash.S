// SPDX-License-Identifier: MIT
/*
 * First-stage loader of a 32-bit ARM machine that starts from NOR flash at address 0 with its device tree in RAM, as
 * QEMU's `virt` does. It moves the device tree out of the way of the kernel, copies the initramfs and, where there is
 * something to copy, the kernel to RAM, and enters the kernel as Documentation/arm/booting.rst of Linux says: r0 = 0,
 * r1 = a machine number (none: ~0), r2 = device tree, MMU and caches off.
 *
 * bootlab fills in the table (python/bootlab/builders/flash_image.py); addresses are physical, lengths in bytes.
 */
	.arch	armv7-a
	.syntax	unified
	.arm
	.text
	.global	_start
_start:
	b	start
	.ascii	"BLFL"
table:
dtb_from:	.word	0
dtb_to:		.word	0
initramfs_from:	.word	0
initramfs_to:	.word	0
initramfs_size:	.word	0
kernel_from:	.word	0
kernel_to:	.word	0
kernel_size:	.word	0
kernel_entry:	.word	0

start:
	/* The device tree: QEMU leaves most of its 1 MiB empty; copy up to the end of its last block. */
	ldr	r0, dtb_from
	ldr	r1, dtb_to
	mov	r4, r1
	ldr	r2, [r0, #8]		/* off_dt_struct */
	ldr	r3, [r0, #36]		/* size_dt_struct */
	rev	r2, r2
	rev	r3, r3
	add	r2, r2, r3
	ldr	r3, [r0, #12]		/* off_dt_strings */
	ldr	r5, [r0, #32]		/* size_dt_strings */
	rev	r3, r3
	rev	r5, r5
	add	r3, r3, r5
	cmp	r2, r3
	movlo	r2, r3
	rev	r3, r2
	bl	copy
	str	r3, [r4, #4]		/* totalsize */

	ldr	r0, initramfs_from
	ldr	r1, initramfs_to
	ldr	r2, initramfs_size
	bl	copy

	b	copy_kernel

	/* The address is a mark: from here to the kernel's first instruction the kernel is copied. */
	.org	0xc0
copy_kernel:
	ldr	r0, kernel_from
	ldr	r1, kernel_to
	ldr	r2, kernel_size
	bl	copy
	mov	r0, #0
	mvn	r1, #0
	ldr	r2, dtb_to
	ldr	pc, kernel_entry

	/* Copies r2 bytes, rounded up to 32, from r0 to r1. Keeps r3 and r4. */
copy:
	cmp	r2, #0
	bxeq	lr
1:	ldmia	r0!, {r5-r12}
	stmia	r1!, {r5-r12}
	subs	r2, r2, #32
	bhi	1b
	bx	lr
