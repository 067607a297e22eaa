# SPDX-License-Identifier: MIT
"""Parts that a kernel is built without."""

from __future__ import annotations

from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.option import OptionTechnique


class BlockOff(OptionTechnique):
    """Only where an initramfs holds everything."""

    def applies(self, context: Context) -> Applies:
        """No where something is mounted from a device; whether init mounts one later only the check tells."""
        system = context.system
        if system.root is not None:
            return Applies.no("the root is on a medium", f"root.medium = {system.root.medium}")
        if (root := system.cmdline.get("root")) is not None:
            return Applies.no("the kernel is told of a root device", str(root))
        if system.machine.files:
            return Applies.unknown("the machine has a disk or card: the check shows whether it is used")
        return super().applies(context)


class ModulesOff(OptionTechnique):
    """What is a module now is left out, not built in."""

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the configuration of the image that booted; say how much was a module, and what no longer is."""
        effect = super().took_effect(before, after)
        was = [name for name, value in before.recording.kernel_config.items() if value == "m"]
        if not effect.shown or not was:
            return effect
        built_in = [name for name in was if after.recording.kernel_config.get(name) == "y"]
        now = f", built in now: {', '.join(built_in[:4])}" if built_in else ""
        return Effect(True, f"{effect.evidence}; modules left out: {len(was) - len(built_in)}{now}")


_EXPERT_TRIMS = tuple(
    (name, "n")
    for name in (
        "SYSFS_SYSCALL",
        "FHANDLE",
        "AIO",
        "IO_URING",
        "ADVISE_SYSCALLS",
        "MEMBARRIER",
        "RSEQ",
        "KCMP",
        "ELF_CORE",
        "USERFAULTFD",
        "CROSS_MEMORY_ATTACH",
    )
)

TECHNIQUES: tuple[Technique, ...] = (
    OptionTechnique(
        id="smp-off",
        title="Kernel for one processor",
        what="Builds without CONFIG_SMP.",
        why=("A kernel for several processors brings them up, has locks and per-processor set-up, and is larger."),
        when_not="The machine has more than one processor that you want to use.",
        cost="Other processors stay off.",
        risk=Risk(function="only one processor is used", runtime="one processor does all work"),
        sets=(("SMP", "n"),),
        because="the kernel is built for several processors",
        gone=r"smp: Brought up|SMP: Total of|Brought up \d+ CPU",
        published=(Published("-126 ms, -188 KB", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),),
        references=("init/Kconfig, arch/*/Kconfig: SMP",),
    ),
    ModulesOff(
        id="modules-off",
        title="Kernel without modules",
        what="Builds without CONFIG_MODULES. What was a module is left out.",
        why=("The symbol tables and the module loader are gone, and the kernel becomes smaller."),
        when_not="This system ever loads a module.",
        cost="Drivers must be built in.",
        risk=Risk(function="no module can be loaded"),
        sets=(("MODULES", "n"),),
        because="the kernel can load modules",
        published=(Published("-20 ms, -82 KB", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),),
        references=("init/Kconfig: MODULES",),
    ),
    OptionTechnique(
        id="printk-off",
        title="Kernel without printk",
        what="Builds without CONFIG_PRINTK.",
        why=("No message is formatted or sent, and the image contains no message texts."),
        when_not=("Anybody will ever look for a fault in the field, or the goal or check is a kernel message."),
        cost="No kernel log at all; times must be measured from outside.",
        risk=Risk(
            function="dmesg and the system log contain nothing from the kernel",
            debuggability="no messages, not even those of a panic",
        ),
        sets=(("PRINTK", "n"),),
        because="the kernel prints messages",
        expert=True,
        gone=r"Linux version \d",
        published=(
            Published("-767 ms, -11 % kernel size", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),
        ),
        references=("init/Kconfig: PRINTK",),
    ),
    OptionTechnique(
        id="bug-off",
        title="Kernel without BUG()",
        what="Builds without CONFIG_BUG.",
        why=("Every check and its table entry are gone, so the kernel is smaller and loads faster."),
        when_not="The system must stop rather than continue with damaged data.",
        cost="The kernel continues where it would have stopped.",
        risk=Risk(
            security="the kernel continues although its own consistency checks would have failed",
            debuggability="no BUG and WARN reports",
        ),
        sets=(("BUG", "n"),),
        because="BUG() and WARN() are compiled in",
        expert=True,
        references=("init/Kconfig: BUG",),
    ),
    OptionTechnique(
        id="kallsyms-off",
        title="Kernel without symbol names",
        what="Builds without CONFIG_KALLSYMS, and without the tracers and debugging aids that select it.",
        why=("The table is a tenth of a small kernel, and has to be loaded and unpacked."),
        when_not=("Oops messages must be readable without further tools. `initcall_blacklist=` needs the table too."),
        cost="Traces show addresses; keep System.map.",
        risk=Risk(debuggability="oops messages and initcall_debug show addresses"),
        sets=(("KALLSYMS", "n"),),
        # kernel/trace/Kconfig, arch/Kconfig, lib/Kconfig.debug: select KALLSYMS; three that select LOCKDEP, which does.
        held_by=(
            "FUNCTION_TRACER",
            "FTRACE_SYSCALLS",
            "STACK_TRACER",
            "KPROBES",
            "LATENCYTOP",
            "DEBUG_KMEMLEAK",
            "PROVE_LOCKING",
            "LOCK_STAT",
            "DEBUG_LOCK_ALLOC",
        ),
        because="the symbol table is in the image",
        expert=True,
        references=("init/Kconfig: KALLSYMS",),
    ),
    OptionTechnique(
        id="ikconfig-off",
        title="Kernel without its configuration inside",
        what="Builds without CONFIG_IKCONFIG.",
        why="The configuration is compressed data that is loaded but never read.",
        when_not="Tools on the system read /proc/config.gz.",
        cost="Keep the .config beside the image.",
        risk=Risk(debuggability="/proc/config.gz is gone"),
        sets=(("IKCONFIG", "n"),),
        because="the configuration is in the image",
        references=("init/Kconfig: IKCONFIG",),
    ),
    OptionTechnique(
        id="configfs-off",
        title="Kernel without configfs",
        what="Builds without CONFIG_CONFIGFS_FS.",
        why="One file system less to register.",
        when_not="USB gadgets or targets are configured through it.",
        cost="None otherwise.",
        risk=Risk(function="/sys/kernel/config is gone"),
        sets=(("CONFIGFS_FS", "n"),),
        because="configfs is built in",
        references=("fs/configfs/Kconfig",),
    ),
    OptionTechnique(
        id="proc-off",
        title="Kernel without /proc",
        what="Builds without CONFIG_PROC_FS.",
        why="No subsystem registers files there.",
        when_not="Any program reads /proc: ps, mount, many libraries.",
        cost="Programs that read /proc fail.",
        risk=Risk(function="/proc is gone"),
        sets=(("PROC_FS", "n"),),
        because="/proc is built in",
        expert=True,
        published=(Published("-48 KB", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),),
        references=("fs/proc/Kconfig: PROC_FS",),
    ),
    OptionTechnique(
        id="sysfs-off",
        title="Kernel without sysfs",
        what="Builds without CONFIG_SYSFS, and without configfs, which selects it.",
        why=("Every device, driver and parameter creates directories and files there during the boot."),
        when_not="A program reads /sys: udev, mdev.",
        cost="Programs that read /sys fail.",
        risk=Risk(function="/sys is gone"),
        sets=(("SYSFS", "n"),),
        because="sysfs is built in",
        expert=True,
        # fs/configfs/Kconfig.
        held_by=("CONFIGFS_FS",),
        published=(
            Published("-35 ms, -22 KB", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),
            Published("-20 ms", "OMAP1510", "eLinux wiki"),
        ),
        references=("fs/sysfs/Kconfig: SYSFS",),
    ),
    OptionTechnique(
        id="proc-sysctl-off",
        title="Kernel without sysctl",
        what="Builds without CONFIG_PROC_SYSCTL (Linux 7.3: CONFIG_SYSCTL).",
        why="The tables of run-time parameters need not be registered.",
        when_not="A program or script sets a parameter (sysctl, /proc/sys).",
        cost="None otherwise.",
        risk=Risk(function="/proc/sys is gone"),
        # Before, SYSCTL was no question, but what PROC_SYSCTL selects. The version is the first that was looked at.
        sets=(("SYSCTL", "n"),),
        earlier=((7, 3), (("PROC_SYSCTL", "n"),)),
        only_if=("PROC_FS",),
        because="run-time parameters are built in",
        expert=True,
        references=("fs/proc/Kconfig: PROC_SYSCTL, in 7.3 SYSCTL",),
    ),
    OptionTechnique(
        id="proc-page-monitor-off",
        title="Kernel without page monitoring",
        what="Builds without CONFIG_PROC_PAGE_MONITOR.",
        why="Less code in the image.",
        when_not="Memory use is watched through smaps or pagemap.",
        cost="None otherwise.",
        risk=Risk(debuggability="/proc/PID/smaps and pagemap are gone"),
        sets=(("PROC_PAGE_MONITOR", "n"),),
        held_by=("MEM_SOFT_DIRTY", "HWPOISON_INJECT"),
        only_if=("PROC_FS",),
        because="page monitoring is built in",
        expert=True,
        references=("fs/proc/Kconfig: PROC_PAGE_MONITOR",),
    ),
    BlockOff(
        id="block-off",
        title="Kernel without block devices",
        what=("Builds without CONFIG_BLOCK, and so without MMC block, SCSI and disk file systems."),
        why="No block layer, no partitions, no disk drivers: a much smaller kernel with fewer initcalls.",
        when_not="Anything is ever mounted from a block device.",
        cost="No disks and no cards.",
        risk=Risk(function="no block device and no disk file system"),
        sets=(("BLOCK", "n"),),
        because="block devices are built in",
        expert=True,
        references=("block/Kconfig: BLOCK",),
    ),
    OptionTechnique(
        id="mmc-off",
        title="Kernel without MMC and SD cards",
        what="Builds without CONFIG_MMC.",
        why="The kernel does not search for a card.",
        when_not="Anything is on a card or eMMC.",
        cost="No cards.",
        risk=Risk(function="no MMC, eMMC or SD card"),
        sets=(("MMC", "n"),),
        because="MMC is built in",
        references=("drivers/mmc/Kconfig: MMC",),
    ),
    OptionTechnique(
        id="networking-off",
        title="Kernel without networking",
        what="Builds without CONFIG_NET.",
        why=("Protocols allocate tables and register themselves, and their code is a large part of the image."),
        when_not="Anything uses a network or a Unix socket.",
        cost="No sockets at all.",
        risk=Risk(function="no network and no Unix sockets"),
        sets=(("NET", "n"),),
        because="networking is built in",
        references=("net/Kconfig: NET",),
    ),
    OptionTechnique(
        id="vt-off",
        title="Kernel without virtual terminals",
        what="Builds without CONFIG_VT.",
        why="No screen is set up and no terminal allocated.",
        when_not="Somebody uses a screen and keyboard.",
        cost="No text console on a screen.",
        risk=Risk(function="no console on a screen"),
        sets=(("VT", "n"),),
        only_if=("VT",),
        because="virtual terminals are built in",
        expert=True,
        gone=r"Console: colour",
        references=("drivers/tty/Kconfig: VT",),
    ),
    OptionTechnique(
        id="cgroups-off",
        title="Kernel without control groups",
        what="Builds without CONFIG_CGROUPS.",
        why="No hierarchies, no accounting, less to register.",
        when_not="The system uses systemd or containers.",
        cost="No resource control.",
        risk=Risk(function="control groups are gone; systemd does not start without them"),
        sets=(("CGROUPS", "n"),),
        held_by=("SCHED_AUTOGROUP",),
        because="control groups are built in",
        references=("init/Kconfig: CGROUPS",),
    ),
    OptionTechnique(
        id="swap-off",
        title="Kernel without swap",
        what="Builds without CONFIG_SWAP.",
        why="Less code and one initcall fewer.",
        when_not="The system swaps.",
        cost="No swap.",
        risk=Risk(function="no swap space can be used"),
        sets=(("SWAP", "n"),),
        because="swap is built in",
        references=("mm/Kconfig: SWAP",),
    ),
    OptionTechnique(
        id="expert-trims",
        title="Rare system calls left out (EXPERT)",
        what=("Builds without the system calls and features that CONFIG_EXPERT allows to leave out."),
        why="Less code and fewer initcalls.",
        when_not="A program uses one of them.",
        cost="Programs that use them get the error ENOSYS.",
        risk=Risk(
            function=("io_uring, AIO, rseq, membarrier, kcmp, file handles, core dumps and more are gone"),
            runtime=(
                "hash tables are smaller (BASE_FULL, from 6.10 on BASE_SMALL), and programs fall back to slower ways "
                "than rseq and io_uring"
            ),
        ),
        sets=(*_EXPERT_TRIMS, ("BASE_SMALL", "y")),
        earlier=((6, 10), (*_EXPERT_TRIMS, ("BASE_FULL", "n"))),
        because="rare system calls are built in",
        expert=True,
        published=(Published("-34 ms, -51 KB", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),),
        references=("init/Kconfig: menu 'Configure standard kernel features (expert users)'",),
    ),
    OptionTechnique(
        id="arm-unwinder-off",
        title="ARM kernel without unwind tables",
        what="Builds with CONFIG_UNWINDER_FRAME_POINTER instead of CONFIG_UNWINDER_ARM.",
        why="The image contains no unwind tables.",
        when_not=("Code with frame pointers costs more time than loading the tables takes."),
        cost="One register fewer for the compiler; not possible with Thumb-2.",
        risk=Risk(runtime=("with one register fewer for the compiler, functions with a stack frame are slower")),
        architectures=("arm",),
        conflicts=("thumb2-kernel",),
        sets=(("UNWINDER_FRAME_POINTER", "y"), ("UNWINDER_ARM", "n")),
        because="unwind tables are in the image",
        references=("arch/arm/Kconfig.debug: UNWINDER_FRAME_POINTER",),
    ),
)
