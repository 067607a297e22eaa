"""Traces: what a tiny reader of protobuf gets back out of the bytes, and Chrome's JSON."""

import json

import msgspec

from bootlab.model.recording import Line, Mark
from bootlab.model.timeline import Span, Stage, Timeline
from bootlab.results.document import BootSummary
from bootlab.views.run import page_data
from bootlab.views.timeline import chrome as chrome_trace
from bootlab.views.timeline import perfetto
from bootlab.views.timeline import tracks as trace
from bootlab.views.timeline.tracks import Instant, Slice, Trace, Track
from tests.views import report_sample as sample

SMALL = Trace(
    tracks=(
        Track(
            process="boot",
            name="kernel",
            slices=(
                Slice(name="outer", start_ns=100, duration_ns=300),
                Slice(name="inner", start_ns=150, duration_ns=50, detail=(("returned", "0"),)),
            ),
            instants=(Instant(name="mark", ns=1000),),
        ),
    )
)

# Checked once with the message classes of the `perfetto` package 0.59.1: no unknown field, slices nest.
GOLDEN = bytes.fromhex(
    "0a15e2030e08011a0808013204626f6f745803500168010a13e2030e080212066b65726e656c2801600050010a1b4064"
    "5a1548015802b201066b65726e656cba01056f7574657250010a2b4096015a2448015802b201066b65726e656cba0105"
    "696e6e6572220d520872657475726e656432013050010a0b40c8015a044802580250010a0b4090035a04480258025001"
    "0a1b40e8075a1448035802b201066b65726e656cba01046d61726b5001"
)


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data: bytes) -> dict[int, list]:
    out: dict[int, list] = {}
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 == 2
            length, at = varint(data, at)
            value, at = data[at : at + length], at + length
            assert len(value) == length
        out.setdefault(key >> 3, []).append(value)
    return out


def packets(data: bytes) -> list[dict[int, list]]:
    top = fields(data)
    assert set(top) == {1}
    return [fields(p) for p in top[1]]


def events(data: bytes) -> list[tuple[int, int, int, str]]:
    out = []
    for packet in packets(data):
        if 11 in packet:
            event = fields(packet[11][0])
            out.append((packet[8][0], event[9][0], event[11][0], event.get(23, [b""])[0].decode()))
    return out


def test_the_bytes_are_those_that_perfetto_reads():
    assert perfetto.encode(SMALL) == GOLDEN


def test_slices_nest_and_end():
    assert events(perfetto.encode(SMALL)) == [
        (100, 1, 2, "outer"), (150, 1, 2, "inner"), (200, 2, 2, ""), (400, 2, 2, ""), (1000, 3, 2, "mark"),
    ]  # fmt: skip


def test_a_slice_ends_before_the_next_begins():
    touching = tuple(Slice(name=n, start_ns=a, duration_ns=d) for n, a, d in (("a", 0, 10), ("b", 10, 0), ("c", 10, 5)))
    got = events(perfetto.encode(Trace(tracks=(Track(process="p", name="t", slices=touching),))))
    assert [(ns, kind, name) for ns, kind, _, name in got] == [
        (0, 1, "a"), (10, 2, ""), (10, 1, "c"), (10, 1, "b"), (10, 2, ""), (15, 2, ""),
    ]  # fmt: skip


def test_details_become_annotations():
    inner = fields(packets(perfetto.encode(SMALL))[3][11][0])
    note = fields(inner[4][0])
    assert (note[10], note[6], inner[22]) == ([b"returned"], [b"0"], [b"kernel"])


def test_every_packet_belongs_to_the_sequence_and_the_first_clears_it():
    all_packets = packets(perfetto.encode(SMALL))
    assert {p[10][0] for p in all_packets} == {1}
    assert [13 in p for p in all_packets] == [True] + [False] * (len(all_packets) - 1)


def test_large_numbers_survive():
    big = Trace(tracks=(Track(process="p", name="t", instants=(Instant(name="late", ns=2**62),)),))
    assert events(perfetto.encode(big))[0][0] == 2**62


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
    assert [(t.process, t.name) for t in made.tracks] == [
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
    document = json.loads(chrome_trace.encode(trace.of_timeline(sample.timeline(sample.BASE_STAGES_NS), name="demo")))
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
    chrome = chrome_trace.encode(made)
    json.loads(chrome)
    names = [name for _, _, _, name in events(perfetto.encode(made))]
    assert any(r"\x1b[31m" in name for name in names)
    assert not any("\x1b" in name or "\0" in name for name in names)
    assert b"\\u001b" not in chrome
    assert len(chrome) < 200_000


def test_before_power_on_is_written_as_power_on():
    timeline = Timeline(clock="printk", marks=(Mark("m", -5),), stages=(Stage("s", 0, -1),))
    assert events(perfetto.encode(trace.of_timeline(timeline)))[0][0] == 0
    assert Line(number=1, text="", offset_bytes=0).first_ns is None
