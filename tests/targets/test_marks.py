"""Marks out of stamps and console."""

from __future__ import annotations

import msgspec
import numpy as np

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import Clockwork, Goal, Kernel, System
from bootlab.targets.marks import kernel_marks, read_marks
from bootlab.targets.stamps import USER_MARK, StampedMark, Stamps

SYSTEM = System(
    name="s", kernel=Kernel(image="k"), goal=Goal(console="g"), marks=(("rc-scripts", "^rc"), ("application", "never"))
)
INFO = KernelInfo(load_address=0x1000000, pvh_entry=0x99, symbols={"start_kernel": 0xAA, "run_init_process": 0xBB})


def test_what_is_watched_in_an_image():
    marks, lacks = kernel_marks(SYSTEM, INFO)
    assert marks == {
        "kernel-entry": 0x10200, "decompression": 0x100000, "kernel-image": 0x1000000, "start-kernel": 0xAA,
        "run-init": 0xBB,
    }  # fmt: skip
    assert lacks == ()


def test_what_is_watched_in_a_vmlinux():
    marks, _ = kernel_marks(msgspec.structs.replace(SYSTEM, kernel=Kernel(image="k", form="vmlinux")), INFO)
    assert list(marks) == ["kernel-entry", "start-kernel", "run-init"]
    assert marks["kernel-entry"] == 0x99


def test_what_is_lacking_is_said():
    marks, lacks = kernel_marks(SYSTEM, KernelInfo())
    assert list(marks) == ["kernel-entry", "decompression"]
    assert "symbols could not be read" in lacks[0]
    free = msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"))
    assert kernel_marks(free, INFO)[0] == {}
    assert "nokaslr" in kernel_marks(free, INFO)[1][0]
    assert kernel_marks(msgspec.structs.replace(free, cmdline=CommandLine.parse("nokaslr")), INFO)[0]


def test_marks_in_order_of_time():
    ends = np.arange(1, 20)
    seen = {0: StampedMark(500, 50), 1: StampedMark(100, 10), USER_MARK: StampedMark(900, 90)}
    stamps = Stamps(ends=ends, ns=ends * 1000, insns=ends, marks=seen)
    marks = read_marks(SYSTEM, ("start-kernel", "kernel-entry"), stamps, b"boot\nrc: start\n")
    assert [(m.name, m.ns) for m in marks] == [
        ("power-on", 0), ("firmware", 0), ("kernel-entry", 100), ("start-kernel", 500), ("user-space", 900),
        ("rc-scripts", 6000),
    ]  # fmt: skip
    assert marks[-1].source == "console: ^rc"
