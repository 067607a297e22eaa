# SPDX-License-Identifier: MIT
"""What a kernel does while it starts: waits, measurements and set-up that its configuration decides."""

from __future__ import annotations

from bootlab.techniques.base import Applies, Context, Published, Risk, Technique
from bootlab.techniques.option import Options, OptionTechnique, value_of


class RuntimeUarts(OptionTechnique):
    """As `serial-8250-uarts`, in the configuration."""

    def pending(self, context: Context) -> Options:
        """Return both options where more than one port is configured."""
        return super().pending(context) if value_of(context, "SERIAL_8250_RUNTIME_UARTS") not in {"0", "1"} else ()


# Technical reference manuals: ID_AA64MMFR0_EL1.TGran16 is 0; target/arm/cpu64.c of QEMU has the same.
_WITHOUT_16_KIB = ("cortex-a53", "cortex-a57", "cortex-a72")


class LargePages(OptionTechnique):
    """Pages of 16 KiB, where the machine's core has them: on another the kernel halts before its first line."""

    def applies(self, context: Context) -> Applies:
        """Say no for a core that is known to lack them; of a board nobody named its core."""
        core = context.system.machine.cpu.partition(",")[0]
        if context.system.target == "qemu" and core in _WITHOUT_16_KIB:
            return Applies.no(f"the core ({core}) has no pages of 16 KiB")
        return super().applies(context)


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
    OptionTechnique(
        id="uevent-helper-off",
        title="No program started for each event of a device",
        what="Builds without CONFIG_UEVENT_HELPER.",
        why=(
            "For every device that appears, the kernel starts a thread and looks for the helper (/sbin/hotplug), some "
            "hundred times in a boot, also where no such file is."
        ),
        when_not="Devices are set up by mdev as the helper, not by udev or a daemon that listens (mdev -df).",
        cost="None where udev or nothing handles events.",
        risk=Risk(function="a program that is named in /proc/sys/kernel/hotplug is no longer started"),
        sets=(("UEVENT_HELPER", "n"),),
        because="the kernel starts a helper for each event",
        references=("drivers/base/Kconfig: UEVENT_HELPER", "lib/kobject_uevent.c: kobject_uevent_env()"),
    ),
    OptionTechnique(
        id="firmware-helper-off",
        title="No wait for a program that loads firmware",
        what="Builds without CONFIG_FW_LOADER_USER_HELPER.",
        why=(
            "With CONFIG_FW_LOADER_USER_HELPER_FALLBACK a driver whose firmware file is missing waits up to 60 s for a "
            "program of user space to deliver it. Without that option only drivers wait that ask for such a program "
            "(LEDs of LP55xx, Dell's BIOS update), and there is little to gain."
        ),
        when_not="A program does deliver firmware, from elsewhere than /lib/firmware.",
        cost="Firmware comes from the kernel's image, the initramfs or /lib/firmware only.",
        risk=Risk(function="firmware that a program of user space delivers cannot be loaded"),
        kernels="3.7 and later",
        sets=(("FW_LOADER_USER_HELPER", "n"),),
        only_if=("FW_LOADER",),
        held_by=("FW_LOADER_USER_HELPER_FALLBACK",),
        because="the kernel can wait for a program that loads firmware",
        references=("drivers/base/firmware_loader/Kconfig: FW_LOADER_USER_HELPER",),
    ),
    OptionTechnique(
        id="loop-devices-none",
        title="No loop devices made at boot",
        stage="storage",
        what="Sets CONFIG_BLK_DEV_LOOP_MIN_COUNT to 0.",
        why="The driver makes eight disks with their queues and events before init; losetup makes them when needed.",
        when_not="A program opens /dev/loop0 without asking /dev/loop-control for one.",
        cost="None with losetup of util-linux or BusyBox, which ask for a device.",
        risk=Risk(function="/dev/loop0 to /dev/loop7 are not there until something asks for them"),
        kernels="3.1 and later",
        sets=(("BLK_DEV_LOOP_MIN_COUNT", "0"),),
        only_if=("BLK_DEV_LOOP",),
        because="the kernel makes loop devices before anybody asks",
        references=("drivers/block/Kconfig: BLK_DEV_LOOP_MIN_COUNT", "drivers/block/loop.c: loop_init()"),
    ),
    OptionTechnique(
        id="legacy-ptys-off",
        title="No terminals of the old kind",
        what="Builds without CONFIG_LEGACY_PTYS.",
        why="The kernel registers 256 pairs of terminals (/dev/ptyp0, /dev/ttyp0 and so on) as devices before init.",
        when_not="A program from before 1998 opens /dev/ptyXX.",
        cost="None: /dev/ptmx stays.",
        risk=Risk(function="/dev/ptyXX and /dev/ttyXX of the old kind are gone"),
        sets=(("LEGACY_PTYS", "n"),),
        because="the kernel registers terminals of the old kind",
        references=("drivers/tty/Kconfig: LEGACY_PTYS", "drivers/tty/pty.c: legacy_pty_init()"),
    ),
    LargePages(
        id="arm64-large-pages",
        title="Pages of 16 KiB",
        what="Builds with CONFIG_ARM64_16K_PAGES.",
        why="A quarter of the page structures, page tables and page faults.",
        when_not="The processor lacks this size (Cortex-A53, -A57, -A72), or programs are linked for 4 KiB pages.",
        cost="More memory for small files and mappings.",
        risk=Risk(
            function="programs that take pages for 4 KiB fail; the kernel does not start on a core without this size",
            runtime="small mappings and files take more memory",
        ),
        architectures=("arm64",),
        kernels="4.4 and later",
        sets=(("ARM64_16K_PAGES", "y"),),
        because="the kernel has pages of 4 KiB",
        references=("arch/arm64/Kconfig: ARM64_16K_PAGES",),
    ),
)
