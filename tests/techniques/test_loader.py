# SPDX-License-Identifier: MIT
"""Techniques of the boot loader: when they apply, what they change, and what proves them."""

import msgspec
import pytest

from bootlab.model.boot_loader import Loader, LoaderBuild
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Line, Mark, Meta, Recording
from bootlab.model.system import Goal, Kernel, KernelBuild, Machine, SystemDescription
from bootlab.techniques.base import Answer, Context, Evidence
from bootlab.techniques.loader_built import said_lines
from bootlab.techniques.registry import BUILT_IN, get

LOADER = Loader(build=LoaderBuild(base="orangepi_pc_defconfig"))
SYSTEM = SystemDescription(
    name="chain",
    kernel=Kernel(image="", build=KernelBuild()),
    goal=Goal(console="done"),
    machine=Machine(arch="arm", type="orangepi-pc"),
    cmdline=CommandLine.parse("maxcpus=1"),
    loader=LOADER,
)
CONFIG = {
    "CONFIG_BOOTDELAY": "2",
    "CONFIG_USB_EHCI_HCD": "y",
    "CONFIG_USB_OHCI_HCD": "y",
    "CONFIG_VIDEO_DE2": "y",
    "CONFIG_NET": "y",
    "CONFIG_EFI_LOADER": "y",
    "CONFIG_ENV_IS_IN_FAT": "y",
    "CONFIG_DISTRO_DEFAULTS": "y",
    "CONFIG_SPL_I2C": "y",
    "CONFIG_SPL_SERIAL": "y",
    "CONFIG_SY8106A_POWER": "y",
}
SILENT = {**CONFIG, "CONFIG_SPL_SERIAL": "n", "CONFIG_SILENT_CONSOLE": "y"}
SAID = (
    "U-Boot SPL 2023.01",
    "Trying to boot from MMC1",
    "U-Boot 2023.01 Allwinner Technology",
    "Loading Environment from FAT... Unable to use mmc 0:1...",
    "Net:   No ethernet found.",
    "starting USB...",
    "Hit any key to stop autoboot:  2 ",
    "Scanning mmc 0:1...",
    "Kernel image @ 0x42000000 [ 0x000000 - 0x158968 ]",
    "   Loading Ramdisk to 49f28000, end 49fffb9d ... OK",
    "[    0.000000] Linux version 6.1.0",
    "[    0.100000] Net: starting USB... Scanning 1, Loading Environment from, as the kernel says it",
)
COMMAND = msgspec.structs.replace(LOADER, start="command")
RAW = msgspec.structs.replace(COMMAND, place="raw", exact=True)
FALCON = msgspec.structs.replace(LOADER, start="falcon")
LOADER_TECHNIQUES = [technique for technique in BUILT_IN if technique.stage == "loader"]


def system(loader: Loader | None = LOADER, **kernel: object) -> SystemDescription:
    return msgspec.structs.replace(SYSTEM, loader=loader, kernel=Kernel(image="", build=KernelBuild(**kernel)))


def recording(lines=SAID, config=None, sha="a", marks=("u-boot", "kernel-entry"), **kernel: str) -> Recording:
    return Recording(
        meta=Meta(artefact_sha256={"loader": sha, "kernel": sha}, artefact_bytes={"loader": 500, "kernel": 700}),
        lines=tuple(Line(at, text, 0) for at, text in enumerate(lines)),
        marks=tuple(Mark(name, 1000) for name in marks),
        loader_config=CONFIG if config is None else config,
        kernel_config={"CONFIG_PRINTK": "y", **kernel},
    )


def context(loader: Loader | None = LOADER, config=None, **kernel: object) -> Context:
    return Context(
        system=system(loader, **kernel), recording=recording(config=config), config={"CONFIG_PRINTK": "y"}, arch="arm"
    )


def evidence(loader: Loader = LOADER, **fields: object) -> Evidence:
    return Evidence(system=system(loader), recording=recording(**fields))


@pytest.mark.parametrize("technique", LOADER_TECHNIQUES, ids=lambda t: t.id)
def test_without_a_boot_loader_that_is_built_there_is_nothing_to_change(technique):
    assert technique.applies(context(None)).answer is Answer.NO
    for change in technique.changes(context(None)):
        without = msgspec.structs.replace(system(None), kernel=Kernel(image="x"))
        assert change.apply(without) == without
    given = technique.applies(context(Loader(image="u-boot.bin")))
    assert given.answer is Answer.NO
    assert given.reason


@pytest.mark.parametrize(
    ("technique", "loader", "answer", "part"),
    [
        ("loader-boot-delay", LOADER, Answer.YES, "CONFIG_BOOTDELAY=2"),
        ("loader-boot-delay", FALCON, Answer.NO, "does not run"),
        ("loader-distro-off", LOADER, Answer.NO, "loader-boot-command"),
        ("loader-distro-off", COMMAND, Answer.YES, "DISTRO_DEFAULTS=y"),
        ("spl-regulator-off", FALCON, Answer.YES, "SY8106A_POWER=y"),
        ("loader-boot-command", LOADER, Answer.YES, "Scanning mmc"),
        ("loader-boot-command", COMMAND, Answer.NO, "searches for nothing"),
        ("loader-in-place", LOADER, Answer.NO, "only a boot command"),
        ("loader-in-place", COMMAND, Answer.YES, "Loading Ramdisk to"),
        ("loader-in-place", msgspec.structs.replace(COMMAND, in_place=True), Answer.NO, "already"),
        ("loader-raw-card", LOADER, Answer.NO, "own boot command"),
        ("loader-raw-card", COMMAND, Answer.YES, "FAT"),
        ("loader-raw-card", RAW, Answer.NO, "raw"),
        ("loader-exact-sizes", RAW, Answer.NO, "only what is there"),
        ("loader-exact-sizes", COMMAND, Answer.NO, "file system"),
        ("loader-exact-sizes", FALCON, Answer.YES, "whole reserved space"),
        ("loader-bootz", LOADER, Answer.NO, "no header"),
        ("loader-bootz", msgspec.structs.replace(LOADER, wrapped=True), Answer.YES, "legacy header"),
        ("loader-silent", LOADER, Answer.NO, "loader-boot-command"),
        ("loader-silent", COMMAND, Answer.YES, "characters"),
        ("loader-silent", FALCON, Answer.NO, "reads a key"),
        ("loader-silent", msgspec.structs.replace(COMMAND, silent=True), Answer.NO, "silent"),
        ("falcon-mode", LOADER, Answer.YES, "U-Boot 2023.01"),
        ("falcon-mode", FALCON, Answer.NO, "SPL starts"),
        ("falcon-appended-tree", LOADER, Answer.NO, "about falcon"),
        ("falcon-appended-tree", FALCON, Answer.YES, "sectors of its own"),
        ("falcon-appended-tree", msgspec.structs.replace(FALCON, appended=True), Answer.NO, "appended to the kernel"),
    ],
)
def test_applies(technique, loader, answer, part):
    found = get(technique).applies(context(loader))
    assert found.answer is answer, found
    assert part in f"{found.reason} {found.evidence}", found


def test_what_is_about_a_card_does_not_apply_where_the_emulator_fills_the_memory():
    virt = Machine(arch="riscv64", type="virt")
    for name, answer in (
        ("falcon-mode", Answer.YES),
        ("loader-boot-delay", Answer.YES),
        ("loader-boot-command", Answer.NO),
        ("loader-exact-sizes", Answer.NO),
    ):
        for loader in (LOADER, FALCON):
            there = context(loader)
            there = msgspec.structs.replace(there, system=msgspec.structs.replace(there.system, machine=virt))
            found = get(name).applies(there).answer
            assert found is (answer if loader is LOADER else Answer.NO), (name, loader.start)


def test_the_configuration_decides_and_is_known_after_a_boot():
    assert get("loader-boot-delay").applies(context(config={})).answer is Answer.UNKNOWN
    assert get("loader-boot-delay").applies(context(config={"CONFIG_BOOTDELAY": "0"})).answer is Answer.NO
    assert get("loader-video-off").applies(context(config={"CONFIG_NET": "y"})).answer is Answer.NO
    assert get("falcon-appended-tree").applies(context(FALCON, image="Image")).answer is Answer.NO


def test_changes_ask_only_for_what_differs():
    (change,) = get("loader-usb-off").changes(context(config={**CONFIG, "CONFIG_USB_OHCI_HCD": "n"}))
    assert change.apply(SYSTEM).loader.build.changes == ((("USB_EHCI_HCD", "n"),),)
    assert get("loader-boot-delay").changes(context(config={"CONFIG_BOOTDELAY": "0"})) == ()


def test_falcon_mode_keeps_the_way_before_as_its_fallback():
    unchecked, checked = get("falcon-mode").changes(context(RAW))
    found = unchecked.apply(system(RAW)).loader
    assert (found.start, found.fallback, found.place, found.checked) == ("falcon", "command", "fat", False)
    assert checked.apply(system(RAW)).loader.checked
    (appended,) = get("falcon-appended-tree").changes(context(FALCON))
    changed = appended.apply(system(FALCON))
    assert changed.loader.appended
    assert changed.kernel.build.changes == ((("ARM_APPENDED_DTB", "y"),),)


def without(*words: str) -> tuple[str, ...]:
    return tuple(line for line in SAID if line.startswith("[") or not any(word in line for word in words))


CHANGED = {"sha": "b"}
RAW_READ = "MMC read: dev # 0, block # 8192, count 3072 ... 3072 blocks read: OK"
FEWER = "MMC read: dev # 0, block # 8192, count 512 ... 512 blocks read: OK"
SHOWN = [
    ("loader-boot-delay", {}, {"config": {**CONFIG, "CONFIG_BOOTDELAY": "0"}, **CHANGED}, "BOOTDELAY: 2 -> 0"),
    (
        "loader-usb-off",
        {},
        {"config": {"CONFIG_BOOTDELAY": "2"}, "lines": without("USB"), **CHANGED},
        "gone from its lines: starting USB",
    ),
    (
        "loader-boot-command",
        {},
        {"config": {**CONFIG, "CONFIG_USE_DEFAULT_ENV_FILE": "y"}, "lines": without("Scanning"), **CHANGED},
        "Scanning mmc",
    ),
    ("loader-in-place", {}, {"lines": without("Ramdisk")}, "Loading Ramdisk"),
    ("loader-raw-card", {}, {"lines": (RAW_READ, *SAID)}, "3072 sectors"),
    ("loader-exact-sizes", {"lines": (RAW_READ, *SAID)}, {"lines": (FEWER, *SAID)}, "3072 -> 512"),
    (
        "loader-exact-sizes",
        {"config": {"CONFIG_SYS_MMCSD_RAW_MODE_ARGS_SECTORS": "0x80"}},
        {"config": {"CONFIG_SYS_MMCSD_RAW_MODE_ARGS_SECTORS": "0x30"}, **CHANGED},
        "128 -> 48",
    ),
    (
        "loader-bootz",
        {"lines": ("## Booting kernel from Legacy Image at 42000000 ...", SAID[10])},
        {"lines": SAID},
        "Kernel image @",
    ),
    (
        "loader-silent",
        {},
        {"config": SILENT, "lines": SAID[10:], **CHANGED},
        "characters before the kernel",
    ),
    (
        "falcon-mode",
        {},
        {
            "config": {**CONFIG, "CONFIG_SPL_OS_BOOT": "y"},
            "lines": (*SAID[:2], *SAID[10:]),
            "marks": ("kernel-entry",),
            **CHANGED,
        },
        "no second banner (U-Boot 2023.01",
    ),
    (
        "falcon-appended-tree",
        {"config": {"CONFIG_SYS_MMCSD_RAW_MODE_ARGS_SECTOR": "0x1000"}},
        {"config": {"CONFIG_SYS_MMCSD_RAW_MODE_ARGS_SECTOR": "0x0"}, "CONFIG_ARM_APPENDED_DTB": "y", **CHANGED},
        "reads no arguments",
    ),
]


@pytest.mark.parametrize(
    ("technique", "old", "new", "part"), SHOWN, ids=lambda value: value if isinstance(value, str) else ""
)
def test_took_effect(technique, old, new, part):
    before, after = evidence(**old), evidence(**new)
    effect = get(technique).took_effect(before, after)
    assert effect.shown, effect
    assert part in effect.evidence
    assert not get(technique).took_effect(before, before).shown
    assert not get(technique).took_effect(after, after).shown


def test_every_technique_of_the_room_is_proved_here_or_is_a_row():
    proved = {case[0] for case in SHOWN}
    rows = {technique.id for technique in LOADER_TECHNIQUES if hasattr(technique, "sets")}
    assert {technique.id for technique in LOADER_TECHNIQUES} == proved | rows


def test_a_boot_loader_that_still_says_it_was_not_changed():
    after = evidence(config={"CONFIG_BOOTDELAY": "2"}, sha="b")
    effect = get("loader-usb-off").took_effect(evidence(), after)
    assert not effect.shown
    assert "still prints" in effect.evidence


@pytest.mark.parametrize(
    ("lines", "config", "part"),
    [
        (("DRAM: 1024 MiB", *SAID[10:]), SILENT, "still prints: DRAM: 1024 MiB"),
        (("rcS: start",), SILENT, "rcS"),
        ((), SILENT, "kernel prints nothing"),
        (SAID[10:], {**SILENT, "CONFIG_SPL_SERIAL": "y"}, "CONFIG_SPL_SERIAL is y"),
    ],
)
def test_a_silent_boot_loader_says_nothing_and_the_kernel_does(lines, config, part):
    after = evidence(config=config, lines=lines, sha="b")
    effect = get("loader-silent").took_effect(evidence(), after)
    assert not effect.shown
    assert part in effect.evidence


def test_what_a_quiet_kernel_leaves_to_user_space_is_not_the_boot_loaders():
    texts = {"U-Boot 2023.01": 5, "rcS: start": 900}
    lines = tuple(Line(number=n, text=text, offset_bytes=0, first_ns=ns) for n, (text, ns) in enumerate(texts.items()))
    quiet = Recording(meta=Meta(), lines=lines, marks=())
    assert said_lines(quiet) == ("U-Boot 2023.01", "rcS: start")
    entered = msgspec.structs.replace(quiet, marks=(Mark("start-kernel", 500), Mark("kernel-entry", 400)))
    assert said_lines(entered) == ("U-Boot 2023.01",)


def test_a_falcon_boot_that_fell_back_is_no_falcon_boot():
    fell = evidence(config={**CONFIG, "CONFIG_SPL_OS_BOOT": "y"}, sha="b", marks=("u-boot", "kernel-entry"))
    effect = get("falcon-mode").took_effect(evidence(), fell)
    assert not effect.shown
    assert "still ran" in effect.evidence


def test_on_riscv_the_spl_has_another_option_for_falcon_mode():
    machine = Machine(arch="riscv64", type="virt")
    lines = (*SAID[:2], *SAID[10:])
    for option, shown in (("SPL_FALCON_RAM", True), ("SPL_OS_BOOT", False)):
        after = evidence(config={**CONFIG, f"CONFIG_{option}": "y"}, lines=lines, sha="b", marks=("kernel-entry",))
        after = msgspec.structs.replace(after, system=msgspec.structs.replace(after.system, machine=machine))
        effect = get("falcon-mode").took_effect(evidence(), after)
        assert effect.shown is shown, effect
