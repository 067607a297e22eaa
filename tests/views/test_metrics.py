# SPDX-License-Identifier: MIT
"""The history for monitoring: what Prometheus and InfluxDB read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from bootlab.history.boot_times import BootTimes
from bootlab.history.entry import HistoryEntry
from bootlab.model.recording import Outcome
from bootlab.views.history import metrics
from tests.examples import examples

LABEL = r'[a-z]+="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"([a-z_]+)\{{{LABEL}(?:,{LABEL})*\}} (-?[0-9.]+)")
LINE = re.compile(r"bootlab(?:,[a-z]+=(?:[^ ,=\n]|\\[ ,=])+)* (.*) ([0-9]+)", re.DOTALL)
TIMES = BootTimes(key="k", values={"total": 3_582_629_382, "kernel": 1_500_000_001}, at="2026-11-27T16:00:00+00:00")
BOOT = HistoryEntry(system="camera", revision="v1.1", times=TIMES)
DASHBOARD = Path(__file__).resolve().parents[2] / "examples/grafana/boots.json"


def samples(text: str) -> dict[str, float]:
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            match = SAMPLE.fullmatch(line)
            assert match, line
            found[line.rpartition(" ")[0]] = float(match[2])
    return found


def test_the_newest_boot_of_each_variant_is_a_gauge() -> None:
    older = msgspec.structs.replace(BOOT, times=msgspec.structs.replace(TIMES, values={"total": 1}))
    quiet = msgspec.structs.replace(BOOT, variant="quiet")
    text = metrics.openmetrics([older, BOOT, quiet])
    found = samples(text)
    assert text.endswith("# EOF\n")
    assert found['bootlab_stage_seconds{system="camera",variant="",stage="total",clock="virtual"}'] == 3.582629382
    assert 'stage="total",clock="virtual"} 3.582629382\n' in text
    assert found['bootlab_goal_reached{system="camera",variant="quiet"}'] == 1
    assert found['bootlab_made_seconds{system="camera",variant=""}'] == 1795795200
    info = 'bootlab_boot_info{system="camera",variant="",revision="v1.1",outcome="goal",clock="virtual"}'
    assert found[info] == 1
    assert len(found) == 2 * 5


def test_a_boot_without_a_goal_has_no_total_and_says_so() -> None:
    times = BootTimes(key="k", outcome=Outcome.HANG, not_measured={"total": "the boot ended as hang"}, at=TIMES.at)
    found = samples(metrics.openmetrics([msgspec.structs.replace(BOOT, times=times)]))
    assert found['bootlab_goal_reached{system="camera",variant=""}'] == 0
    assert not any("stage_seconds" in name for name in found)


def test_every_metric_of_the_dashboard_is_written() -> None:
    text = metrics.openmetrics([BOOT])
    queries = json.dumps(json.loads(DASHBOARD.read_text(encoding="utf-8")))
    named = set(re.findall(r"bootlab_[a-z_]+", queries))
    assert named
    assert named <= set(re.findall(r"bootlab_[a-z_]+", text))


def test_a_boot_is_a_line_with_its_own_date() -> None:
    line = metrics.line_protocol([msgspec.structs.replace(BOOT, system="my camera,a=b", host="lab")])
    assert line == (
        "bootlab,system=my\\ camera\\,a\\=b,host=lab,clock=virtual "
        'total=3582629382i,kernel=1500000001i,reached=true,revision="v1.1" 1795795200000000000\n'
    )


@examples(200)
@given(st.text(), st.text(), st.text())
def test_any_name_keeps_the_shape(system: str, revision: str, stage: str) -> None:
    times = msgspec.structs.replace(TIMES, values={stage: 5})
    entry = msgspec.structs.replace(BOOT, system=system, revision=revision, times=times)
    lines = metrics.openmetrics([entry]).split("\n")
    # Line breaks of other alphabets are none for Prometheus.
    assert all(line == "" or line.startswith("#") or SAMPLE.fullmatch(line) for line in lines)
    written = metrics.line_protocol([entry])
    assert written.endswith("\n")
    assert written.count("\n") == 1
    assert LINE.fullmatch(written[:-1])
