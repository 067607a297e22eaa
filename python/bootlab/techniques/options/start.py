# SPDX-License-Identifier: MIT
"""What a kernel does while it starts: waits, measurements and set-up that its configuration decides."""

from __future__ import annotations

from bootlab.techniques.base import Context, Published, Risk, Technique
from bootlab.techniques.option import Options, OptionTechnique, value_of


class RuntimeUarts(OptionTechnique):
    """As `serial-8250-uarts`, in the configuration."""

    def pending(self, context: Context) -> Options:
        """Return both options where more than one port is configured."""
        return super().pending(context) if value_of(context, "SERIAL_8250_RUNTIME_UARTS") not in {"0", "1"} else ()


TECHNIQUES: tuple[Technique, ...] = (
    OptionTechnique(
        id="rtc-hctosys-off",
        title="Hardware clock not read by the kernel",
        what="Builds without CONFIG_RTC_HCTOSYS.",
        why=("The kernel reads the hardware clock during the boot, and some drivers wait for it."),
        when_not="The wall-clock time must be right before user space sets it.",
        cost="User space must set the time (hwclock -s).",
        risk=Risk(function="the time starts in 1970 until user space sets it"),
        sets=(("RTC_HCTOSYS", "n"),),
        only_if=("RTC_CLASS",),
        because="the kernel sets the time from the hardware clock",
        gone=r"setting system clock to",
        references=("drivers/rtc/Kconfig: RTC_HCTOSYS", "drivers/rtc/class.c: rtc_hctosys()"),
    ),
    OptionTechnique(
        id="modprobe-path-empty",
        title="No path to modprobe",
        what="Sets CONFIG_MODPROBE_PATH to the empty string.",
        why=("Every early request for a module waits for the initramfs and then starts a program that does not exist."),
        when_not="Something is loaded on demand.",
        cost="Modules must be loaded by name.",
        risk=Risk(function="no module is loaded on demand"),
        kernels="5.13 and later",
        sets=(("MODPROBE_PATH", ""),),
        only_if=("MODULES",),
        because="the kernel calls modprobe on demand",
        references=("init/Kconfig: MODPROBE_PATH", "init/initramfs.c: wait_for_initramfs()"),
    ),
    OptionTechnique(
        id="md-autodetect-off",
        title="RAID autodetection compiled out",
        stage="storage",
        what="Builds without CONFIG_MD_AUTODETECT.",
        why="The search waits until every disk has been probed.",
        when_not="The root is on an array with old metadata that only the kernel assembles.",
        cost="Arrays must be assembled by mdadm.",
        risk=Risk(function="the kernel assembles no array on its own"),
        sets=(("MD_AUTODETECT", "n"),),
        only_if=("BLK_DEV_MD",),
        because="the kernel searches for arrays at boot",
        gone=r"md: Waiting for all devices",
        published=(Published("several seconds", "any", "drivers/md/Kconfig: MD_AUTODETECT"),),
        references=("drivers/md/md-autodetect.c",),
    ),
    OptionTechnique(
        id="raid6-benchmark-off",
        title="RAID6 benchmark compiled out",
        addresses=("raid6-benchmark",),
        stage="storage",
        what="Builds without CONFIG_RAID6_PQ_BENCHMARK.",
        why=("The kernel measures each algorithm for sixteen ticks during the boot."),
        when_not="RAID6 is used and must be as fast as possible.",
        cost="The kernel uses a good algorithm instead of the best.",
        risk=Risk(runtime="RAID6 may use an algorithm that is not the fastest on this machine"),
        kernels="4.20 and later",
        sets=(("RAID6_PQ_BENCHMARK", "n"),),
        only_if=("RAID6_PQ",),
        because="the kernel measures the algorithms at each boot",
        gone=r"raid6: \S+ +gen\(\)",
        references=("lib/raid6/algos.c: raid6_choose_gen()",),
    ),
    OptionTechnique(
        id="verbose-bootup-off",
        title="Silent decompressor",
        stage="image",
        what="Builds without CONFIG_X86_VERBOSE_BOOTUP.",
        why="The decompressor prints to screen and serial port by polling.",
        when_not="It already prints nothing.",
        cost="None.",
        risk=Risk(debuggability="the decompressor's errors are not shown"),
        architectures=("x86_64",),
        sets=(("X86_VERBOSE_BOOTUP", "n"),),
        because="the decompressor prints",
        references=("arch/x86/Kconfig.debug: X86_VERBOSE_BOOTUP",),
    ),
    OptionTechnique(
        id="deferred-page-init",
        title="Deferred initialisation of page structures",
        what="Builds with CONFIG_DEFERRED_STRUCT_PAGE_INIT.",
        why=("Only a part of the memory map is set up before the scheduler runs; threads set up the rest."),
        when_not=("Memory is so small that nothing is left to defer, or there is one processor."),
        cost="None.",
        architectures=("x86_64", "arm64"),
        kernels="4.2 and later",
        sets=(("DEFERRED_STRUCT_PAGE_INIT", "y"),),
        # mm/Kconfig: NEED_PER_CPU_KM, which excludes it, is on without SMP.
        only_if=("SPARSEMEM", "SMP"),
        because="the whole memory map is set up before the scheduler runs",
        addresses=("memory-initialisation",),
        says=r"node \d+ deferred pages initialised in",
        proof="kernel-log",
        published=(
            Published("231 -> 8.6 ms", "large server", "centos-stream-9 MR 3984"),
            Published("-16 s", "1 TB of memory", "LKML, April 2015"),
        ),
        references=("mm/Kconfig: DEFERRED_STRUCT_PAGE_INIT", "mm/page_alloc.c: defer_init(), deferred_init_memmap()"),
    ),
    RuntimeUarts(
        id="runtime-uarts",
        title="Fewer 8250 serial ports compiled in",
        what="Builds with CONFIG_SERIAL_8250_RUNTIME_UARTS=1 (and NR_UARTS=1).",
        why=("The driver sets up and probes every port that the configuration allows."),
        when_not="More than one port is used.",
        cost="Further ports stay unusable.",
        risk=Risk(function="the second and further serial ports are gone"),
        sets=(("SERIAL_8250_NR_UARTS", "1"), ("SERIAL_8250_RUNTIME_UARTS", "1")),
        only_if=("SERIAL_8250",),
        because="several ports are set up",
        gone=r"8250/16550 driver, (?:[2-9]|\d\d+) ports",
        references=("drivers/tty/serial/8250/Kconfig: SERIAL_8250_RUNTIME_UARTS",),
    ),
    OptionTechnique(
        id="thumb2-kernel",
        title="Thumb-2 kernel",
        stage="image",
        what="Builds with CONFIG_THUMB2_KERNEL.",
        why="Thumb-2 code is shorter, so there is less to load and unpack.",
        when_not="The additional instructions cost more than loading saves.",
        cost=("Another instruction set; some old compilers and assembly code do not support it."),
        risk=Risk(runtime="a Thumb-2 kernel executes more instructions for some work"),
        architectures=("arm",),
        kernels="2.6.32 and later",
        conflicts=("arm-unwinder-off",),
        sets=(("THUMB2_KERNEL", "y"),),
        because="the kernel is built with ARM instructions",
        published=(Published("user space 19 % smaller, 2 % faster", "ARM", "Bootlin boot-time training"),),
        references=("arch/arm/Kconfig: THUMB2_KERNEL",),
    ),
)
