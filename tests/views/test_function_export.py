# SPDX-License-Identifier: MIT
"""What other programs read: rules of Chrome's JSON and of speedscope, and the packets of Perfetto, on one trace."""

import json
from collections import Counter

import pytest

from bootlab.analysis.call_tree import TASK_BOOT, TASK_MAIN
from bootlab.collectors.function_trace import parse
from bootlab.views.functions import export as function_export
from tests.trace.trace_writer import FIRST, names, node, trace
from tests.views.trace_reading import perfetto

A, B, IRQ, WORKER = range(FIRST, FIRST + 4)
NAMES = names("a", 'b"<;>\n', "asm_sysvec_x", "worker")
SPANS = [
    (100, 900, 4, 0, 0, 0),
    (200, 400, 5, 0, 1, 0),
    (250, 300, 6, 0, 2, 0),
    (410, 500, 7, 1, 0, 1),
    (5, 6, 4, 2, 0, 0),
]


@pytest.fixture
def found():
    nodes = [
        node(A, 1, count=1, self_insns=10),
        node(B, 4, count=2, self_insns=5),
        node(IRQ, 2, self_insns=2),
        node(WORKER, 1),
    ]
    tasks = [(0, 0, 0, A, TASK_BOOT), (1, 0, 0, WORKER, 0), (2, 0, 0, A, TASK_MAIN)]
    return parse(trace(nodes, spans=SPANS, tasks=tasks, insns=17), NAMES)


def test_each_task_has_a_track_and_its_interrupts_another(found):
    (process,) = function_export.span_tracks(found, "x").processes
    tracks = process.tracks
    assert [(t.name, len(t.slices)) for t in tracks] == [
        ("task 0: start_kernel", 2), ("task 0: start_kernel interrupts", 1), ("task 1: worker", 1), ("task 2: init", 1),
    ]  # fmt: skip


def test_perfetto_slices_stand_on_the_track_of_their_task(found):
    events = perfetto(function_export.span_tracks(found, "x").encode("perfetto"))
    assert Counter(event.track for event in events) == {
        ("x (virtual clock)", "task 0: start_kernel"): 2,
        ("x (virtual clock)", "task 0: start_kernel interrupts"): 1,
        ("x (virtual clock)", "task 1: worker"): 1,
        ("x (virtual clock)", "task 2: init"): 1,
    }


def test_chrome_events_have_what_the_format_demands(found):
    document = json.loads(function_export.span_tracks(found, "x").encode("chrome"))
    threads = {e["tid"]: e["args"]["name"] for e in document["traceEvents"] if e["name"] == "thread_name"}
    spans = [e for e in document["traceEvents"] if e["ph"] == "X"]
    assert len(spans) == len(SPANS)
    for event in document["traceEvents"]:
        assert {"ph", "name", "pid", "tid"} <= event.keys()
        assert event["ph"] in {"M", "X", "i"}
        assert event["ph"] != "X" or (event["ts"] >= 0 and event["dur"] >= 0)
    assert {threads[e["tid"]] for e in spans} == set(threads.values())


def test_speedscope_refers_to_its_frames_and_adds_up(found):
    document = json.loads(function_export.speedscope(found, "x"))
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    (profile,) = document["profiles"]
    assert profile["type"] == "sampled"
    assert profile["unit"] == "nanoseconds"
    assert len(profile["samples"]) == len(profile["weights"])
    assert profile["endValue"] - profile["startValue"] == sum(profile["weights"]) == 2 * found.head.insns
    frames = document["shared"]["frames"]
    assert all(0 <= frame < len(frames) for sample in profile["samples"] for frame in sample)


def test_a_folded_line_is_a_path_and_a_number_whatever_the_names(found):
    lines = function_export.folded(found, "x").decode().split("\n")
    assert lines.pop() == ""
    rows = [line.rpartition(" ") for line in lines]
    assert sum(int(weight) for _path, _space, weight in rows) == 2 * found.head.insns
    assert {path.count(";") for path, _space, _weight in rows} == {0, 1}
