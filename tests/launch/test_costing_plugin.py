# SPDX-License-Identifier: MIT
"""The costing plugin driven by a program that plays QEMU: what is executed is counted once, and nothing is hidden."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from bootlab.collectors.costing import CLASSES, EVENTS, load
from bootlab.costs.cores import core_of
from bootlab.data import source_folder
from bootlab.launch.plugin import _COST_SOURCES

CORE = core_of("cortex-a53@1GHz", "arm64").arguments


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = source_folder("", "bootlab-cost.c", top="qemu-plugin")
    made = tmp_path_factory.mktemp("costing") / "host"
    sources = [folder / name for name in _COST_SOURCES if name.endswith(".c")]
    flags = [
        "-O1",
        "-g",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=undefined",
        "-Wall",
        "-Wextra",
        "-Werror",
    ]
    command = [
        compiler,
        *flags,
        f"-I{folder}",
        "-o",
        made,
        Path(__file__).with_name("costing_host.c"),
        *sources,
        "-ldl",
    ]
    subprocess.run(command, check=True)
    return made


def played(host, tmp_path, what, *words, core=CORE):
    out = tmp_path / "cost.bin"
    command = [host, what, f"out={out}", "every=1000000", *words, *core]
    environment = {"ASAN_OPTIONS": "detect_leaks=0"}
    return out, subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def counts(record):
    return {name: count for name, count in zip(CLASSES + EVENTS, record.counts, strict=True) if count}


def test_a_block_that_a_device_s_access_ends_early_is_counted_once(host, tmp_path):
    out, done = played(host, tmp_path, "device", core=(*CORE, "device=80:400"))
    assert (done.returncode, done.stderr) == (0, "")
    found = counts(load(out)[-1])
    assert load(out)[-1].insns == 500
    assert (found["alu"], found["memory"], found["branch"]) == (300, 100, 100)
    assert found["device accesses"] == 100
    assert found["branches"] == 100
    assert "exceptions" not in found
    low, high = (ticks / 60 for ticks in load(out)[-1].ticks)
    assert 100 * 80 <= low < 100 * 90
    assert 100 * 400 <= high < 100 * 420


def test_accesses_without_a_place_are_told_and_go_through_the_caches(host, tmp_path):
    out, done = played(host, tmp_path, "many")
    assert counts(load(out)[-1])["accesses"] == 20000
    assert f"{20000 - 512 * 16} accesses were counted, but not timed" in done.stderr


def test_a_process_with_threads_leaves_no_record_and_says_so(host, tmp_path):
    out, done = played(host, tmp_path, "thread")
    assert done.returncode == 0
    assert "several threads" in done.stderr
    assert out.read_bytes() == b""


def test_other_processors_of_a_machine_are_not_modelled(host, tmp_path):
    out, _ = played(host, tmp_path, "others")
    assert load(out)[-1].insns == 30


def test_a_process_that_was_forked_counts_only_what_it_executed(host, tmp_path):
    out, done = played(host, tmp_path, "fork")
    assert done.returncode == 0
    # The block that ran at the fork ends in both.
    assert sorted(record.insns for record in load(out)) == [3 * (5 + 1), 3 * 20]


def test_blocks_are_thrown_away_with_qemu_s_translations(host, tmp_path):
    out, done = played(host, tmp_path, "flush")
    assert (done.returncode, done.stderr) == (0, "")
    assert load(out)[-1].insns == 60


def test_a_record_that_cannot_be_written_is_told(host, tmp_path):
    done = subprocess.run([host, "plain", "out=/dev/full", *CORE], capture_output=True, text=True, check=False)
    assert "a record could not be written" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["shift=x"], ["shift=-1"], ["shift=99"], ["every=0"], ["every="], ["every=1x"], ["window="], ["window=-1"],
        ["window=4294967297"], ["alu="], ["alu=nan"], ["alu=1:"], ["alu=1:2:3"], ["alu=-1"], ["alu=0x10"], ["alu=1e9"],
        ["l1d=32768:4:64:1"], ["l1d=32768"], ["l1d=32768:4:4294967360"], ["l1d=32767:4:64"], ["l1d=0:4:64"],
        ["l2=524288:16:64", "l2_hit=0"], ["l3=1048576:16:64"], ["misses=0"], ["nonsense=1"], ["nonsense"],
    ],
)  # fmt: skip
def test_an_argument_that_cannot_be_is_refused(host, tmp_path, words):
    done = subprocess.run(
        [host, "plain", f"out={tmp_path / 'cost.bin'}", *CORE, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("bootlab-cost: ")
