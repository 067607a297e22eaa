# SPDX-License-Identifier: MIT
"""The costing plugin's caches, TLBs, predictor and pipeline (qemu-plugin/cost-*.c), driven without QEMU."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import pytest

from bootlab.collectors.costing import CLASSES, EVENTS
from bootlab.costs.cores import core_of
from bootlab.data import source_folder
from tests.launch.test_costing_decoders import Insn

LEVELS = ("L1", "L2", "L3", "memory")
COND, JUMP, INDIRECT, CALL, CALL_INDIRECT, RETURN = range(1, 7)
NONE = 65
# Round figures, so that what is expected can be counted: cycles.
ROUND = ("l1d_hit=3", "l2_hit=13", "dram=110", "memory=0")


class Access(ctypes.Structure):
    _fields_ = [
        ("address", ctypes.c_uint64),
        ("insn", ctypes.c_uint16),
        ("bytes", ctypes.c_uint8),
        ("level", ctypes.c_uint8),
        ("translation", ctypes.c_uint8),
        ("is_store", ctypes.c_bool),
        ("is_device", ctypes.c_bool),
        ("prefetched", ctypes.c_bool),
    ]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = source_folder("", "cost-pipe.c", top="qemu-plugin")
    made = tmp_path_factory.mktemp("model") / "model.so"
    sources = [str(folder / f"cost-{name}.c") for name in ("branch", "cache", "core", "pipe")]
    flags = ["-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined"]
    subprocess.run([compiler, *flags, "-fno-sanitize-recover=undefined", "-o", str(made), *sources], check=True)
    return made


class Model:
    """A processor that has executed nothing yet: the library's state is its own copy's."""

    def __init__(self, path, arguments, kernel=""):
        self.library = ctypes.CDLL(str(path))
        self.library.cost_core_argument.restype = self.library.cost_core_check.restype = ctypes.c_char_p
        self.library.cost_cache_open.restype = ctypes.c_char_p
        self.library.cost_branch.restype = ctypes.c_bool
        self.library.cost_pipe_now.restype = ctypes.c_uint64
        for word in (*arguments, *ROUND):
            assert self.library.cost_core_argument(word.encode()) is None, word
        assert self.library.cost_core_check() is None
        assert self.library.cost_cache_open() is None
        if kernel:
            self.library.cost_cache_kernel(kernel.encode())
        self.events = (ctypes.c_uint64 * len(EVENTS))()

    def data(self, virtual, physical=None, size=8):
        """Access memory; return the level and what the access cost the TLBs."""
        made = Access(address=virtual, bytes=size)
        where = ctypes.c_uint64(virtual if physical is None else physical)
        self.library.cost_cache_data(ctypes.byref(made), ctypes.c_uint64(virtual), where, self.events)
        return LEVELS[made.level], ("hit", "second", "walk")[made.translation]

    def branch(self, end, at, after, to):
        """Tell whether it was mispredicted."""
        return self.library.cost_branch(end, *(ctypes.c_uint64(value) for value in (at, after, to)))

    def block(self, *insns, accesses=()):
        many, some = (Insn * len(insns))(*insns), (Access * max(1, len(accesses)))(*accesses)
        self.library.cost_pipe_block(many, len(insns), some, len(accesses))

    def cycles(self, corner=0):
        return self.library.cost_pipe_now(corner) / 60

    def count(self, event):
        return self.events[EVENTS.index(event)]


@pytest.fixture
def model(built, tmp_path):
    def made(word, arch, *more, kernel=""):
        own = tmp_path / f"model-{len(list(tmp_path.iterdir()))}.so"
        shutil.copy(built, own)
        return Model(own, (*core_of(word, arch).arguments, *more), kernel)

    return made


def insn(kind, reads=(), writes=(), address=()):
    def three(numbers, size=3):
        return tuple(numbers) + (NONE,) * (size - len(numbers))

    return Insn(CLASSES.index(kind), 0, three(address, 2), three(reads), three(writes), 0, 0, 0)


def test_a_line_is_in_l1_once_it_was_read_and_goes_when_its_set_is_full(model):
    a53 = model("cortex-a53@1GHz", "arm64", "streams=0")
    way = 32768 // 4
    assert [a53.data(0x100000 + k * way)[0] for k in (0, 0, 1, 2, 3, 0)] == ["memory", "L1", *["memory"] * 3, "L1"]
    # The fifth line of a set of four puts out the one that was not read for longest: the second.
    assert a53.data(0x100000 + 4 * way)[0] == "memory"
    assert [a53.data(0x100000 + k * way)[0] for k in (0, 1)] == ["L1", "L2"]


def test_an_access_that_reaches_into_the_next_line_reads_both(model):
    a53 = model("cortex-a53@1GHz", "arm64", "streams=0")
    assert a53.data(0x10003C, size=8)[0] == "memory"
    assert (a53.count("accesses"), a53.count("l1d misses")) == (1, 2)
    assert a53.data(0x100040)[0] == "L1"
    assert a53.data(0x100038)[0] == "L1"
    # One that ends with its line does not.
    assert a53.data(0x1000B8, size=8)[0] == "memory"
    assert a53.count("l1d misses") == 3


def test_a_page_of_one_process_is_no_page_of_another(model):
    a53 = model("cortex-a53@1GHz", "arm64", kernel="aarch64")
    assert a53.data(0x400000, 0x40001000)[1] == "walk"
    assert a53.data(0x400008, 0x40001008)[1] == "hit"
    assert a53.data(0x400000, 0x40002000)[1] == "walk"
    assert a53.data(0x400000, 0x40001000)[1] == "hit"


@pytest.mark.parametrize(
    ("arch", "target", "address", "large"),
    [("arm64", "aarch64", 0xFFFF800010000000, 1 << 21), ("arm", "arm", 0xC0000000, 1 << 20)],
)
def test_a_kernel_maps_its_memory_with_large_pages(model, arch, target, address, large):
    a53 = model("cortex-a53@1GHz", arch, kernel=target)
    assert a53.data(address, 0x40000000)[1] == "walk"
    assert a53.data(address + large - 8, 0x40000000 + large - 8)[1] == "hit"
    assert a53.data(address + large, 0x40000000 + large)[1] == "walk"


def test_a_program_that_runs_without_a_kernel_has_small_pages_everywhere(model):
    a53 = model("cortex-a53@1GHz", "arm64")
    assert [a53.data(0xFFFF800010000000 + k * 4096)[1] for k in (0, 0, 1)] == ["walk", "hit", "walk"]


def test_a_branch_that_always_goes_one_way_is_soon_predicted(model):
    a53 = model("cortex-a53@1GHz", "arm64")
    wrong = [a53.branch(COND, 0x1000, 0x1004, 0x800) for _ in range(50)]
    assert not any(wrong[10:])
    assert a53.branch(COND, 0x1000, 0x1004, 0x1004)


def test_a_call_whose_condition_does_not_hold_leaves_no_place_to_return_to(model):
    a9 = model("cortex-a9@1GHz", "arm")
    a9.branch(CALL, 0x1000, 0x1004, 0x2000)
    for _ in range(3):
        assert not a9.branch(CALL, 0x2000, 0x2004, 0x2004)
        assert not a9.branch(RETURN, 0x2004, 0x2008, 0x2008)
    assert not a9.branch(RETURN, 0x2008, 0x200C, 0x1004)
    assert a9.branch(RETURN, 0x3000, 0x3004, 0x9000)


def test_independent_instructions_go_as_many_a_cycle_as_the_core_is_wide(model):
    a53 = model("cortex-a53@1GHz", "arm64")
    for _ in range(500):
        a53.block(insn("alu", (0,), (1,)), insn("alu", (0,), (2,)))
    assert a53.cycles() == pytest.approx(500, abs=5)
    chain = model("cortex-a53@1GHz", "arm64")
    for _ in range(500):
        chain.block(insn("alu", (1,), (1,)), insn("alu", (1,), (1,)))
    assert chain.cycles() == pytest.approx(1000, abs=5)


def test_code_that_is_missing_does_not_all_hide_behind_one_load(model):
    """An in-order core fetches no more than its queue ahead of the instruction that waits."""
    a53 = model("cortex-a53@1GHz", "arm64")
    late = Access(address=0x1000, insn=0, bytes=8, level=3, translation=0)
    a53.block(insn("memory", (), (1,), (0,)), insn("alu", (1,), (2,)), accesses=[late])
    assert a53.cycles() == pytest.approx(111, abs=1)
    for _ in range(8):
        a53.library.cost_pipe_code(1, 0)  # from L2: at least 13 cycles, then 16 instructions in 8
        a53.block(*[insn("alu", (0,), (3,))] * 16)
    assert a53.cycles() == pytest.approx(111 + 7 * (13 + 8), abs=3)


@pytest.mark.parametrize(("other", "waits"), [(0x2000, True), (0x2003, True), (0x2004, False)])
def test_a_load_waits_for_a_store_of_its_bytes_only(model, other, waits):
    a53 = model("cortex-a53@1GHz", "arm64", "forward=50")
    stored = Access(address=0x2000, insn=0, bytes=4, is_store=True)
    loaded = Access(address=other, insn=1, bytes=1)
    a53.block(insn("memory", (1,), (), (0,)), insn("memory", (), (2,), (0,)), accesses=[stored, loaded])
    a53.block(insn("alu", (2,), (3,)))
    assert (a53.cycles() > 50) is waits


def test_a_result_is_waited_for_and_a_miss_is_as_long_as_memory(model):
    for level, least in ((0, 3), (1, 13), (3, 110)):
        a53 = model("cortex-a53@1GHz", "arm64")
        late = Access(address=0x1000, insn=0, bytes=8, level=level)
        a53.block(insn("memory", (), (1,), (0,)), insn("alu", (1,), (2,)), accesses=[late])
        assert a53.cycles() == pytest.approx(least, abs=1)
