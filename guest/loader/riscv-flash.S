// SPDX-License-Identifier: MIT
/*
 * Loader of an RV64 machine that starts from NOR flash in supervisor mode, under OpenSBI, as QEMU's `virt` does from its
 * second bank. It copies the initramfs and, where there is something to copy, the kernel to RAM, and enters the kernel as
 * Documentation/riscv/boot-image-header.rst of Linux says: a0 = hart, a1 = device tree (as they came), MMU off.
 *
 * bootlab fills in the table (python/bootlab/builders/flash_image.py), which is that of arm-flash.S; addresses are
 * physical and below 4 GiB, lengths in bytes. The device tree lies out of everyone's way already.
 */
/* Places in the table. */
#define INITRAMFS_FROM	8
#define INITRAMFS_TO	12
#define INITRAMFS_SIZE	16
#define KERNEL_FROM	20
#define KERNEL_TO	24
#define KERNEL_SIZE	28
#define KERNEL_ENTRY	32

	.option	norvc
	.option	norelax
	.text
	.global	_start
_start:
	j	start
	.ascii	"BLFL"
table:
	.fill	9, 4, 0

start:
	lla	s0, table
	lwu	a2, INITRAMFS_FROM(s0)
	lwu	a3, INITRAMFS_TO(s0)
	lwu	a4, INITRAMFS_SIZE(s0)
	jal	copy
	j	copy_kernel

	/* The address is a mark: from here to the kernel's first instruction the kernel is copied. */
	.org	0xc0
copy_kernel:
	lwu	a2, KERNEL_FROM(s0)
	lwu	a3, KERNEL_TO(s0)
	lwu	a4, KERNEL_SIZE(s0)
	jal	copy
	fence.i
	lwu	t0, KERNEL_ENTRY(s0)
	jr	t0

	/* Copies a4 bytes, rounded up to 32, from a2 to a3. */
copy:
	beqz	a4, 2f
1:	ld	t0, 0(a2)
	ld	t1, 8(a2)
	ld	t2, 16(a2)
	ld	t3, 24(a2)
	sd	t0, 0(a3)
	sd	t1, 8(a3)
	sd	t2, 16(a3)
	sd	t3, 24(a3)
	addi	a2, a2, 32
	addi	a3, a3, 32
	addi	a4, a4, -32
	bgtz	a4, 1b
2:	ret
