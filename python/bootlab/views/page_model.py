# SPDX-License-Identifier: MIT
"""What the scripts of a page read: every name and its type. A run's page has its document's own names.

Every text was made visible before, every list was cut. Times are nanoseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NotRequired, Required, TypedDict

Cell = str | Sequence[Any]
"""A text; `[text, sort key]`; `[text, sort key, address]`, a link; the fourth: the verdict whose colour it has."""


class TableData(TypedDict):
    """A table. A column is `[name, whether it stands on the right]`, and for comparisons its key and its look too.

    `left`: how many rows were cut. `ids`, `faint`: of each row of a comparison, its id and whether nothing proves it.
    """

    caption: str
    lead: str
    columns: list[list[Any]]
    rows: list[list[Cell]]
    left: int
    ids: NotRequired[list[str]]
    faint: NotRequired[list[bool]]


class LaneData(TypedDict):
    """A lane of a plot: a span is `[name, start, length, detail]`. `cut`: how many shorter ones were left out.

    `stage`: the stage that all spans belong to, whose colour they get.
    """

    name: str
    stage: NotRequired[str]
    spans: list[list[Any]]
    cut: NotRequired[int]


class MarkData(TypedDict):
    """A mark of a plot."""

    name: str
    at: int


class PlotData(TypedDict):
    """A plot of one clock, from `start` to `end`."""

    label: str
    lanes: list[LaneData]
    marks: list[MarkData]
    start: int
    end: int


class CostData(TypedDict):
    """One cost that a log shows, with the way to try what takes it away."""

    kind: str
    technique: str
    title: str
    cost: int | None
    gain: int | None
    atMost: bool
    atLeast: bool
    basis: str
    evidence: str
    advice: str
    way: str


class TrendData(TypedDict):
    """A quantity over revisions: a change is `[behind which point, from, to]`.

    A point is `[revision, variant, time, date]`: nanoseconds, and seconds since 1970 or null where no date is known.
    A line is `[name, time]`, to hold the points against. `places`: the digits of its milliseconds.
    """

    label: str
    points: list[list[Any]]
    changes: list[list[int]]
    lines: NotRequired[list[list[Any]]]
    places: NotRequired[int]


class ChooserData(TypedDict):
    """A form with two lists of the same options, each `[value, words]`."""

    label: str
    action: str
    fixed: dict[str, str]
    names: list[list[str]]
    options: list[list[str]]
    chosen: list[str]
    button: str


class SideData(TypedDict):
    """The weights of a call tree's paths on one side, one number a path.

    `rest`, `restWait`: what is in the total of a path, and neither its own nor in the children that were kept.
    """

    count: list[int]
    own: list[int]
    rest: list[int]
    restWait: list[int]


class LeftData(TypedDict):
    """Call paths that were left out: how many of how many, and the weight below which."""

    paths: int
    of: int
    least: int
    share: float


class CallsData(TypedDict):
    """A call tree: of each path how far up its parent stands and the number of its function's name."""

    unit: str
    clock: str
    names: list[str]
    waits: list[int]
    up: list[int]
    fn: list[int]
    now: SideData
    functions: list[int]
    functionsNow: list[list[int]]
    functionsLeft: int
    left: LeftData
    was: NotRequired[SideData]
    functionsWas: NotRequired[list[list[int]]]
    sides: NotRequired[list[str]]


class StageData(TypedDict):
    """A stage on the axis of its boot."""

    name: str
    start_ns: int
    duration_ns: int


class StagesData(TypedDict):
    """The stages of a boot, end to end; `places`: the digits of its milliseconds."""

    stages: list[StageData]
    goal_ns: int
    places: int


class PartData(TypedDict):
    """A part of a page. A bar is `[stage, start, length, words]`; a side `[name, its stages]`."""

    title: str
    alerts: list[str]
    plot: PlotData | None
    tables: list[TableData]
    costs: list[CostData]
    subtitle: NotRequired[str]
    calls: NotRequired[CallsData | None]
    bars: NotRequired[list[list[Any]]]
    sides: NotRequired[list[tuple[str, StagesData]]]
    trends: NotRequired[list[TrendData]]
    choose: NotRequired[ChooserData]


class PageData(TypedDict, total=False):
    """A page that is drawn of parts.

    A figure of `headline` is `[text, unit, what it is]`, perhaps with a verdict; a fact is `[name, value]`; a step of
    the `trail` is `[name, address]`. `file`, `detected`, `lines`, `bytes`, `packing`: of the input of an analysis.
    """

    name: Required[str]
    parts: Required[list[PartData]]
    partsLeft: int
    kind: str
    file: str
    detected: str
    lines: int
    bytes: int
    packing: str
    headline: list[list[str]]
    facts: list[list[str]]
    problems: list[str]
    notes: list[str]
    account: list[TableData]
    trail: list[list[str]] | None
    footer: str
    empty: str
