# SPDX-License-Identifier: MIT
"""What a boot asks of a board is counted from its recording, and nothing is counted twice."""

from __future__ import annotations

from bootlab.analysis.board_amounts import amounts_of
from bootlab.model.processors import Processors
from bootlab.model.recording import Line, Mark, Meta, Recording

MS = 1_000_000


def boot(*lines: Line, marks: tuple[Mark, ...] = (), **meta) -> Recording:
    facts = {"goal_ns": 900 * MS, "goal_insns": 400 * MS, "shift": 1, "console_bytes": 1000} | meta
    return Recording(meta=Meta(**facts), lines=lines, marks=marks)


def line(number: int, text: str, ms: float, *, kernel: bool = False) -> Line:
    ns = round(ms * MS)
    return Line(number, text, 0, ns, ns, printk_ns=ns if kernel else None)


def test_images_that_the_emulator_loads():
    found = amounts_of(boot(artefact_bytes={"kernel": 5_000, "initramfs": 700, "vmlinux": 99}))
    assert (found.image_bytes, found.images, found.loaded_ns) == (5_700, 2, 0)
    assert (found.exact_ns, found.instructions, found.instruction_ns, found.characters) == (900 * MS, 400 * MS, 2, 1000)


def test_images_that_a_boot_loader_reads_count_as_it_reads_them():
    lines = (line(1, "reading kernel", 10), line(2, "2952604 bytes read in 187 ms (15.1 MiB/s)", 110))
    entry = Mark("kernel-entry", 300 * MS)
    found = amounts_of(boot(*lines, marks=(entry,), artefact_bytes={"kernel": 5_000}))
    assert (found.image_bytes, found.images) == (2_952_604, 1)
    assert found.loaded_ns == 100 * MS


def test_a_silent_loader_reads_its_images_too():
    sizes = {"U-Boot": 400_000, "kernel": 5_000_000, "initramfs": 700_000}
    marks = (Mark("spl-load", 10 * MS), Mark("u-boot", 60 * MS), Mark("kernel-entry", 300 * MS))
    found = amounts_of(boot(marks=marks, artefact_bytes=sizes))
    assert (found.image_bytes, found.images) == (6_100_000, 3)
    # At the rate of the SPL's load, and within the time that the second part took.
    assert found.loaded_ns == (50 + 240) * MS
    small = sizes | {"kernel": 500_000}
    assert amounts_of(boot(marks=marks, artefact_bytes=small)).loaded_ns == (50 + 150) * MS
    loud = (line(1, "5000000 bytes read in 187 ms", 250),)
    told = amounts_of(boot(*loud, marks=marks, artefact_bytes=sizes))
    assert (told.image_bytes, told.images) == (5_400_000, 2)


def test_the_instructions_of_a_load_are_counted_where_its_ends_have_counts():
    ends = (Line(1, "reading kernel", 0, 10 * MS, 10 * MS, insns=5 * MS, last_insns=5 * MS),
            Line(2, "2952604 bytes read in 187 ms (15.1 MiB/s)", 0, 110 * MS, 110 * MS, insns=45 * MS))  # fmt: skip
    entry = Mark("kernel-entry", 300 * MS)
    assert amounts_of(boot(*ends, marks=(entry,))).loaded_instructions == 40 * MS
    # Without counts: two nanoseconds each, all the time.
    lines = (line(1, "reading kernel", 10), line(2, "2952604 bytes read in 187 ms (15.1 MiB/s)", 110))
    assert amounts_of(boot(*lines, marks=(entry,))).loaded_instructions == 50 * MS


def test_what_is_only_moved_in_memory_is_not_read():
    moved = line(1, "   Loading Ramdisk to 4a000000, end 4a100000 ... OK", 10)
    read = line(2, "2952604 bytes read in 187 ms (15.1 MiB/s)", 110)
    assert amounts_of(boot(moved, read, artefact_bytes={})).image_bytes == 2_952_604


def test_late_characters_are_the_programs_and_not_the_kernels():
    lines = (
        line(1, "early", 100),
        line(2, "of the kernel", 600, kernel=True),
        line(3, "of init", 700),
        line(4, "ready", 900),
        line(5, "behind the goal", 950),
    )
    began = Mark("user-space", 500 * MS)
    assert amounts_of(boot(*lines, marks=(began,))).late_characters == len("of init") + len("ready") + 4
    assert amounts_of(boot(*lines)).late_characters == 0, "nothing says when user space began"
    assert amounts_of(boot(*lines, marks=(began,), console_bytes=3)).late_characters == 3


def test_the_sum_of_several_processors_is_nobodys_time():
    assert amounts_of(boot(processors=Processors(count=2, mode="shared"))).instructions is None
    assert amounts_of(boot(mode="free", shift=None)).instructions is None
    # All but one left off: the instructions are that one's.
    assert amounts_of(boot(processors=Processors(count=4, mode="parallel", alone=True))).instructions == 400 * MS
