# SPDX-License-Identifier: MIT
"""The shape of a system file as it is written: one struct a table, before paths and patterns are looked at."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from bootlab.costs.named import RawCosts
from bootlab.model.earlier import Earlier
from bootlab.model.key import key
from bootlab.model.shutdown import Shutdown
from bootlab.model.storage import Storage
from bootlab.model.system import CHECK_S, Clockwork, FlashStart, KernelForm, Machine, TargetName
from bootlab.systemfile.raw_loader import RawLoader
from bootlab.systemfile.raw_table import RawTable
from bootlab.systemfile.raw_tree import RawFiles, RawInitramfs, RawRoot


class RawMachine(Machine, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[machine]`. Machine type and processor are the architecture's usual ones unless they are given."""

    type: str | None = None  # type: ignore[assignment] # an empty text is a mistake
    cpu: str | None = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Leave open what is left out."""


class RawClock(Clockwork, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[clock]`."""


class RawKernel(RawTable, frozen=True):
    """`[kernel]`. `cmdline` and `application` may stand here or at the top of the file, not in both.

    With `source` the kernel is built: `image` then names a make target, and `config` fragments.
    """

    image: Annotated[
        str,
        key(
            "the kernel image: bzImage or vmlinux (x86_64), zImage (arm), Image or Image.gz (arm64), Image "
            "(riscv64). Must be given unless the target is `replay` or the kernel is built; with `source` it is "
            "the make target, the architecture's usual one unless given: `bzImage`, `zImage`, `Image`, "
            "`xipImage`, `uImage`, … (an ARM `Image` and a RISC-V `Image.gz` get the header that names their load"
            " address)"
        ),
    ] = ""
    config: Annotated[
        str | list[str] | None,
        key(
            "its configuration, or with `source` one fragment or a list of them, merged in order; else "
            "`config-VERSION` beside `vmlinuz-VERSION`, else the one inside the image (IKCONFIG)"
        ),
    ] = None
    symbols: Annotated[
        str | None,
        key(
            "its `System.map` or its unstripped vmlinux; else `System.map-VERSION` beside it. If it and the image"
            " give different addresses, its addresses are used"
        ),
    ] = None
    form: Annotated[
        KernelForm, key("`image`: booted as it is. `vmlinux`: unpacked on the host and started by PVH (x86_64)")
    ] = "image"
    flash: Annotated[
        FlashStart | None,
        key(
            "start from flash: bootlab puts a loader, the kernel and the initramfs into the machine's first bank."
            " `in-place`: an xipImage executed there; `copied`: an Image copied to RAM; `unpacked`: a zImage "
            "copied to RAM, where it unpacks itself; `unpacked-in-place`: a zImage that unpacks itself from "
            "flash. Left out: the emulator loads the kernel"
        ),
    ] = None
    source: Annotated[
        str | None,
        key(
            "build the kernel: `debian` for Debian's linux-source-6.1, `debian-6.12` for another version that "
            "Debian has, or the path of a source tree. See [build kernels](../how-to/build-kernels.md)"
        ),
    ] = None
    defconfig: Annotated[
        str,
        key(
            "with `source`: the configuration to start from: a target of the kernel's make, or the path of a "
            "`.config`; default: `allnoconfig`"
        ),
    ] = ""
    options: Annotated[
        dict[str, str | int | bool],
        key(
            "with `source`: table of options, merged after the fragments: `SMP = false`, `HZ_100 = true`, "
            "`LOCALVERSION = '\"-x\"'`"
        ),
    ] = {}
    patches: Annotated[
        list[str], key("with `source`: patches (`patch -p1`), applied in order to a copy of the tree made of links")
    ] = []
    variables: Annotated[dict[str, str], key('with `source`: table of make variables: `KCFLAGS = "-g0"`')] = {}
    compiler: Annotated[
        str | None,
        key(
            "with `source`: prefix of another cross compiler, as in `CROSS_COMPILE`; else Debian's for the architecture"
        ),
    ] = None
    device_tree: Annotated[
        str | None,
        key(
            "with `source`: the device tree of the build to give to the machine (`vexpress-v2p-ca9.dtb`), instead"
            " of `machine.dtb`"
        ),
    ] = None
    embed_initramfs: Annotated[bool, key("with `source`: make the system's initramfs a part of the image")] = False
    append_device_tree: Annotated[
        bool,
        key(
            "with `source`, ARM: append the device tree to the zImage, for a boot loader that passes none; needs "
            "the options `ARM_APPENDED_DTB` and, for `cmdline` and initramfs, `ARM_ATAG_DTB_COMPAT`"
        ),
    ] = False
    late_modules_ms: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=3_600_000)] | None,
        key(
            "with `source`: put the build's modules into the initramfs, and load them this many milliseconds "
            "after user space has started, in the order of their dependencies (found by depmod from kmod)"
        ),
    ] = None
    modules: Annotated[
        bool,
        key(
            "with `source`: `false` builds the image only, whatever the configuration has as a module: for a "
            "system that loads none"
        ),
    ] = True
    prebuilt: Annotated[
        str | None,
        key(
            "with `source` and `defconfig`: the image that a distribution built from this source with this "
            "configuration. It boots until a technique or a variant changes something of the kernel; only then is"
            " one built. The options of `config` and `options` hold for what is built"
        ),
    ] = None
    board_cmdline: Annotated[
        str | None,
        key(
            "what the board's own boot loader passes, where `cmdline` has another root or console for the "
            "emulator's machine: no boot uses it, and `cmdline.txt` and `by-hand.sh` of a result say it with the "
            "result's changes"
        ),
    ] = None
    cmdline: Annotated[str | None, key("see `cmdline`")] = None
    application: Annotated[str | None, key("see `application`")] = None


class RawStorage(Storage, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[storage]`: where `bootlab fs` puts root file systems."""


class RawEarlier(Earlier, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[earlier]`: boots that the system has behind it."""


class RawShutdown(Shutdown, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[shutdown]`: the way down is measured."""


class RawStep(RawFiles, frozen=True, kw_only=True):
    """One of `[[steps]]`."""

    name: Annotated[str, key("name of the step; letters, digits, dot, dash, underscore, at most 64")]
    title: Annotated[str, key("its name in tables; default: `name`")] = ""
    remove: Annotated[
        list[str],
        key(
            "paths or shell patterns of what is removed from the tree (`*` also matches `/`). One that matches "
            "nothing is an error"
        ),
    ] = []
    keep: Annotated[list[str], key("paths or patterns that `remove` does not remove")] = []
    programs: Annotated[
        dict[str, Any], key("programs to build, like `[programs]`; one with the same path replaces the other")
    ] = {}
    drop: Annotated[list[str], key("kernel parameters to drop")] = []
    set: Annotated[list[str], key('kernel parameters to set: `["init=/usr/bin/app", "quiet"]`')] = []
    arguments: Annotated[
        list[str] | None, key("arguments of the first program, instead of those after `--` in `cmdline`")
    ] = None
    technique: Annotated[
        str, key("a technique of the [catalogue](techniques.md) to apply, `ID` or `ID:VARIANT`; it has its own proof")
    ] = ""
    shown: Annotated[
        str | None,
        key(
            "pattern that must match in the boot with the step, and not in the one before: in a console line, in "
            "`process PROGRAM`, or in `mapped PROGRAM FILE` (processes after the goal, and the files that they "
            "have mapped)"
        ),
    ] = None
    gone: Annotated[str | None, key("pattern that must match in the boot before, and not in the one with the step")] = (
        None
    )
    published: Annotated[str, key("a gain that others published, for the table")] = ""


class RawGoal(RawTable, frozen=True):
    """`[goal]`."""

    console: Annotated[
        str,
        key("the goal: the first console line that this pattern matches. Its time is that of the last byte matched"),
    ]
    name: Annotated[str, key("its name in reports")] = "goal"


class RawCheck(RawTable, frozen=True):
    """`[check]`."""

    console: Annotated[
        str | list[str],
        key(
            "one pattern or a list. Each must match, and its groups must capture the same text as in the base. "
            "Without a group, the matched text must be the same"
        ),
    ] = []
    command: Annotated[
        list[str],
        key(
            "a program and its arguments, run inside the booted system after the goal, in a separate boot. Its "
            "output and exit status must be the same as in the base. Needs `[initramfs]` or `[root]` for "
            "bootlab's agent"
        ),
    ] = []


class RawLimits(RawTable, frozen=True):
    """`[limits]`, in seconds. What is not given of virtual time depends on the shift."""

    virtual_s: Annotated[
        float | None,
        key(
            "virtual seconds from power-on without the goal; default: 120 at `clock.shift` 0 and 1, doubled for "
            "each step above, so that the number of instructions stays the same"
        ),
    ] = None
    stall_virtual_s: Annotated[
        float | None,
        key("virtual seconds without a byte on the console; default: 30, and longer with the shift in the same way"),
    ] = None
    check_s: Annotated[
        float,
        key(
            "seconds after the goal in which the text of `check.console` may come (virtual ones in exact mode; in"
            " free mode at least 5). Raise it if the check names something that the system starts after the goal"
        ),
    ] = CHECK_S
    wall_s: Annotated[
        float,
        key(
            "host seconds without the goal, as a safety net. In exact mode this says nothing about the system: "
            "bootlab boots once more, then the verdict is *unknown*"
        ),
    ] = 180.0
    stall_wall_s: Annotated[
        float,
        key(
            "free mode: host seconds without a byte on the console. Exact mode: host seconds in which virtual "
            "time did not move at all. If two boots stop at the same instruction, the system hangs; otherwise "
            "bootlab boots again, and after three attempts the verdict is *unknown*"
        ),
    ] = 60.0


class RawSystem(RawTable, frozen=True):
    """The whole file."""

    name: Annotated[str, key("name of the system; letters, digits, dot, dash, underscore, at most 64")]
    goal: RawGoal
    target: Annotated[
        TargetName, key("what boots it: `qemu`, `replay`, or a target that another package registered")
    ] = "qemu"
    machine: RawMachine = RawMachine()
    clock: RawClock = RawClock()
    kernel: RawKernel = RawKernel()
    initramfs: RawInitramfs | None = None
    root: RawRoot | None = None
    programs: dict[str, Any] = {}
    loader: RawLoader | None = None
    storage: RawStorage | None = None
    check: RawCheck = RawCheck()
    marks: Annotated[
        dict[str, Any],
        key(
            "table: mark name to console pattern. The names `rc-scripts` and `application` start the stages of "
            "those names"
        ),
    ] = {}
    limits: RawLimits = RawLimits()
    earlier: RawEarlier | None = None
    shutdown: RawShutdown | None = None
    steps: list[RawStep] = []
    costs: RawCosts | None = None
    cmdline: Annotated[
        str | None,
        key(
            "the kernel command line; may be given in `[kernel]` instead, but not in both. Order, duplicates, "
            "quoted values and init's arguments after `--` are kept. Exact mode adds `nokaslr` on x86_64 and "
            "arm64"
        ),
    ] = None
    application: Annotated[
        str | None,
        key(
            "absolute path of the program that gives first use, if it may also run as init; may be given in `[kernel]`"
        ),
    ] = None
    application_arguments: Annotated[
        list[str],
        key(
            "what the application is started with, one argument an entry; the kernel hands them on where it runs "
            "as init"
        ),
    ] = []
    recordings: Annotated[str | None, key("replay: the folder of recordings")] = None
