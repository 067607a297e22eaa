# SPDX-License-Identifier: MIT
"""Traces of boots: what comes back out of Perfetto's packets and Chrome's JSON."""

import json

import msgspec
import pytest

from bootlab.model.recording import Mark
from bootlab.model.timeline import Span, Stage, Timeline
from bootlab.results.document import BootSummary
from bootlab.views.run import page_data
from bootlab.views.timeline import tracks as trace
from bootlab.views.timeline.tracks import Instant, Slice, Trace, Track, TrackGroup
from tests.views import report_sample as sample
from tests.views.trace_reading import Event, chrome, fields, packets, perfetto

SMALL = Trace(
    processes=(
        TrackGroup(
            title="boot",
            clock="virtual clock",
            tracks=(
                Track(
                    name="kernel",
                    slices=(
                        Slice(name="outer", start_ns=100, duration_ns=300),
                        Slice(name="inner", start_ns=150, duration_ns=50, detail=(("returned", "0"),)),
                    ),
                    instants=(Instant(name="mark", ns=1001),),
                ),
            ),
        ),
        TrackGroup(
            title="diagnostic boot",
            clock="printk clock",
            tracks=(Track(name="kernel", slices=(Slice(name="outer", start_ns=7, duration_ns=0),)),),
        ),
    ),
    notes=("one line left out",),
)
KERNEL = ("boot (virtual clock)", "kernel")
EVENTS = [
    Event(KERNEL, "span", "outer", "kernel", 100, 300),
    Event(KERNEL, "span", "inner", "kernel", 150, 50, (("returned", "0"),)),
    Event(KERNEL, "instant", "mark", "kernel", 1001, 0),
    Event(("diagnostic boot (printk clock)", "kernel"), "span", "outer", "kernel", 7, 0),
]


def on(track: Track) -> Trace:
    return Trace(processes=(TrackGroup(title="p", clock="c", tracks=(track,)),))


@pytest.mark.parametrize(("kind", "read"), [("perfetto", perfetto), ("chrome", chrome)])
def test_events_come_back_with_their_track_process_times_and_details(kind, read):
    assert sorted(read(SMALL.encode(kind))) == sorted(EVENTS)


def test_a_slice_ends_before_the_next_begins():
    touching = tuple(Slice(name=n, start_ns=a, duration_ns=d) for n, a, d in (("a", 0, 10), ("b", 10, 0), ("c", 10, 5)))
    got = perfetto(on(Track(name="t", slices=touching)).encode("perfetto"))
    assert {(e.name, e.start_ns, e.duration_ns) for e in got} == {("a", 0, 10), ("b", 10, 0), ("c", 10, 5)}


def test_every_packet_belongs_to_the_sequence_and_the_first_clears_it():
    all_packets = packets(SMALL.encode("perfetto"))
    assert {p[10][0] for p in all_packets} == {1}
    # SEQ_INCREMENTAL_STATE_CLEARED is 1; every packet needs the names interned before (2).
    assert [p[13][0] for p in all_packets] == [3] + [2] * (len(all_packets) - 1)


def test_notes_stand_in_both_files():
    said = [fields(p[60][0]).get(14, [b""])[0].decode() for p in packets(SMALL.encode("perfetto")) if 60 in p]
    assert "note: one line left out" in said[0]
    about = json.loads(SMALL.encode("chrome"))["otherData"]
    assert about == {
        "format": "bootlab-chrome-trace", "version": "1", "title": "boot", "clock": "virtual clock",
        "arg note": "one line left out", "title 2": "diagnostic boot", "clock 2": "printk clock",
    }  # fmt: skip


def test_a_trace_of_nothing_is_a_file_without_events():
    assert perfetto(Trace(processes=()).encode("perfetto")) == []
    assert chrome(Trace(processes=()).encode("chrome")) == []


def test_no_other_format():
    with pytest.raises(ValueError, match="svg"):
        SMALL.encode("svg")


def test_large_numbers_survive():
    big = on(Track(name="t", instants=(Instant(name="late", ns=2**62),)))
    assert perfetto(big.encode("perfetto"))[0].start_ns == 2**62


def test_partly_overlapping_spans_go_to_rows_of_their_own():
    spans = [
        Span(name=n, lane="probe", start_ns=a, duration_ns=b - a)
        for n, a, b in (("a", 0, 10), ("b", 5, 15), ("c", 6, 9), ("d", 10, 12), ("e", 12, 20))
    ]
    assert [[s.name for s in row] for row in trace.nested_rows(spans)] == [["a", "c", "d", "e"], ["b"]]


def test_a_hostile_pile_of_overlaps_is_bounded():
    spans = [Span(name="x", lane="l", start_ns=n, duration_ns=10_000) for n in range(1000)]
    assert len(trace.nested_rows(spans)) == trace.ROWS_LIMIT
    made = trace.of_timeline(Timeline(clock="virtual", spans=tuple(spans)))
    assert made.notes == (
        f"{1000 - trace.ROWS_LIMIT} spans left out: more than {trace.ROWS_LIMIT} overlapped at one instant",
    )


def test_clocks_do_not_share_a_process():
    timeline = sample.timeline(sample.BASE_STAGES_NS, initcalls=5)
    made = trace.of_timeline(timeline, sample.recording(10), name="demo")
    assert [(f"{p.title} ({p.clock})", t.name) for p in made.processes for t in p.tracks] == [
        ("demo (virtual clock)", "stages"),
        ("demo (virtual clock)", "marks"),
        ("demo (virtual clock)", "kernel"),
        ("demo (virtual clock)", "user space"),
        ("demo (virtual clock)", "console"),
        ("diagnostic boot of demo (virtual clock, not comparable)", "initcalls"),
    ]
    assert made.notes == ("1 console lines without a stamp left out",)


def test_spans_that_repeat_the_stages_are_drawn_once():
    timeline = sample.timeline(sample.BASE_STAGES_NS)
    again = tuple(
        Span(name=s.name, lane="stages", start_ns=s.start_ns, duration_ns=s.duration_ns) for s in timeline.stages
    )
    doubled = msgspec.structs.replace(timeline, spans=timeline.spans + again)
    assert trace.of_timeline(doubled) == trace.of_timeline(timeline)
    assert [lane["name"] for lane in page_data.page_data(
        msgspec.structs.replace(sample.results("boot"), base=BootSummary(timeline=doubled)), {}
    )["base"]["lanes"]] == ["kernel", "user space"]  # fmt: skip


def test_chrome_json():
    document = json.loads(trace.of_timeline(sample.timeline(sample.BASE_STAGES_NS), name="demo").encode("chrome"))
    stages = [e for e in document["traceEvents"] if e["ph"] == "X" and e["cat"] == "stages"]
    assert stages[0] == {
        "ph": "X", "name": "firmware", "cat": "stages", "pid": 1, "tid": 1, "ts": 0.0, "dur": 102400.0, "args": {},
    }  # fmt: skip
    assert sum(e["dur"] for e in stages) == sum(sample.BASE_STAGES_NS) / 1000
    assert {e["args"]["name"] for e in document["traceEvents"] if e["name"] == "process_name"} == {
        "demo (virtual clock)"
    }


def test_hostile_names_are_spelled_in_both():
    results, recording = sample.hostile()
    made = trace.of_timeline(results.base.timeline, recording)
    text = made.encode("chrome")
    json.loads(text)
    names = [event.name for event in perfetto(made.encode("perfetto"))]
    assert any(r"\x1b[31m" in name for name in names)
    assert not any("\x1b" in name or "\0" in name for name in names)
    assert b"\\u001b" not in text
    assert len(text) < 200_000


def test_what_lies_before_power_on_shifts_its_clock_as_a_whole():
    timeline = Timeline(clock="printk", marks=(Mark("m", -5), Mark("n", 2)), stages=(Stage("s", 0, -1),))
    made = trace.of_timeline(timeline)
    assert {(e.name, e.start_ns) for e in perfetto(made.encode("perfetto"))} == {("s", 5), ("m", 0), ("n", 7)}
    assert {(e.name, e.start_ns) for e in chrome(made.encode("chrome"))} == {("s", 0), ("m", -5), ("n", 2)}
