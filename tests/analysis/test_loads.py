# SPDX-License-Identifier: MIT
"""What a boot loader loaded: by the marks of its parts, by lines with a size, and by lines beside known files."""

from bootlab.analysis.loads import loads_of
from bootlab.analysis.stages import timeline_of
from bootlab.model.boot_loader import FALCON_SIZE, SECOND_SIZE, TREE_SIZE
from bootlab.model.recording import Line, Mark, Meta, Recording

MS = 1_000_000


def recorded(*texts: str, marks: tuple[Mark, ...] = (), sizes: dict[str, int] | None = None) -> Recording:
    """Each line begins at ten times its number in ms, and ends 4 ms later."""
    lines = tuple(
        Line(at, text, 0, first_ns=10 * at * MS, last_ns=(10 * at + 4) * MS) for at, text in enumerate(texts, 1)
    )
    return Recording(meta=Meta(goal_ns=1000 * MS, artefact_bytes=sizes or {}), lines=lines, marks=marks)


def loads(recording: Recording) -> list[tuple[str, int, int]]:
    return [(load.name, load.size_bytes, load.duration_ns // MS) for load in loads_of(recording)]


def test_a_line_with_a_size_names_the_file_that_alone_has_it():
    said = ("Hit any key to stop autoboot:  0", "4103240 bytes read in 276 ms (14.2 MiB/s)", "99 bytes read in 1 ms")
    assert loads(recorded(*said, sizes={"kernel": 4103240 - 64})) == [("kernel", 4103240, 6), ("a file", 99, 6)]


def test_a_file_that_is_retrieved_has_the_size_of_its_artefact():
    said = ("Retrieving file: /boot/kernel", "append: quiet", "Retrieving file: /kernel", "5000 bytes read in 3 ms")
    assert loads(recorded(*said, sizes={"kernel": 5000})) == [("kernel", 5000, 6), ("kernel", 5000, 6)]
    assert loads(recorded(*said[:2])) == []


def test_an_old_u_boot_names_the_file_before_it_reads():
    said = ("reading zImage", "4103240 bytes read in 276 ms (14.2 MiB/s)", "99 bytes read in 1 ms")
    assert loads(recorded(*said)) == [("zImage", 4103240, 6), ("a file", 99, 6)]


def test_on_the_hosts_clock_the_boot_loaders_own_time_counts():
    made = recorded("reading zImage", "4103240 bytes read in 9 ms (14.2 MiB/s)")
    board = Recording(meta=Meta(goal_ns=1000 * MS, mode="free", board="camera"), lines=made.lines, marks=())
    assert loads(board) == [("zImage", 4103240, 9)]


def test_sectors_and_copies_take_the_time_of_their_line():
    said = (
        "MMC read: dev # 0, block # 8192, count 2048 ... 2048 blocks read: OK",
        "   Loading Ramdisk to 49f28000, end 49fff89e ... OK",
        "   Loading Device Tree to 49f1f000, end 49f27b6c ... OK",
    )
    assert loads(recorded(*said)) == [
        ("sectors from 8192", 1 << 20, 4),
        ("initramfs, moved in memory", 0xD789E, 4),
        ("device tree, moved in memory", 0x8B6C, 4),
    ]


def test_tftp_takes_from_the_server_to_the_sum():
    said = ("TFTP from server 10.0.2.2; our IP address is 10.0.2.15", "Filename 'boot/zImage'.", "Loading: ####",
            "Bytes transferred = 1345880 (148958 hex)")  # fmt: skip
    assert loads(recorded(*said)) == [("zImage by TFTP", 1345880, 30)]


def test_what_the_spl_loads_has_the_time_between_its_marks():
    marks = (Mark("power-on", 0), Mark("spl-load", 60 * MS), Mark("u-boot", 117 * MS))
    assert loads(recorded(marks=marks, sizes={SECOND_SIZE: 500_000})) == [("U-Boot, by the SPL", 500_000, 57)]
    assert loads(recorded(marks=marks)) == []
    falcon = {SECOND_SIZE: 500_000, FALCON_SIZE: 2_000_000, TREE_SIZE: 30_000}
    entered = (*marks[:2], Mark("kernel-entry", 90 * MS))
    assert loads(recorded(marks=entered, sizes=falcon)) == [("falcon image, by the SPL", 2_000_000, 30)]
    # It fell back: who can say which part of the time the kernel took?
    assert loads(recorded(marks=marks, sizes=falcon)) == []


def test_what_the_kernel_or_a_program_prints_is_no_load():
    said = ("U-Boot 2023.01", "5000 bytes read in 3 ms", "Linux version 6.1", "7000 bytes read in 4 ms")
    found = recorded(*said, marks=(Mark("power-on", 0), Mark("kernel-entry", 25 * MS)))
    assert loads(found) == [("a file", 5000, 6)]


def test_lines_without_stamps_tell_nothing():
    line = Line(1, "5000 bytes read in 3 ms", 0)
    assert loads_of(Recording(meta=Meta(), lines=(line,), marks=())) == ()


def test_a_timeline_has_them_with_their_rate():
    timeline = timeline_of(recorded("U-Boot 2023.01", "5000 bytes read in 3 ms"))
    assert [load.bytes_per_s for load in timeline.loads] == [5000 * 1_000_000_000 // (6 * MS)]
