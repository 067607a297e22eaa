# SPDX-License-Identifier: MIT
"""KFI logs and the reports of `kd` on them: reading the log gives the numbers that the report shows.

`kfi/probe.kd` was worked out by hand from `kfi/probe.lst`, with what kd had wrong put right: the time in which another
task ran is not schedule()'s.
"""

from pathlib import Path

import pytest

from bootlab.analysis import delay_census, function_tables
from bootlab.collectors import foreign_trace
from bootlab.errors import UserError
from bootlab.logs import analyze
from bootlab.logs.reports import KdReport

HERE = Path(__file__).parent / "kfi"


def report(path):
    return next(part for part in analyze(path).document.parts if isinstance(part, KdReport))


def functions(source):
    return {row.function: row for row in function_tables.functions(foreign_trace.load(source).trace)}


def test_the_log_gives_the_report():
    rows = functions(HERE / "probe.lst")
    said = report(HERE / "probe.kd")
    assert said.columns == ["Function", "Count", "Time", "Average", "Local", "Max-sub", "Ms count"]
    for want in said.rows:
        row = rows.pop(want.function)
        assert (row.count, row.time_ns // 1000, row.average_ns // 1000, row.local_ns // 1000) == (
            want.count,
            want.time_us,
            want.average_us,
            want.local_us,
        ), want.function
        assert (row.max_sub or None, row.max_sub_count or None) == (want.max_sub, want.max_sub_count), want.function
    # Never seen to end: it has a count and no time.
    assert [(row.function, row.count, row.time_ns) for row in rows.values()] == [("to_userspace", 1, 0)]


def test_the_tree_and_the_waits_of_a_log():
    trace = foreign_trace.load(HERE / "probe.lst").trace
    rows = function_tables.tree(trace, root="probe_hwif", min_ns=10_000_000, depth=4)
    assert [(row.depth, row.function, row.count) for row in rows] == [
        (0, "probe_hwif", 1),
        (1, "do_probe", 2),
        (2, "ide_delay_50ms", 3),
        (3, "__delay", 3),
    ]
    waits = delay_census.census(trace)
    assert [(w.kind, w.chain[-2:], w.count, w.time_ns) for w in waits] == [
        ("busy", ("ide_delay_50ms", "__delay"), 3, 199_990_000),
        ("sleep", ("do_probe", "wait_for_completion"), 1, 100_000_000),
    ]


def test_samples_are_counted_and_shown_as_microseconds(tmp_path):
    path = tmp_path / "perf.txt"
    chain = "\tffffffff81000010 inner+0x10 (vmlinux)\n\tffffffff81000020 outer+0x1 (vmlinux)\n"
    sample = f"swapper 0 [000] 1.0: 1 cycles: \n{chain}\n"
    path.write_text(sample * 3)
    loaded = foreign_trace.load(path)
    rows = {row.function: row for row in function_tables.functions(loaded.trace)}
    unit = 1 if loaded.part.weight == "ns" else 1000
    assert rows["outer"].time_ns == rows["inner"].local_ns == loaded.part.top_self[0].self_ns * unit > 0


@pytest.mark.parametrize("text", [b"no trace\n", b"\0" * 4096, b"[    0.000000] Linux version 6.1\n"])
def test_what_is_no_trace_is_refused_with_its_name(text, tmp_path):
    path = tmp_path / "rubbish"
    path.write_bytes(text)
    with pytest.raises(UserError, match="rubbish"):
        foreign_trace.load(path)


def test_the_excerpt_gives_the_numbers_of_the_report(cases):
    rows = functions(cases / "elinux-kfi-kfiboot-9-excerpt.lst")
    said = {row.function: row for row in report(cases / "elinux-kd-n30-output.txt").rows}
    # Only these two of the report lie wholly in the excerpt.
    for name in ("time_init", "get_cmos_time"):
        assert (rows[name].count, rows[name].time_ns // 1000) == (said[name].count, said[name].time_us)
    assert rows["get_cmos_time"].local_ns // 1000 == said["get_cmos_time"].local_us


def test_a_call_trace_of_kd_gives_its_local_times(cases):
    calls = report(cases / "elinux-kd-c-dofork-ppc440g.txt").trace
    lines = ["Entry Delta PID Function Called At"]
    lines += [f"{c.entry_us} {c.duration_us} 33 {c.function} x+0x0" for c in calls if c.pid != -1]
    log = ("\n".join(lines) + "\n").encode()
    rows = functions(log)
    end_us = calls[-1].entry_us
    whole = [c for c in calls if c.pid != -1 and c.entry_us + c.duration_us < end_us and c.local_us is not None]
    assert len(whole) > 30
    # kd takes no interrupt's time off; here there is none in those calls.
    for name in {c.function for c in whole}:
        of_name = [c for c in calls if c.function == name]
        if all(c in whole for c in of_name):
            assert rows[name].count == len(of_name), name
            assert rows[name].local_ns // 1000 == sum(c.local_us for c in of_name), name
