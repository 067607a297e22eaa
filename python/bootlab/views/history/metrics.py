# SPDX-License-Identifier: MIT
"""The history for monitoring: OpenMetrics of the newest boots, InfluxDB's line protocol of all.

Sources: https://prometheus.io/docs/specs/om/open_metrics_spec/ (text format),
https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from bootlab.history.entry import HistoryEntry

_NS = 1_000_000_000
OPENMETRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


def newest(entries: Iterable[HistoryEntry]) -> list[HistoryEntry]:
    """Return the newest boot of each variant of each system; `entries` in the order in which they were made."""
    return list({(entry.system, entry.variant): entry for entry in entries}.values())


def openmetrics(entries: Iterable[HistoryEntry]) -> str:
    """Return the newest boot of each variant as gauges. A stage that was not measured has no sample."""
    boots = newest(entries)
    lines: list[str] = []
    for name, unit, text, samples in (
        ("bootlab_stage_seconds", "seconds", "Time of a stage; stage=total: power-on to goal.", _stages),
        ("bootlab_goal_reached", "", "Whether the newest boot reached its goal and passed its check.", _reached),
        ("bootlab_made_seconds", "seconds", "When the newest boot was made, seconds since 1970.", _made),
        ("bootlab_boot", "", "What was booted: its revision, and how it ended.", _about),
    ):
        kind = "info" if name == "bootlab_boot" else "gauge"
        lines += [f"# TYPE {name} {kind}", *([f"# UNIT {name} {unit}"] if unit else []), f"# HELP {name} {text}"]
        for entry in boots:
            lines += [f"{name}{sample}" for sample in samples(entry)]
    return "\n".join([*lines, "# EOF"]) + "\n"


def line_protocol(entries: Iterable[HistoryEntry]) -> str:
    """Return one line a boot: the fields are its stages in nanoseconds, the time is when it was made."""
    return "".join(f"{_line(entry)}\n" for entry in entries)


def _stages(entry: HistoryEntry) -> Iterator[str]:
    for stage, ns in entry.times.values.items():
        yield f"{_labels(_who(entry) | {'stage': stage, 'clock': entry.times.clock})} {_seconds(ns)}"


def _reached(entry: HistoryEntry) -> Iterator[str]:
    yield f"{_labels(_who(entry))} {int(entry.times.ok)}"


def _made(entry: HistoryEntry) -> Iterator[str]:
    yield f"{_labels(_who(entry))} {_seconds(_made_ns(entry))}"


def _about(entry: HistoryEntry) -> Iterator[str]:
    facts = {"revision": entry.revision, "outcome": entry.times.outcome.value, "clock": entry.times.clock}
    yield f"_info{_labels(_who(entry) | facts)} 1"


def _who(entry: HistoryEntry) -> dict[str, str]:
    return {"system": entry.system, "variant": entry.variant}


def _seconds(ns: int) -> str:
    """Spell nanoseconds as seconds without a loss: a float has no room for the time since 1970."""
    return f"{'-' if ns < 0 else ''}{abs(ns) // _NS}.{abs(ns) % _NS:09}"


def _made_ns(entry: HistoryEntry) -> int:
    made = datetime.fromisoformat(entry.at)
    return int(made.timestamp()) * _NS + made.microsecond * 1000


def _labels(values: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in values.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _line(entry: HistoryEntry) -> str:
    times = entry.times
    tags = {"system": entry.system, "variant": entry.variant, "host": entry.host, "clock": times.clock}
    # An empty tag is an error there.
    head = ",".join(["bootlab", *(f"{name}={_tag(value)}" for name, value in tags.items() if value)])
    fields = [f"{_tag(stage)}={ns}i" for stage, ns in times.values.items()]
    fields += [f"reached={'true' if times.ok else 'false'}", f'revision="{_field(entry.revision)}"']
    return f"{head} {','.join(fields)} {_made_ns(entry)}"


def _tag(value: str) -> str:
    """Escape a tag or a field's name. A line break has no form there; a backslash at the end would take the comma."""
    for sign in (",", "=", " "):
        value = value.replace(sign, f"\\{sign}")
    return value.replace("\n", "\\ ").replace("\r", "\\ ").rstrip("\\") or "_"


def _field(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
