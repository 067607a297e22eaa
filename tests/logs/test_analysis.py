# SPDX-License-Identifier: MIT
"""`bootlab.analyze`: the same JSON through Rust, Python and the command line; typed views; technique ids."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bootlab
from bootlab import _core
from bootlab.errors import UserError
from bootlab.logs import compare
from bootlab.techniques.remedies import remedy
from tests.logs import samples

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "boot.log"
    path.write_text(samples.BOOT)
    return path


def test_one_boot(log: Path):
    analysis = bootlab.analyze(log)
    assert analysis.document.detected == "boot-log"
    (boot,) = analysis.boots
    assert boot.kernel.banner is not None
    assert boot.kernel.banner.release == "6.6.0"
    assert boot.outcome == "user-space"
    slow, early, quick = boot.kernel.slowest_initcalls()
    assert (slow.name, slow.duration_ns, slow.printed_us) == ("slow_init", 300_000_000, 250_000)
    assert "disagrees" in slow.flags
    assert {early.label, quick.label} == {"early_init", "quick_init [quick]"}
    (device,) = boot.deferred.devices
    assert (device.device, device.deferrals, device.attempts_us) == ("4900000.i2c", 1, 2000)
    assert {remedy(c.kind).name for c in boot.costs} >= {"lpj-preset", "bootdelay-zero"}
    stage = boot.stage("user-space-start")
    assert stage is not None
    assert stage.ns == 801_000_000
    assert any(s.kind == "before-log" and s.duration_ns is None for s in boot.blind_spots)


def without_techniques(text: str) -> dict:
    """The document as the core writes it, which knows kinds of cost and no techniques."""
    document = json.loads(text)
    for part in document["parts"]:
        for cost in part.get("costs", ()):
            assert cost.pop("technique") == remedy(cost["kind"]).name
    return document


def test_the_same_json_from_bytes_path_packed_command_and_rust(log: Path):
    text = bootlab.analyze(log).json
    assert _core.Analysis.from_path(log).json() == text
    assert _core.Analysis.from_bytes(str(log), log.read_bytes()).json() == text
    done = subprocess.run(
        [sys.executable, "-m", "bootlab.cli.__main__", "analyze", "--json", str(log)], capture_output=True, check=True
    )
    assert without_techniques(done.stdout.decode()) == json.loads(text)
    packed = bootlab.analyze(gzip.compress(log.read_bytes()), name=str(log)).document
    assert packed.input.packing == "gzip"
    assert packed.parts == bootlab.analyze(log).document.parts
    trace = log.with_name("graph.txt")
    trace.write_text(samples.TRACE)
    from_bytes = _core.Analysis.from_bytes(str(trace), trace.read_bytes())
    assert from_bytes.json() == _core.Analysis.from_path(trace).json()


def test_golden_documents_are_the_same_through_python_and_the_command_line(tmp_path: Path, monkeypatch, capfd):
    """The crate's golden pairs: what Rust wrote, Python and the command line give, value for value."""
    from bootlab.cli.analysis_request import AnalysisRequest  # noqa: PLC0415
    from bootlab.cli.analysis_run import run  # noqa: PLC0415

    folder = REPOSITORY / "crates" / "boottrace" / "tests" / "golden"
    inputs = sorted(path for path in folder.rglob("*.*") if path.suffix != ".json")
    formats = set()
    for path in inputs:
        golden = json.loads(path.with_suffix(".json").read_text())
        formats.add(golden["detected"])
        # The golden documents have the files' stems as names.
        copy = tmp_path / path.stem
        copy.write_bytes(path.read_bytes())
        monkeypatch.chdir(tmp_path)
        made = bootlab.analyze(copy.name)
        assert json.loads(made.json) == golden, path
        assert json.loads(_core.Analysis.from_bytes(path.stem, path.read_bytes()).json()) == golden, path
        if golden["detected"] == "foreign":
            with pytest.raises(UserError, match=re.escape(golden["skipped"][0]["reason"])):
                run(AnalysisRequest(files=[copy.name], as_json=True))
            continue
        told = any(part["kind"] != "not-a-boot" for part in golden["parts"])
        assert run(AnalysisRequest(files=[copy.name], as_json=True)) == (0 if told else 2)
        assert without_techniques(capfd.readouterr().out) == json.loads(made.json)
    source = (REPOSITORY / "crates" / "boottrace" / "src" / "readers" / "formats.rs").read_text()
    assert formats == set(re.findall(r'^ +[A-Z]\w+ = "([a-z-]+)",$', source, re.M)), "a format has no golden pair"


@pytest.mark.parametrize("kind", ["release", "debug"])
def test_the_rust_example_writes_the_same(kind: str, log: Path):
    example = REPOSITORY / "target" / kind / "examples" / "analyze"
    crate = REPOSITORY / "crates" / "boottrace"
    newest = max(p.stat().st_mtime for part in ("src", "examples") for p in (crate / part).rglob("*.rs"))
    if not example.exists() or example.stat().st_mtime < newest:
        pytest.skip(f"no current {kind} build of the Rust example: cargo build --example analyze")
    done = subprocess.run([str(example), "--json", str(log)], capture_output=True, check=True)
    assert json.loads(done.stdout) == json.loads(bootlab.analyze(log).json)


def test_a_trace():
    analysis = bootlab.analyze(samples.TRACE.encode(), name="graph", export=True)
    (trace,) = analysis.traces
    assert [(f.function, f.count, f.total_ns, f.self_ns) for f in trace.top_total] == [
        ("outer", 1, 15_000, 10_000),
        ("inner", 2, 5_000, 5_000),
    ]
    assert trace.tree[1].parent == 0
    assert [(s.reason, s.count) for s in analysis.document.skipped] == [("no call, return or event", 1)]
    assert analysis.export("folded") == b"outer 10000\nouter;inner 5000\n"


def test_units_journal_and_deltas():
    unit = bootlab.analyze(b"Startup finished in 2.5s (kernel) + 7.5s (userspace) = 10s\n").units[0]
    assert unit.startup is not None
    assert (unit.startup.parts, unit.startup.total_ns) == (
        [("kernel", 2_500_000_000), ("userspace", 7_500_000_000)],
        10_000_000_000,
    )
    entry = (
        "__REALTIME_TIMESTAMP=1\n__MONOTONIC_TIMESTAMP={us}\n_BOOT_ID=abc\n_TRANSPORT=kernel\n"
        "_SOURCE_MONOTONIC_TIMESTAMP={us}\nMESSAGE={text}\n\n"
    )
    lines = ((1, "Linux version 6.6.0 (me@here) (gcc 13) #1 SMP"), (900000, "Run /sbin/init as init process"))
    journal = bootlab.analyze("".join(entry.format(us=us, text=text) for us, text in lines).encode())
    assert journal.document.detected == "journal-export"
    assert [boot.kernel.init is not None for boot in journal.boots] == [True]
    delta = bootlab.analyze(
        b"[0.000001 < 0.000001 >] Linux version 2.6.1\n[0.500000 < 0.499999 >] slow line\n[0.600000 < 0.100000 >] end\n"
    )
    assert delta.document.detected == "show-delta"
    assert [row.delta_ns for row in delta.document.parts[0].longest] == [499_999_000, 100_000_000]


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"\x7fELF" + bytes(100), "ELF"),
        (b"\xff\xd8\xff\xe0" + bytes(100), "JPEG"),
        (bytes(0x202) + b"HdrS" + bytes(100), "bzImage"),
    ],
)
def test_what_is_no_log_is_named(data: bytes, word: str):
    document = bootlab.analyze(data).document
    assert document.detected == "foreign"
    assert word in document.skipped[0].reason


def test_what_cannot_be_read_is_an_error_with_a_way_out(tmp_path: Path):
    for bad in (tmp_path, tmp_path / "absent", Path("/dev/null"), b""):
        with pytest.raises(UserError) as caught:
            bootlab.analyze(bad)
        assert caught.value.hint


def test_a_truncated_archive_gives_what_came_before(log: Path):
    packed = gzip.compress(log.read_bytes() * 50)
    analysis = bootlab.analyze(packed[: len(packed) * 2 // 3])
    assert analysis.boots
    assert "cut off" in analysis.document.input.problems[0]


def test_exports(log: Path):
    analysis = bootlab.analyze(log, export=True)
    assert analysis.export("svg").startswith(b"<")
    assert b"slow_init" in analysis.export("chrome")
    assert analysis.export("csv").splitlines()[0].startswith(b"clock,track")
    assert json.loads(analysis.export("speedscope"))["profiles"]
    assert analysis.export("perfetto", boot=1)
    with pytest.raises(UserError):
        analysis.export("svg", boot=7)


def test_comparison_and_budgets(log: Path):
    base = bootlab.analyze(log)
    new = bootlab.analyze(samples.slower(samples.BOOT).encode(), name="new")
    same = compare([base], [base])
    assert {row.change for row in same.rows} == {"same"}
    made = compare([base], [new], budgets=["kernel=900ms", "SLOW_init=1s", "absent=1s"])
    assert {row.quantity for row in made.slower} >= {"kernel", "initcall:slow_init"}
    assert [(b.budget.quantity, b.kept) for b in made.budgets] == [
        ("kernel", False),
        ("initcall:slow_init", True),
        ("absent", False),
    ]
    with pytest.raises(UserError):
        compare([], [new], budgets=["kernel=soon"])


def test_traces_and_units_are_compared():
    base = bootlab.analyze(samples.TRACE.encode(), name="base")
    slow = re.sub(r"(\d+)\.(\d+) us", lambda m: f"{int(m[1]) * 3 + 500}.{m[2]} us", samples.TRACE)
    made = compare([base], [bootlab.analyze(slow.encode(), name="new")], thresholds=["function=200us,10%"])
    assert {row.quantity for row in made.slower} >= {"self:inner", "total:outer"}
    assert {row.base_calls for row in made.slower} == {1, 2}
    assert not compare([base], [base], thresholds=["function=1us"]).slower
    text = "Startup finished in 2s (kernel) + {} (userspace) = {}\n {} demo.service\n 1s {}.service\n"
    old = bootlab.analyze(text.format("5s", "7s", "3s", "a").encode(), name="old")
    new = bootlab.analyze(text.format("7s", "9s", "5s", "b").encode(), name="new")
    made = compare([old], [new], budgets=["demo.service=4s", "userspace=8s"])
    assert {row.quantity: row.change for row in made.rows if row.change != "same"} == {
        "startup:total": "slower", "startup:userspace": "slower", "unit:demo.service": "slower",
        "unit:a.service": "gone", "unit:b.service": "new",
    }  # fmt: skip
    kept = {b.budget.quantity: b.kept for b in made.budgets}
    assert kept == {"unit:demo.service": False, "startup:userspace": True}
    with pytest.raises(UserError, match="the kind is none of"):
        compare([old], [new], thresholds=["nonsense=1ms"])


def test_the_boot_loader_has_plain_names():
    rows = "Timer summary in microseconds (2 records):\n       Mark    Elapsed  Stage\n          0          0  reset\n"
    table = bootlab.analyze((rows + "  1,500,000  1,500,000  board_init_r\n").encode(), name="stages")
    made = compare([], [table], budgets=["board_init_r=1s", "Boot-Loader=2s", "mark:board_init_r=2s"])
    assert [(b.budget.quantity, b.kept) for b in made.budgets] == [
        ("mark:board_init_r", False),
        ("stage:boot-loader", True),
        ("mark:board_init_r", True),
    ]
