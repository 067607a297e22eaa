# SPDX-License-Identifier: MIT
"""A boot looked at before it is made: what cannot work, in one sentence with the way out.

Only what is certain is refused; whatever cannot be known (no configuration, an initrd of one's own) is left to a boot.
"""

from __future__ import annotations

import re

from bootlab.builders.kernelinfo import DRIVER_SYMBOLS
from bootlab.builders.tree_needs import TreeNeeds
from bootlab.errors import UserError
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.extra_words import processors_of
from bootlab.launch.machine_devices import parts_of
from bootlab.model.architecture import ARCHITECTURES
from bootlab.model.launch import Launch
from bootlab.model.system import SystemDescription
from bootlab.preflight import device_tree as preflight_device_tree
from bootlab.preflight import early_console as preflight_early_console
from bootlab.preflight import goal as preflight_goal
from bootlab.preflight import root as preflight_root
from bootlab.preflight import words as preflight_words
from bootlab.sources import boards

# The option of each architecture, by the names that kernel images have for it.
_ARCH_OPTIONS = (("x86", "X86"), ("x86_64", "X86"), ("arm", "ARM"), ("arm64", "ARM64"), ("riscv", "RISCV"))
_ANYWAY = "   (bootlab boot --force boots it anyway)"

# Names of the serial ports that machines have (hw/ of QEMU), and the option of each port's console driver.
_PORTS = {"x86_64": ("ttyS",), "riscv64": ("ttyS", "ttySIF")}
_BOARD_PORTS = {
    "virt": ("ttyAMA",),
    "vexpress-a9": ("ttyAMA",),
    "vexpress-a15": ("ttyAMA",),
    "versatilepb": ("ttyAMA",),
    "sabrelite": ("ttymxc",),
    "mcimx6ul-evk": ("ttymxc",),
    "mcimx7d-sabre": ("ttymxc",),
    "orangepi-pc": ("ttyS",),
}
_FIRST_PORT = {"sabrelite": "ttymxc1"}
_DRIVERS = {"ttyS": "SERIAL_8250_CONSOLE", "ttyAMA": "SERIAL_AMBA_PL011_CONSOLE", "ttymxc": "SERIAL_IMX_CONSOLE"}
_PORT = re.compile(r"(tty[A-Z][A-Za-z]*|ttymxc)\d+")
# Consoles that are no port of the board's, and are meant so: none at all, the screen, a device of the hypervisor's.
_ELSEWHERE = re.compile(r"(?:ttynull|null|hvc\d*|tty\d*|uart.*|netcon.*|)$")

# The root's device: the driver that makes it (drivers/), and the models of QEMU's that it drives.
_ROOTS = (
    ("/dev/vd", "VIRTIO_BLK", ("virtio-blk",)),
    ("/dev/nvme", "BLK_DEV_NVME", ("nvme",)),
    ("/dev/pmem", "BLK_DEV_PMEM", ("nvdimm", "virtio-pmem")),
    ("/dev/sd", "BLK_DEV_SD", ("ide-", "scsi-", "usb-storage", "usb-bot", "usb-uas")),
    ("/dev/mmcblk", "MMC_BLOCK", ("sd-card", "emmc")),
    ("/dev/mtdblock", "MTD_BLOCK", ()),
    ("/dev/ram", "BLK_DEV_RAM", ()),
)
_FILE_SYSTEMS = {
    "ext2": ("EXT2_FS", "EXT4_USE_FOR_EXT2"),
    "ext3": ("EXT4_FS",),
    "ext4": ("EXT4_FS",),
    "squashfs": ("SQUASHFS",),
    "erofs": ("EROFS_FS",),
    "f2fs": ("F2FS_FS",),
    "btrfs": ("BTRFS_FS",),
    "xfs": ("XFS_FS",),
    "cramfs": ("CRAMFS",),
    "romfs": ("ROMFS_FS",),
    "jffs2": ("JFFS2_FS",),
    "ubifs": ("UBIFS_FS",),
    "vfat": ("VFAT_FS",),
    "nfs": ("ROOT_NFS",),
}


def check(plan: BootPlan) -> None:
    """Raise UserError when a boot cannot work, or cannot reach its goal on this console."""
    launch = plan.launch
    if plan.system.target != "qemu" or launch is None:
        return
    of_the_kernel = (_whole(plan), _architecture(plan), preflight_words.check(plan), _memory(plan), _options(plan))
    of_the_machine = (
        preflight_device_tree.check(plan),
        _processors(plan),
        preflight_early_console.check(plan),
        _console(plan),
        _console_port(plan, launch),
        _console_driver(plan),
    )
    of_the_root = (_root_driver(plan), _root_device(plan, launch), preflight_root.check(plan))
    for found in (*of_the_kernel, *of_the_machine, *of_the_root, preflight_goal.check(plan)):
        if found is not None:
            message, hint = found
            raise UserError(f"{plan.system.name}: {message}", hint=hint + _ANYWAY)


def _whole(plan: BootPlan) -> tuple[str, str] | None:
    """Name a kernel that was cut off: it prints nothing, or stops in its decompressor."""
    lacking, there = plan.info.lacking_bytes, plan.info.size_bytes
    if not lacking:
        return None
    message = f"{plan.system.kernel.image} is cut off: {there:,} of at least {there + lacking:,} bytes are there"
    return message, "copy or build the kernel again"


def _architecture(plan: BootPlan) -> tuple[str, str] | None:
    """Compare the kernel with the machine: everything else that is wrong follows from that."""
    machine, kernel = plan.system.machine, plan.info.arch
    if kernel in {"", "unknown", *machine.architecture.kernel_archs}:
        return None
    right = next((name for name, facts in ARCHITECTURES.items() if kernel in facts.kernel_archs), None)
    fix = f'set machine.arch = "{right}", or give ' if right else "give "
    return (
        f"{plan.system.kernel.image} is a kernel for {kernel}; the machine is {machine.arch}",
        f"{fix}a kernel for {machine.arch}",
    )


def _processors(plan: BootPlan) -> tuple[str, str] | None:
    """Name a number of processors that QEMU's machine cannot have."""
    machine = plan.system.machine
    board, count = boards.of_machine(machine.type, machine.arch), processors_of(machine.cpus, machine.extra)
    if board is None or not board.processors or board.processors_least <= count <= board.processors:
        return None
    least, most = board.processors_least, board.processors
    allowed = str(most) if least == most else f"{least} to {most}"
    fewer = "; maxcpus=1 in kernel.cmdline leaves one of them on" if count < least else ""
    return f"machine.cpus is {count}; QEMU's {board.machine} has {allowed}", f"set machine.cpus = {most}{fewer}"


def _memory(plan: BootPlan) -> tuple[str, str] | None:
    """Name a machine whose memory ends before the unpacked kernel does."""
    needed, there = plan.info.memory_bytes, plan.system.machine.memory_mib << 20
    if plan.system.kernel.flash is not None:
        return None
    least = -(-needed >> 20)
    if needed > there:
        message = f"the kernel needs {least} MiB of memory to unpack itself, the machine has {there >> 20} MiB"
        return message, f"set machine.memory_mib to more than {least}"
    allowed = _bytes(plan.system.cmdline.value("mem") or "")
    if allowed is not None and needed > allowed:
        given = plan.system.cmdline.value("mem")
        return (
            f"mem={given} leaves less memory than the kernel itself takes ({least} MiB)",
            "raise mem=, or leave it out",
        )
    return None


def _bytes(text: str) -> int | None:
    """Return a size as the kernel reads it (lib/cmdline.c: memparse()); None for what says more or nothing."""
    found = re.fullmatch(r"(\d{1,15})([KMGkmg]?)", text)
    return int(found[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[found[2].lower()] if found else None


def _options(plan: BootPlan) -> tuple[str, str] | None:
    """Compare the kernel's configuration with its architecture, and with the initramfs that it shall start."""
    config, early = plan.info.config, plan.system.initramfs
    own = next((option for arch, option in _ARCH_OPTIONS if arch == plan.info.arch), "")
    others = [option for _, option in _ARCH_OPTIONS if option != own and config.get(f"CONFIG_{option}") == "y"]
    if own and others and config.get(f"CONFIG_{own}") != "y":
        return (
            f"kernel.config ({plan.info.config_source}) is of a kernel with CONFIG_{others[0]}, not of this one",
            "give the configuration of this kernel, or leave kernel.config out",
        )
    if early is None or early.tree is None:
        return None
    if config.get("CONFIG_BLK_DEV_INITRD") == "n":
        return (
            "the kernel takes no initramfs: CONFIG_BLK_DEV_INITRD is not set",
            "build the kernel with CONFIG_BLK_DEV_INITRD=y, or put the tree on a medium: [root]",
        )
    needs = TreeNeeds(early.tree, plan.system.machine.arch)
    way = needs.follow(plan.system.cmdline.value("rdinit") or "/init")
    if way.entry is None or way.entry.kind != "file":
        return None
    found = needs.content(way.path)
    wanted = {"BINFMT_SCRIPT": found.interpreter is not None, "BINFMT_ELF": found.is_program}
    option = next((name for name, needed in wanted.items() if needed and config.get(f"CONFIG_{name}") == "n"), "")
    if not option:
        return None
    # What a script names is an ELF program in the end.
    what = "a script" if found.interpreter is not None else "an ELF program"
    return f"{way.path} is {what}, which this kernel cannot start: CONFIG_{option} is not set", (
        f"build the kernel with CONFIG_{option}=y"
    )


def _console(plan: BootPlan) -> tuple[str, str] | None:
    machine = plan.system.machine
    names = [value.partition(",")[0] for value in _consoles(plan)]
    wanted = _BOARD_PORTS.get(machine.type) if machine.arch in {"arm", "arm64"} else _PORTS.get(machine.arch)
    if wanted is None or _early_console(plan):
        return None
    port = _FIRST_PORT.get(machine.type, f"{wanted[0]}0")
    fix = f'add console={port} to kernel.cmdline ("console={port},115200")'
    board = boards.of_machine(machine.type, machine.arch)
    if board is not None and board.port == port and board.console_port != machine.console_port:
        fix += f", and set machine.console_port = {board.console_port}"
    if not names:
        # Elsewhere the device tree names the port (stdout-path).
        silent = machine.arch == "x86_64" and not _own_cmdline(plan)
        return (
            ("the command line has no console=, so the kernel prints nothing on the serial port", fix)
            if silent
            else None
        )
    if any(_ELSEWHERE.fullmatch(name) or name.startswith(wanted) for name in names) or machine.devices or machine.extra:
        return None
    return f"console={names[-1]} is not a port of this machine: {machine.type} has {port}", fix


def _console_port(plan: BootPlan, launch: Launch) -> tuple[str, str] | None:
    """Compare the port that the kernel prints on with the one that is read."""
    machine = plan.system.machine
    wanted = _BOARD_PORTS.get(machine.type) if machine.arch in {"arm", "arm64"} else _PORTS.get(machine.arch)
    ports = [found for value in _consoles(plan) if (found := _PORT.match(value)) and found[1] in (wanted or ())]
    numbers = [preflight_device_tree.number_of_port(plan, found[0], int(found[0][len(found[1]) :])) for found in ports]
    if not numbers or launch.console_port in numbers or machine.devices or machine.extra or _early_console(plan):
        return None
    name, port = ports[-1][0], launch.console_port
    return (
        f"the kernel prints on {name}, which is port {numbers[-1]} of the machine; bootlab reads port {port}",
        f"set machine.console_port = {numbers[-1]}, or name another port in kernel.cmdline (console=)",
    )


def _console_driver(plan: BootPlan) -> tuple[str, str] | None:
    config = plan.info.config
    for value in _consoles(plan):
        found = _PORT.match(value)
        option = _DRIVERS.get(found[1]) if found else None
        if option and config and config.get(f"CONFIG_{option}") != "y":
            return (
                f"the kernel has no console driver for {value.partition(',')[0]}: CONFIG_{option} is not built in",
                f"build the kernel with CONFIG_{option}=y, or take another machine",
            )
    return None


def _root_driver(plan: BootPlan) -> tuple[str, str] | None:
    root, config = _mounted_root(plan), plan.info.config
    if root is None:
        return None
    option = next((option for start, option, _ in _ROOTS if root.startswith(start)), "")
    if not config:
        # Whoever gives no configuration: the image's own symbols tell as much.
        symbol, symbols = DRIVER_SYMBOLS.get(option), plan.info.symbols
        lacks = symbol is not None and "start_kernel" in symbols and symbol not in symbols
        return _missing(f"root={root}", option, None) if lacks else None
    if option and config.get(f"CONFIG_{option}") != "y":
        return _missing(f"root={root}", option, config)
    fstypes = (plan.system.cmdline.value("rootfstype") or "").split(",")
    wanted = [_FILE_SYSTEMS[fstype] for fstype in fstypes if fstype in _FILE_SYSTEMS]
    if wanted and len(wanted) == len(fstypes) and not any(config.get(f"CONFIG_{o}") == "y" for w in wanted for o in w):
        return _missing(f"rootfstype={','.join(fstypes)}", wanted[0][0], config)
    return None


def _root_device(plan: BootPlan, launch: Launch) -> tuple[str, str] | None:
    root = _mounted_root(plan)
    if root is None:
        return None
    models = [part.model for part in parts_of(launch)]
    for start, _, drives in _ROOTS:
        if root.startswith(start) and drives and not any(model.startswith(drives) for model in models):
            return (
                f"root={root}, but the machine has no such device",
                'give the image (machine.disks, machine.sd), or let bootlab pack the tree: [root] medium = "disk"',
            )
    return None


def _missing(what: str, option: str, config: dict[str, str] | None) -> tuple[str, str]:
    """Say that a driver is not in the kernel; None: no configuration says whether it is a module."""
    state = "a module" if config and config.get(f"CONFIG_{option}") == "m" else "left out"
    state = "not built in" if config is None else state
    return (
        f"the kernel cannot mount {what}: CONFIG_{option} is {state}, and there is no initramfs to load it from",
        f"build it in (CONFIG_{option}=y), or boot with an initramfs",
    )


def _mounted_root(plan: BootPlan) -> str | None:
    """Return the device that the kernel itself mounts; None where an initramfs decides, or nothing is known."""
    system: SystemDescription = plan.system
    root = system.cmdline.value("root")
    own = plan.info.config.get("CONFIG_INITRAMFS_SOURCE", "").strip('"')
    if root is None or own or system.initramfs is not None or (system.initrd and not root.startswith("/dev/ram")):
        return None
    return root


def _consoles(plan: BootPlan) -> list[str]:
    return [param.value or "" for param in plan.system.cmdline.params if param.key == "console"]


def _early_console(plan: BootPlan) -> bool:
    return any(plan.system.cmdline.has(key) for key in ("earlycon", "earlyprintk"))


def _own_cmdline(plan: BootPlan) -> str:
    return plan.info.config.get("CONFIG_CMDLINE", "").strip('"')
