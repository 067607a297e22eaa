# SPDX-License-Identifier: MIT
"""The file-system comparison: rows from kernel and machine, times by both methods, and the proof by mapping."""

import struct
import subprocess

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.images import cramfs, formats
from bootlab.builders.images.formats import Image
from bootlab.costs.named import costs_of
from bootlab.errors import UserError
from bootlab.experiments import filesystems
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import compare
from bootlab.experiments.filesystem_boot import Candidate, preset_lpj, read_row
from bootlab.model.cmdline import CommandLine
from bootlab.model.costs import READ_TIMES
from bootlab.model.recording import Line, Meta, Outcome, Recording
from bootlab.model.root import Root
from bootlab.model.storage import Storage
from bootlab.model.system import Clockwork, Goal, Initramfs, Kernel, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.recordings import recording_dir
from tests.experiments.fake_bench import FakeTarget

NO_BANK = "storage.flash_bank is not set"
TREE = FileTree.of(
    {
        "/init": Entry(kind="file", text="#!/bin/sh\n", mode=0o755),
        "/bin/sh": Entry(kind="file", text="", mode=0o755),
    }
)
STORAGE = Storage(
    flash_bank=1,
    flash_address=0x44000000,
    mtd_name="root",
    mtd_block="/dev/mtdblock1",
    page_cache=r"cache: (\d+)",
    mapping=r"map: (\S+ r-xp .*)",
)
SYSTEM = SystemDescription(
    name="board",
    kernel=Kernel(image="k"),
    goal=Goal(console="ready"),
    cmdline=CommandLine.parse("console=ttyAMA0 rdinit=/sbin/init"),
    initramfs=Initramfs(tree=TREE),
    storage=STORAGE,
    marks=(("rc-scripts", "rcS"),),
)
CRAMFS = next(form for form in formats.FORMATS if form.id == "cramfs-xip")
SQUASHFS = next(form for form in formats.FORMATS if form.id == "squashfs-gzip")


class Sized(FakeTarget):
    """A target whose boots say how large their initramfs is: packed to a tenth."""

    def plan(self, system, purpose="timing"):
        plan = super().plan(system, purpose)
        packing = system.initramfs.compression if system.initramfs is not None else ""
        return msgspec.structs.replace(plan, key=f"{plan.key}_{packing}")

    def boot(self, plan, folder, *, stop, progress=None):
        recording = super().boot(plan, folder, stop=stop, progress=progress)
        packed = plan.system.initramfs is not None and plan.system.initramfs.compression != "none"
        sizes = {"kernel": 1_000_000, "initramfs": 100_000 if packed else 1_000_000}
        meta = msgspec.structs.replace(recording.meta, artefact_bytes=sizes)
        recording_dir.save(folder, meta, (), b"", None)
        return recording_dir.load(folder)


def lines(*texts: str) -> tuple[Line, ...]:
    made = []
    for number, text in enumerate(texts, start=1):
        stamp = int(float(text[1:13]) * 1e9) if text.startswith("[") else None
        made.append(Line(number, text, 0, first_ns=number * 1000, last_ns=number * 1000 + 9, printk_ns=stamp))
    return tuple(made)


def recording(*texts: str, outcome: Outcome = Outcome.GOAL) -> Recording:
    meta = Meta(outcome=outcome, goal_ns=9000, reason="panic")
    return Recording(meta=meta, lines=lines(*texts), marks=(), console="".join(f"{t}\n" for t in texts).encode())


def test_a_boot_that_the_host_ended_is_unknown_and_not_failed(tmp_path):
    image = Image(tmp_path / "image", 4096)
    asked = Candidate(id="squashfs", title="t", medium="flash", form=SQUASHFS, image=image, system=SYSTEM)
    meta = Meta(outcome=Outcome.EMULATOR_DIED, reason="QEMU was ended by SIGKILL", host_limit=True)
    row = read_row(asked, Recording(meta=meta, lines=(), marks=()), 1_000_000)
    assert not row.ok
    assert row.verdict == "unknown"
    assert row.reason == "the host ended the boot: QEMU was ended by SIGKILL"
    failed = booted(image, outcome=Outcome.PANIC, form=SQUASHFS)
    assert failed.verdict == ""


@pytest.fixture
def in_place(tmp_path) -> tuple[Image, int]:
    segment = struct.pack("<IIIIIIII", 1, 0, 0, 0, 8192, 8192, 5, 4096)
    head = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, 0, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    (tmp_path / "app").write_bytes((head + segment).ljust(8192, b"x"))
    path = tmp_path / "image"
    with path.open("wb") as out:
        size = cramfs.write(FileTree.of({"/app": Entry(kind="file", source=str(tmp_path / "app"))}), out, in_place=True)
    located = cramfs.locate(path.read_bytes(), "/app")
    assert located is not None
    return Image(path, size), 0x44000000 + located.offset_bytes


def booted(image: Image, *texts: str, form=CRAMFS, row_id="cramfs-xip", outcome=Outcome.GOAL):
    asked = Candidate(id=row_id, title="title", medium="flash", form=form, image=image, system=SYSTEM)
    return read_row(asked, recording(*texts, outcome=outcome), 1_000_000)


MOUNTED = "[    1.000000] VFS: Mounted root (cramfs filesystem) readonly on device 31:1."
RUN = "[    1.100000] Run /sbin/init as init process"


def test_a_row_has_times_of_both_methods_and_the_mapping_as_proof(in_place):
    image, address = in_place
    texts = (
        MOUNTED,
        RUN,
        "[    1.200000] rcS",
        "[    1.500000] ready",
        f"map: 0-2000 r-xp {address:08x} 1f:01 7  /app",
        "cache: 36",
    )
    row = booted(image, *texts)
    assert row.ok
    assert row.proved, row.proof
    assert [row.ns(f"{name}_ns") for name in ("mounted", "init", "goal")] == [1000, 3000, 9000]
    inside = [row.ns(f"{name}_inside_ns") for name in ("mounted", "init", "goal")]
    assert inside == [10**9, 1_200_000_000, 1_500_000_000]
    assert (row.ns("exec_ns"), row.ns("use_ns"), row.values["page_cache_kib"]) == (1000, 6000, 36)


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ("map: 0-2000 r-xp 00000000 1f:01 7 /app", "is mapped from offset 0x0"),
        ("map: 0-2000 r-xp 44000000 1f:01 7 /other", "not stored so that it can be mapped"),
        ("map: nonsense r-xp x", "no mapping of a program"),
        ("", "storage.mapping"),
    ],
)
def test_execution_in_place_is_not_believed_without_the_flashs_address(in_place, mapping, words):
    row = booted(in_place[0], MOUNTED, RUN, "[    1.200000] rcS", "[    1.500000] ready", mapping)
    assert not row.proved
    assert words in row.proof


TELLING = msgspec.structs.replace(
    SYSTEM,
    storage=msgspec.structs.replace(
        STORAGE, mapping=None, sectors_read=r"sectors read: (\d+)", remounted="remounted: (.+)"
    ),
)


@pytest.mark.parametrize(
    ("medium", "told", "read"),
    [
        ("SD card", "sectors read: 10", 5120),
        ("flash", "sectors read: 0", None),
        ("flash", "no word of it", None),
        ("SD card", "sectors read: \u0664", None),
        ("RAM disk", "sectors read: 10", 77),
    ],
)
def test_what_was_read_is_told_or_not_known(tmp_path, medium, told, read):
    asked = Candidate(
        id="x", title="X", medium=medium, form=SQUASHFS, image=Image(tmp_path / "image", 77), system=TELLING
    )
    mounted = "[    1.000000] VFS: Mounted root (squashfs filesystem) readonly on device 31:1."
    row = read_row(asked, recording(mounted, RUN, "[    1.500000] ready", told, "remounted: no\x1b[0m"), 1_000_000)
    assert row.values["read_bytes"] == read
    modelled_of = 77 if read is None else read
    ends = [round(modelled_of * 1000 * times) for times in (READ_TIMES.low, READ_TIMES.high)]
    assert [row.ns("load_least_ns"), row.ns("load_most_ns")] == ends
    assert (row.values["load_of"] is None) == (read is not None)
    assert row.proved
    assert row.proof.endswith("; remounted read-write: no\x1b[0m")


def test_the_boot_lasts_until_all_is_told():
    storage = TELLING.storage
    assert storage is not None
    assert storage.told == (r"cache: (\d+)", r"sectors read: (\d+)", "remounted: (.+)")
    assert filesystems._plain(TELLING).check.console == storage.told


def test_another_file_system_than_asked_for_is_no_proof(in_place):
    row = booted(in_place[0], MOUNTED, RUN, "ready", form=SQUASHFS, row_id="squashfs-gzip")
    assert (row.proved, row.proof) == (False, "mounted as cramfs")


def test_a_failed_boot_says_what_the_kernel_said(in_place):
    trouble = "[    1.200000] Kernel panic - not syncing: Requested init /sbin/init failed (error -8)."
    row = booted(in_place[0], MOUNTED, trouble, outcome=Outcome.PANIC)
    assert (row.ok, row.values["outcome"], row.ns("load_least_ns")) == (False, "panic", None)
    assert "error -8" in row.reason


def test_the_preset_is_what_the_kernel_calibrated():
    found = recording("[    0.000000] Calibrating delay loop... 62.25 BogoMIPS (lpj=311296)")
    assert preset_lpj(found) == 311296
    timer = "Calibrating delay loop (skipped), value calculated using timer frequency.. 125.00 BogoMIPS (lpj=625000)"
    assert preset_lpj(recording(timer)) is None


def candidates(tmp_path, config, wanted=frozenset({"cramfs", "romfs", "initramfs-none"}), system=SYSTEM):
    rows = filesystems._Rows(system, Cache(tmp_path), config, wanted)
    return {c.id: c for c in rows.candidates}, {row.id: row.reason for row in rows.left_out}


def test_rows_follow_the_kernels_configuration(tmp_path):
    config = {"CONFIG_CRAMFS": "y", "CONFIG_CRAMFS_MTD": "y", "CONFIG_MTD": "y", "CONFIG_BLK_DEV_INITRD": "y"}
    found, left = candidates(tmp_path, config)
    assert found.keys() == {"cramfs", "initramfs-none"}
    assert left == {"romfs": "the kernel lacks CONFIG_ROMFS_FS"}
    flash = found["cramfs"].system
    assert str(flash.cmdline) == "console=ttyAMA0 root=mtd:root rootfstype=cramfs ro init=/sbin/init"
    assert flash.initramfs is None
    assert (flash.root.file_system, flash.root.medium, flash.tree) == ("cramfs", "flash", TREE)
    assert flash.check.console == (STORAGE.page_cache, STORAGE.mapping)
    assert str(found["initramfs-none"].system.cmdline).endswith("initramfs_async=0")


def test_a_root_on_a_card_is_compared_on_the_card(tmp_path):
    config = dict.fromkeys(("CONFIG_CRAMFS", "CONFIG_CRAMFS_BLOCKDEV", "CONFIG_MMC_BLOCK"), "y")
    system = msgspec.structs.replace(SYSTEM, initramfs=None, root=Root(tree=TREE), storage=None)
    found, left = candidates(tmp_path, config, frozenset({"sd-cramfs", "sd-romfs", "cramfs"}), system)
    assert found.keys() == {"sd-cramfs"}
    assert left == {"sd-romfs": "the kernel lacks CONFIG_ROMFS_FS", "cramfs": "the machine has no flash: " + NO_BANK}
    card = found["sd-cramfs"].system
    assert (card.root.file_system, card.root.medium, card.initramfs) == ("cramfs", "sd", None)
    line = "console=ttyAMA0 root=/dev/mmcblk0 rootfstype=cramfs rootwait ro init=/bin/sh"
    assert str(card.cmdline) == line
    _, left = candidates(tmp_path, config, frozenset({"sd-cramfs"}))
    assert "not on a card" in left["sd-cramfs"]


def test_what_cannot_be_packed_is_left_out_with_its_reason(tmp_path):
    owner = TREE.put("/x", Entry(kind="file", text="", gid=300))
    system = msgspec.structs.replace(SYSTEM, initramfs=Initramfs(tree=owner))
    found, left = candidates(tmp_path, {}, frozenset({"cramfs"}), system)
    assert not found
    assert "8 of a group" in left["cramfs"]
    assert "another file system" in left["cramfs"]


def test_an_image_larger_than_the_partition_is_an_error(tmp_path):
    image = tmp_path / "image"
    image.write_bytes(bytes(9 << 20))
    with pytest.raises(UserError, match="partition"):
        formats.flash_bank(Image(image, 9 << 20), STORAGE, Cache(tmp_path / "cache"), "nothing")


def test_a_bank_is_erased_behind_a_log_and_as_long_as_the_board_wants(tmp_path):
    image = tmp_path / "image"
    image.write_bytes(b"log!")
    bank = formats.flash_bank(Image(image, 4), STORAGE, Cache(tmp_path / "cache"), "erased").read_bytes()
    assert len(bank) == 64 << 20
    assert bank[:4] + bank[4:8] == b"log!\xff\xff\xff\xff"
    assert (bank[(8 << 20) - 1], bank[8 << 20]) == (0xFF, 0)


@pytest.mark.parametrize(
    ("system", "words"),
    [
        (msgspec.structs.replace(SYSTEM, storage=None), "where a root file system can be"),
        (msgspec.structs.replace(SYSTEM, initramfs=None), "no tree of files"),
        (SYSTEM, "/sbin/init is not in the tree"),
        (msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free")), "needs exact mode"),
    ],
)
def test_systems_that_cannot_be_compared_are_refused(tmp_path, system, words):
    with (
        Bench(FakeTarget(lambda _: 1.0), tmp_path, cache=Cache(tmp_path / "cache")) as bench,
        pytest.raises(UserError, match=words),
    ):
        compare(filesystems.Filesystems(), bench, system)


def test_with_costs_each_row_has_the_board_s_time_beside_the_exact_one(tmp_path):
    """Of two packings of one tree the packed one is read sooner: on a slow medium that decides."""
    cmdline = CommandLine.parse("console=ttyAMA0 rdinit=/init")
    # The interpreter of scripts is a static program of this machine's, that nobody starts.
    shell = tmp_path / "sh"
    subprocess.run(["cc", "-static", "-o", shell, "-x", "c", "-"], input=b"int main(void){return 0;}", check=True)
    tree = TREE.put("/bin/sh", Entry(kind="file", source=str(shell), mode=0o755))
    system = msgspec.structs.replace(
        SYSTEM, cmdline=cmdline, costs=costs_of("card-1MB,no-console"), initramfs=Initramfs(tree=tree)
    )
    with Bench(Sized(lambda _: 100.0), tmp_path, cache=Cache(tmp_path / "cache")) as bench:
        found = compare(filesystems.Filesystems("initramfs-none", "initramfs-gzip"), bench, system)
    rows = {row.id: row for row in found.rows}
    assert {column.key for column in found.columns} >= {"board_least_ns", "board_verdict"}
    assert all(row.ns("goal_ns") == 100_000_000 for row in rows.values()), "the exact column stays exact"
    plain, packed = (rows[f"initramfs-{name}"].ns("board_most_ns") for name in ("none", "gzip"))
    assert plain > packed > 100_000_000
    assert "on the board (card-1MB,no-console): initramfs, gzip" in found.headline
    assert "may be hidden behind computing" in found.footnote
    exact = filesystems.Filesystems("initramfs-none")
    with Bench(Sized(lambda _: 100.0), tmp_path / "exact", cache=Cache(tmp_path / "cache")) as bench:
        bare = compare(exact, bench, msgspec.structs.replace(system, costs=None))
    assert "board_least_ns" not in {column.key for column in bare.columns}
    assert "on the board" not in bare.headline
