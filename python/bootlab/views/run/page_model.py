"""What the scripts of a run's page read: every name and its type. Times are nanoseconds, sizes bytes."""

from __future__ import annotations

from typing import Any, TypedDict

from bootlab.views.page_model import LaneData, TableData


class StageData(TypedDict):
    """A stage of a boot."""

    name: str
    start: int
    length: int
    insns: int | None


class RunMarkData(TypedDict):
    """A mark of a boot, and what set it."""

    name: str
    at: int
    insns: int | None
    source: str


class ClockData(TypedDict):
    """Lanes of a diagnostic boot on one clock."""

    clock: str
    lanes: list[LaneData]


class SpreadData(TypedDict):
    """The goal's times under dithers."""

    boots: int
    median: int
    first: int
    last: int


class ConsoleData(TypedDict):
    """The first lines of a console, each `[number, time, text]`, and how many there are."""

    total: int
    lines: list[list[Any]]


class BootData(TypedDict):
    """One boot, as :class:`bootlab.results.document.BootSummary` has it. An artefact is `[name, size]`."""

    key: str
    outcome: str
    failed: bool
    reason: str
    hint: str
    goal: int | None
    middle: int | None
    spread: SpreadData | None
    insns: int | None
    clock: str
    stages: list[StageData]
    marks: list[RunMarkData]
    lanes: list[LaneData]
    diagnostic: list[ClockData]
    missing: list[str]
    cmdline: str
    command: str
    consoleBytes: int
    artefacts: list[list[Any]]
    path: str
    lacks: list[str]
    notes: list[str]
    samples: list[int]
    console: ConsoleData | None


class TrialData(TypedDict):
    """One trial, as :class:`bootlab.model.verdict.Trial` has it.

    A stage is `[name, before, after]`, a size `[name, before, after]`, a word of the command line `[text, fate]`.
    """

    id: str
    technique: str
    what: str
    verdict: str
    outcome: str | None
    failed: bool
    hint: str
    saved: int | None
    base: int | None
    goal: int | None
    baseInsns: int | None
    insns: int | None
    shown: bool | None
    evidence: str
    reason: str
    own: str
    stages: list[list[Any]]
    cmdline: list[list[str]]
    sizes: list[list[Any]]
    key: str
    baseKey: str
    risk: dict[str, str]
    samples: list[int]
    baseSamples: list[int]
    p: float | None
    spread: SpreadData | None
    baseSpread: SpreadData | None
    errorRate: float | None
    interval: list[int] | None


class ArtefactData(TypedDict):
    """A file of the faster system."""

    name: str
    path: str
    size: int
    sha256: str


class FasterData(TypedDict):
    """The faster system."""

    cmdline: str
    cmdlineDiff: list[list[str]]
    machine: str
    baseMachine: str
    artefacts: list[ArtefactData]
    path: str


class AnswerData(TypedDict):
    """What the page says first."""

    times: str
    percent: str
    changes: int
    modelled: list[str]
    floor: str


class ModelData(TypedDict):
    """The parameters of what is modelled."""

    baud: int
    bits: int
    bandwidth: int | None


class RunData(TypedDict):
    """All of a run's page. `tables`: by the group of their rows; `risks`: of each technique by kind."""

    kind: str
    comparable: bool
    id: str
    system: str
    started: str
    finished: str
    mode: str
    shift: int | None
    processors: str
    emulator: str
    bootlab: str
    goal: str
    answer: AnswerData
    base: BootData
    final: BootData | None
    tables: dict[str, TableData]
    trials: list[TrialData]
    faster: FasterData | None
    risks: dict[str, dict[str, str]]
    notes: list[str]
    notModelled: list[str]
    modelled: ModelData | None
    reproduce: list[str]
