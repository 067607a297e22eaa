# ruff: noqa: E501 - a row of a Markdown table is one line
"""`system-file.md`: every key of a system file. A key without a description here, or the reverse, is an error."""

from __future__ import annotations

import types
import typing

import msgspec

from bootlab.systemfile import raw, template
from reference_pages.markdown import code, table

_INTRODUCTION = """\
# System file

A TOML file describes a *system*: everything that is booted. `bootlab new FILE.toml` writes a commented one (shown at
the end of this page). A key that does not exist is an error that names the file, the key and the nearest known one.

* Paths are relative to the system file. `~`, `$NAME` and `${NAME}` are expanded in paths; `$$` is a dollar sign. A variable
  that is not set is an error.
* Patterns are Python regular expressions, searched in each console line without terminal control sequences and without
  carriage return. In TOML, 'single quotes' keep a backslash as it is. A pattern that also matches an empty line is refused.
* With `target = "replay"` nothing is built, so files and variables need not exist.

"""
_TABLES: tuple[tuple[str, type[msgspec.Struct], str], ...] = (
    ("", raw.RawSystem, "Keys at the top of the file, before the first table."),
    ("machine", raw.RawMachine, "The emulated machine, with QEMU's names."),
    ("clock", raw.RawClock, "How time runs: see [exact mode](../explanation/exact-mode.md)."),
    ("kernel", raw.RawKernel, "The kernel and its command line."),
    (
        "initramfs",
        raw.RawInitramfs,
        "What bootlab packs: an archive, then a folder, then single entries. Later ones override earlier ones.",
    ),
    (
        "root",
        raw.RawRoot,
        "What is on a medium of the machine: a tree that bootlab packs as a file system, or an existing image. An `[initramfs]` in the same file must mount it. If `cmdline` has no `root=`, bootlab adds the parameters that mount the root. See [boot from a medium](../how-to/boot-from-a-medium.md).",
    ),
    (
        "initramfs.files",
        raw.RawEntry,
        'One entry per line: `"/path" = { … }`, with exactly one of the eight kinds. `[root.files]` has the same form.',
    ),
    (
        "initramfs.files.busybox",
        raw.RawBusybox,
        "A BusyBox built from source, static, for `machine.arch`; needs `scripts/fetch-busybox-source.sh` once.",
    ),
    (
        "programs",
        raw.RawProgram,
        'Programs of the tree that are [built from source](../how-to/build-programs.md): a table `[programs."/usr/bin/app"]` each.',
    ),
    (
        "storage",
        raw.RawStorage,
        "Where a root file system can be on the board, for [`bootlab fs`](../how-to/compare-file-systems.md).",
    ),
    (
        "loader",
        raw.RawLoader,
        "The boot loader on the machine's card. See [boot with a boot loader](../how-to/boot-with-a-boot-loader.md).",
    ),
    (
        "steps",
        raw.RawStep,
        "One `[[steps]]` per step, for [`bootlab steps`](../how-to/shorten-an-application.md); other commands ignore them. A step needs `shown`, `gone` or `technique` as its proof.",
    ),
    ("goal", raw.RawGoal, "First available use."),
    ("check", raw.RawCheck, "The functional check: what must still work in a faster system."),
    ("limits", raw.RawLimits, "When bootlab gives a boot up. Virtual limits have the same effect on every machine."),
)
_KEYS: dict[str, str] = {
    "name": "name of the system; letters, digits, dot, dash, underscore, at most 64",
    "target": "what boots it: `qemu`, `replay`, or a target that another package registered",
    "cmdline": "the kernel command line; may be given in `[kernel]` instead, but not in both. Order, duplicates, quoted values and "
    "init's arguments after `--` are kept. Exact mode adds `nokaslr` on x86_64 and arm64",
    "application": "absolute path of the program that gives first use, if it may also run as init; may be given in `[kernel]`",
    "application_arguments": "what the application is started with, one argument an entry; the kernel hands them on where it runs as init",
    "recordings": "replay: the folder of recordings",
    "marks": "table: mark name to console pattern. The names `rc-scripts` and `application` start the stages of those names",
    "machine.arch": "the architecture; it selects the emulator and the defaults of `type` and `cpu`",
    "machine.type": "`-machine`; else `q35` (x86_64) or `virt` (arm, arm64, riscv64)",
    "machine.cpu": "`-cpu`; else `max` (x86_64), `cortex-a15` (arm; a board's own core on boards that have one), `cortex-a72` (arm64), `rv64` (riscv64). In exact mode `max` of x86_64 gets `rdrand=off,rdseed=off`; under KVM the usual core of the other architectures becomes `host`",
    "machine.memory_mib": "memory, MiB; 1 to 1048576",
    "machine.cpus": "`-smp`; in exact mode more than 1 needs QEMU 10, and `clock.processors` says how their time is counted",
    "machine.firmware": "`default` is the machine type's own. `seabios` and `qboot` are for x86_64 only",
    "machine.options": "appended to `-machine TYPE,…`",
    "machine.devices": "each becomes `-device …`",
    "machine.disks": "disk image files; each becomes `-drive …`, a virtio disk",
    "machine.disk_bus": "how the disks are attached: virtio behind `pci` or `mmio`. Left out: `mmio` on the vexpress boards, which have no PCI, else `pci`",
    "machine.flash": "images of the parallel flash banks, in order, each with the size that QEMU expects (64 MiB on vexpress-a9 and ARM's virt, 32 MiB on RISC-V's); empty text leaves a bank without an image. Changes are discarded",
    "machine.sd": "image of the SD card; its size must be a power of two. It goes into the board's slot; on q35 and virt, which have none, behind `sdhci-pci`. Changes are discarded",
    "machine.pmem": "images of NVDIMMs (x86_64), as `/dev/pmem0` and so on; raw, a multiple of 2 MiB. Changes are discarded",
    "machine.console_baud": "free mode: the serial port is read at this many bits a second, ten for a character, so that the guest waits for its console as on a board (up to 4,000,000; 0: no waiting). See [what a console costs](../explanation/console-cost.md)",
    "machine.console_port": "the serial port that the console is read from, counted from 0 (1 on sabrelite, whose kernel prints on `ttymxc1`)",
    "machine.dtb": "the device tree blob, for boards for which QEMU generates none (vexpress-a9). It belongs to the board: another kernel gets the same one",
    "machine.extra": "further QEMU arguments, passed on unchanged after all others",
    "machine.emulator": "the QEMU binary; left out: the first `qemu-system-…` of the architecture in PATH",
    "clock.mode": "`exact`: one instruction takes 2^shift ns. `free`: the host's clock",
    "clock.shift": "exact mode: 0 to 10; 1 makes a machine of 500 million instructions a second",
    "clock.rtc_base": "exact mode: what the guest's clock shows at power-on, UTC, without zone",
    "clock.seed": "exact mode: seed of the random numbers that the emulator gives to the guest, 0 or more",
    "clock.processors": "exact mode, more than one processor: `parallel`: each has a time of its own. `shared`: virtual time "
    "is the sum of what all of them execute. See [several processors](../explanation/processors.md)",
    "clock.quantum_ns": "exact mode, `parallel`: how far the processors' times may be apart, 100 to 1000000000 ns",
    "clock.accel": "free mode: `auto`, `tcg` or `kvm`. `auto` uses KVM only if a small test guest ran on it",
    "kernel.image": "the kernel image: bzImage or vmlinux (x86_64), zImage (arm), Image or Image.gz (arm64), Image (riscv64). Must be given unless the target is `replay` or the kernel is built; with `source` it is the make target, the architecture's usual one unless given: `bzImage`, `zImage`, `Image`, `xipImage`, `uImage`, … (an ARM `Image` and a RISC-V `Image.gz` get the header that names their load address)",
    "kernel.source": "build the kernel: `debian` for Debian's linux-source-6.1, `debian-6.12` for another version that Debian has, or the path of a source tree. See [build kernels](../how-to/build-kernels.md)",
    "kernel.defconfig": "with `source`: the configuration to start from: a target of the kernel's make, or the path of a `.config`; default: `allnoconfig`",
    "kernel.options": "with `source`: table of options, merged after the fragments: `SMP = false`, `HZ_100 = true`, `LOCALVERSION = '\"-x\"'`",
    "kernel.patches": "with `source`: patches (`patch -p1`), applied in order to a copy of the tree made of links",
    "kernel.variables": 'with `source`: table of make variables: `KCFLAGS = "-g0"`',
    "kernel.compiler": "with `source`: prefix of another cross compiler, as in `CROSS_COMPILE`; else Debian's for the architecture",
    "kernel.device_tree": "with `source`: the device tree of the build to give to the machine (`vexpress-v2p-ca9.dtb`), instead of `machine.dtb`",
    "kernel.embed_initramfs": "with `source`: make the system's initramfs a part of the image",
    "kernel.late_modules_ms": "with `source`: put the build's modules into the initramfs, and load them this many milliseconds after user space has started, in the order of their dependencies (found by depmod from kmod)",
    "kernel.prebuilt": "with `source` and `defconfig`: the image that a distribution built from this source with this configuration. It boots until a technique or a variant changes something of the kernel; only then is one built. The options of `config` and `options` hold for what is built",
    "kernel.modules": "with `source`: `false` builds the image only, whatever the configuration has as a module: for a system that loads none",
    "kernel.append_device_tree": "with `source`, ARM: append the device tree to the zImage, for a boot loader that passes none; needs the options `ARM_APPENDED_DTB` and, for `cmdline` and initramfs, `ARM_ATAG_DTB_COMPAT`",
    "kernel.config": "its configuration, or with `source` one fragment or a list of them, merged in order; else `config-VERSION` beside `vmlinuz-VERSION`, else the one inside the image (IKCONFIG)",
    "kernel.symbols": "its `System.map` or its unstripped vmlinux; else `System.map-VERSION` beside it. If it and the image give different addresses, its addresses are used",
    "kernel.flash": "start from flash: bootlab puts a loader, the kernel and the initramfs into the machine's first bank. "
    "`in-place`: an xipImage executed there; `copied`: an Image copied to RAM; `unpacked`: a zImage copied to RAM, where it "
    "unpacks itself; `unpacked-in-place`: a zImage that unpacks itself from flash. Left out: the emulator loads the kernel",
    "kernel.form": "`image`: booted as it is. `vmlinux`: unpacked on the host and started by PVH (x86_64)",
    "kernel.cmdline": "see `cmdline`",
    "kernel.application": "see `application`",
    "initramfs.compression": "how the archive is compressed; left out: `gzip`, or as `archive` is",
    "initramfs.owners": "see `root.owners`",
    "initramfs.level": "the compressor's level; left out: the strongest of the format",
    "initramfs.dir": "a folder whose tree is packed, or a list of folders; later ones override earlier ones",
    "initramfs.archive": "an existing initramfs (cpio, compressed or not, several segments). Alone in its table it boots as the file it is. With `dir`, `files`, `compression` or `level`, or when a technique changes the tree, it is unpacked and packed again",
    "initramfs.keep": "absolute paths that slimming never removes",
    "initramfs.files": "single entries, below",
    "root.dir": "see `initramfs.dir`",
    "root.archive": "see `initramfs.archive`",
    "root.keep": "see `initramfs.keep`",
    "root.files": "see `initramfs.files`",
    "steps.name": "name of the step; letters, digits, dot, dash, underscore, at most 64",
    "steps.title": "its name in tables; default: `name`",
    "steps.remove": "paths or shell patterns of what is removed from the tree (`*` also matches `/`). One that matches nothing is an error",
    "steps.keep": "paths or patterns that `remove` does not remove",
    "steps.owners": "see `root.owners`",
    "steps.dir": "a folder, or a list of folders, copied over the tree",
    "steps.archive": "an archive like `initramfs.archive`, unpacked over the tree",
    "steps.files": "single entries, like `initramfs.files`; they override both",
    "steps.programs": "programs to build, like `[programs]`; one with the same path replaces the other",
    "steps.drop": "kernel parameters to drop",
    "steps.set": 'kernel parameters to set: `["init=/usr/bin/app", "quiet"]`',
    "steps.arguments": "arguments of the first program, instead of those after `--` in `cmdline`",
    "steps.technique": "a technique of the [catalogue](techniques.md) to apply, `ID` or `ID:VARIANT`; it has its own proof",
    "steps.shown": "pattern that must match in the boot with the step, and not in the one before: in a console line, in `process PROGRAM`, or in `mapped PROGRAM FILE` (processes after the goal, and the files that they have mapped)",
    "steps.gone": "pattern that must match in the boot before, and not in the one with the step",
    "steps.published": "a gain that others published, for the table",
    "root.file_system": "one of the formats of [`bootlab fs`](../how-to/compare-file-systems.md): `ext4`, `xfs`, `squashfs-lz4`, `erofs`, `cramfs-xip`, …",
    "root.image": "an existing disk or card image, raw or qcow2, instead of a tree. It boots as it is; writes are discarded",
    "root.partition": "with `image`: the partition that holds the root, for the `root=` that bootlab adds; left out: the whole image",
    "root.owners": "`root`: all files of `dir` belong to root. `kept`: to their owners on this machine (a tree that root unpacked)",
    "root.medium": "`pmem`: an NVDIMM, as `/dev/pmem0` (x86_64). `sd`: the board's card slot, as `/dev/mmcblk0`. `disk`: a virtio disk behind `machine.disks`. `flash`: the partition that `[storage]` names",
    "root.size_mib": "smallest size of the card or disk in MiB; left out: as large as needed. A card is rounded up to a power of two",
    "initramfs.files.source": "a regular file with the contents of this file; it keeps that file's mode unless `mode` is given",
    "initramfs.files.text": "a regular file with this text (mode 0644 unless given)",
    "initramfs.files.busybox": "an executable: BusyBox built with these applets (table `initramfs.files.busybox`)",
    "initramfs.files.busybox.applets": "names of the applets (`mount`, `[`); left out: all of the base configuration",
    "initramfs.files.busybox.options": "further options, name without `CONFIG_` = value: `{ FEATURE_SH_NOFORK = true }`",
    "initramfs.files.busybox.source": "`debian` (the folder that `BOOTLAB_BUSYBOX_SOURCE` names, or the user's cache), or a source tree",
    "initramfs.files.symlink": "a symbolic link to this target",
    "initramfs.files.dir": "`true`: a folder (mode 0755 unless given)",
    "initramfs.files.fifo": "`true`: a named pipe (mode 0644 unless given)",
    "initramfs.files.char": "a character device `[major, minor]` (mode 0600 unless given); no root needed",
    "initramfs.files.block": "a block device `[major, minor]` (mode 0600 unless given); no root needed",
    "initramfs.files.mode": 'octal mode in quotes: `"0755"`',
    "initramfs.files.uid": "owner",
    "initramfs.files.gid": "group",
    "loader.image": "SPL and U-Boot in one file, as written to a card (`u-boot-sunxi-with-spl.bin` of Debian's package `u-boot-sunxi`); bootlab makes the card image. On the machine `virt`: U-Boot alone, or TF-A followed by U-Boot",
    "loader.card": "a card image that already exists and boots as it is, instead of `image`",
    "loader.start": "how it finds and starts the kernel. With GRUB: `menu` (grub.cfg and modules on the disk) or `command` (all in GRUB's core image). With UEFI: `stub`: the kernel is the EFI program. `unified`: one EFI program has kernel, initramfs and command line in it. `menu`: systemd-boot on a disk. With U-Boot: `extlinux`: U-Boot searches for extlinux.conf. `script`: it searches for boot.scr. `command`, with `source`: a built-in boot command loads the files. `falcon`, with `card` or `source`: the SPL starts the kernel, and the report says when U-Boot had to take over. For RISC-V's `virt`, with `source`, it is the only one to name",
    "loader.grub": "PC: the folder of GRUB's modules (`/usr/lib/grub/i386-pc`), instead of `image`; bootlab makes a disk with GRUB",
    "loader.uefi": "PC: an image of a UEFI for QEMU (`/usr/share/ovmf/OVMF.fd` of Debian's package `ovmf`), instead of `image`",
    "loader.program": "with `uefi`: the EFI program that it starts: `linuxx64.efi.stub` for `unified`, `systemd-bootx64.efi` for `menu` (Debian's package `systemd-boot-efi`: `/usr/lib/systemd/boot/efi`)",
    "loader.wait_s": "with a menu of GRUB or systemd-boot: how long it waits, in seconds",
    "loader.wrapped": "give the kernel U-Boot's legacy header (uImage) and start it with `bootm`; otherwise with `bootz`",
    "loader.source": "build U-Boot: `debian` (the folder that `BOOTLAB_UBOOT_SOURCE` names, or `uboot-source` in the user's cache: `scripts/fetch-uboot-source.sh`), or a source tree; instead of `image`",
    "loader.defconfig": "with `source`: one of U-Boot's configurations (`orangepi_pc_defconfig`), or the path of a `.config`",
    "loader.config": "with `source`: one or several configuration fragments, merged in order",
    "loader.options": "with `source`: options, name without `CONFIG_` = value: `{ BOOTDELAY = 0, NET = false }`; they come after the fragments",
    "loader.patches": "with `source`: patches of the source (`diff -u`, `git diff`), applied in order to a copy",
    "loader.compiler": "with `source`: prefix of another cross compiler, as in `CROSS_COMPILE`",
    "loader.fallback": 'with `start = "falcon"`: how U-Boot starts the kernel when the SPL cannot: `extlinux`, `script` or `command`',
    "loader.place": 'with `start = "command"`: where kernel, device tree and initramfs are: files of the first partition, or raw sectors before it',
    "loader.exact": "raw sectors: read only as many as the files occupy; otherwise all the space reserved for each file",
    "loader.in_place": 'with `start = "command"` or `"script"`: use device tree, initramfs and a kernel with a header where they were loaded, without copying them',
    "loader.silent": 'with `start = "command"`: U-Boot and SPL print nothing. In falcon mode, with `fallback = "command"`: the SPL prints no banner',
    "loader.checked": 'with `start = "falcon"`: the SPL verifies checksums of kernel, initramfs and device tree; if one is damaged, U-Boot takes over',
    "loader.appended": 'with `start = "falcon"`: append the device tree to the zImage; the kernel needs the option `ARM_APPENDED_DTB`',
    "storage.flash_bank": "number of the flash bank (in `machine.flash`) that contains the root, in a partition at its start; left out: no rows from flash",
    "storage.flash_bank_mib": "length of the bank in MiB: 64 on vexpress-a9 and ARM's virt, 32 on RISC-V's",
    "storage.flash_address": "physical address at which the partition begins (`0x44000000`): a program executed in place must be mapped from there",
    "storage.flash_erase_kib": "erase block of the flash as the kernel sees it, KiB",
    "storage.root_kib": "length of the partition in KiB, in whole erase blocks; `mtdparts=` in `cmdline` defines it",
    "storage.mtd_name": "the kernel's name of the partition, for `root=mtd:NAME` (CRAMFS); without it CRAMFS is mounted by `mtd_block`",
    "storage.mtd_block": "the partition as a block device (`/dev/mtdblock1`)",
    "storage.ram_disk": "the RAM disk's device",
    "storage.page_cache": "console pattern with one group: the page cache in kB, in a line printed after the goal",
    "storage.mapping": "console pattern with one group: a program's mapping as a line of `/proc/self/maps`, printed after the goal; the proof of execution in place",
    "storage.sectors_read": "console pattern with one group: sectors of 512 bytes that the root's device has read, from `/proc/diskstats`, in a line printed after the goal; 0 if the root is on no block device. `fs` computes the modelled load time from it",
    "storage.remounted": "console pattern with one group: the result of an attempt to mount the root read-write after the goal (`remounted: (\\S+)`); shown with the row's proof",
    "goal.console": "the goal: the first console line that this pattern matches. Its time is that of the last byte matched",
    "goal.name": "its name in reports",
    "programs.sources": "files and folders for the build: files are copied by name, of folders the contents",
    "programs.build": "shell command, run in a fresh folder with the sources. It writes the program to `$OUT`, and other files of the tree under `$DESTDIR`. Left out: the C files among the sources are compiled",
    "programs.compiler": "prefix of another toolchain's programs (`arm-buildroot-linux-uclibcgnueabihf-`), in PATH, or with a path; left out: Debian's (cross) compiler",
    "programs.libc": "the C library; `musl` needs Debian's musl-tools, or `scripts/fetch-musl.sh ARCH`",
    "programs.link": "how it is linked: adds `-static` or `-static-pie` to `$LDFLAGS`; commands that also build libraries find it in `$LINK`",
    "programs.cflags": "`$CFLAGS`",
    "programs.ldflags": "`$LDFLAGS`",
    "programs.libs": "`$LDLIBS`: libraries, after the sources (`-lm`)",
    "programs.variables": "more environment variables for the command; they override bootlab's",
    "programs.library_dirs": "folders to search first for the shared libraries that the programs need",
    "programs.strip": "remove the symbols from every ELF file that was built",
    "programs.mode": 'octal mode in quotes; `"0755"` unless given',
    "check.command": "a program and its arguments, run inside the booted system after the goal, in a separate boot. Its output and exit status must be the same as in the base. Needs `[initramfs]` or `[root]` for bootlab's agent",
    "check.console": "one pattern or a list. Each must match, and its groups must capture the same text as in the base. Without a group, "
    "the matched text must be the same",
    "limits.virtual_s": "virtual seconds from power-on without the goal; default: 120 at `clock.shift` 0 and 1, doubled for each step above, so that the number of instructions stays the same",
    "limits.stall_virtual_s": "virtual seconds without a byte on the console; default: 30, and longer with the shift in the same way",
    "limits.check_s": "seconds after the goal in which the text of `check.console` may come (virtual ones in exact mode; in free mode at least 5). Raise it if the check names something that the system starts after the goal",
    "limits.wall_s": "host seconds without the goal, as a safety net. In exact mode this says nothing about the system: bootlab boots once more, then the verdict is *unknown*",
    "limits.stall_wall_s": "free mode: host seconds without a byte on the console. Exact mode: host seconds in which virtual time did not move at all. If two boots stop at the same instruction, the system hangs; otherwise bootlab boots again, and after three attempts the verdict is *unknown*",
}


def render() -> str:
    """Return the page. Raise LookupError when keys and descriptions differ."""
    parts = [_INTRODUCTION]
    seen: set[str] = set()
    for name, struct, text in _TABLES:
        rows = []
        hints = typing.get_type_hints(struct)
        for field in msgspec.structs.fields(struct):
            key = f"{name}.{field.name}" if name else field.name
            if not name and field.name in {n for n, _, _ in _TABLES}:
                continue
            seen.add(key)
            rows.append((code(field.name), _type(hints[field.name]), _default(field), _KEYS.get(key, "")))
        title = f"`[{name}]`" if name else "Top of the file"
        parts += [f"## {title}\n\n{text}\n\n", table(("key", "type", "default", "meaning"), rows), "\n"]
    if seen != _KEYS.keys():
        raise LookupError(f"keys and descriptions of the system file differ: {sorted(seen ^ _KEYS.keys())}")
    parts.append(f"## The file that `bootlab new` writes\n\n```toml\n{template('my-system')}```\n")
    return "".join(parts)


def _type(hint: object) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return " / ".join(code(a) for a in arguments)
    if origin in {types.UnionType, typing.Union}:
        return " or ".join(_type(a) for a in arguments if a is not type(None))
    if origin is tuple and ... not in arguments:
        return "[major, minor]"
    if origin in {list, tuple}:
        return "list of texts"
    if origin is dict:
        return "table"
    names = {str: "text", int: "integer", float: "number", bool: "true / false"}
    return names.get(hint, "table") if isinstance(hint, type) else "table"


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.default_factory is not msgspec.NODEFAULT:
        return ""
    if field.default is msgspec.NODEFAULT:
        return "must be given"
    if field.default in {None, "", ()}:
        return ""
    if isinstance(field.default, bool):
        return code(str(field.default).lower())
    return code(f'"{field.default}"' if isinstance(field.default, str) else field.default)
