# SPDX-License-Identifier: MIT
"""The results of one run as plain data: what every verb that boots hands to every report.

Times are nanoseconds on the clock that the summary names (`virtual` in exact mode); sizes are bytes. A value of None
means: not known, or it never came. Writing and reading the file: :mod:`bootlab.results.file`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.change import Change
from bootlab.model.comparison import Comparison
from bootlab.model.contrast import Contrast
from bootlab.model.costing import Costing
from bootlab.model.costs import BoardRow, Costs
from bootlab.model.floor import Floor
from bootlab.model.launch import Launch
from bootlab.model.leave_one_out import LeaveOneOut
from bootlab.model.modelled import Modelled
from bootlab.model.plan import Plan
from bootlab.model.processors import Processors, QuantumGoal
from bootlab.model.question import Question
from bootlab.model.recording import GoalClock, Mark, Outcome, Recording, unsure_ns
from bootlab.model.sample import Spread
from bootlab.model.system import Mode
from bootlab.model.timeline import Stage, Timeline, whole_of
from bootlab.model.verdict import Trial, Verdict
from bootlab.model.waterfall import Bar
from bootlab.techniques.base import Answer, Risk

FORMAT = "bootlab-results"
VERSION = 2

Kind = Literal["boot", "try", "stack", "compare", "optimize"]

NOT_MODELLED: tuple[str, ...] = (
    "Caches, TLB and branch prediction: every instruction takes the same time.",
    "DRAM latency and bandwidth: memory answers at once.",
    "Flash, eMMC and SD bandwidth and latency: loading an image costs instructions only.",
    "The baud rate of the serial console: a character leaves in the time of the store that sends it.",
    "Real device latency (PLL lock, PHY link, regulator ramps) beyond what the emulated device waits for.",
)
"""What exact mode leaves out on every machine; every report of an exact run says so."""


_ONE = Processors()


def not_modelled(processors: Processors = _ONE) -> tuple[str, ...]:
    """Return what exact mode leaves out on a machine with these processors, in sentences."""
    return (*NOT_MODELLED, processors.not_modelled)


class BootSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A summary of one boot. The console text is only in the recording."""

    key: str = ""
    """Content address of the recording."""
    outcome: Outcome = Outcome.GOAL
    reason: str = ""
    """Why the boot ended as it did, for outcomes other than the goal."""
    goal_ns: int | None = None
    """Power-on to goal on `clock`, nanoseconds."""
    goal_insns: int | None = None
    """Instructions executed from power-on to goal."""
    clock: GoalClock = "virtual"
    timeline: Timeline | None = None
    """Marks, stages and spans of this boot; `diagnostic` spans keep the clock of their own boot."""
    cmdline: str = ""
    command: tuple[str, ...] = ()
    """The emulator's command, word by word."""
    launch: Launch | None = None
    """What was started, as data; None if unknown."""
    console_bytes: int = 0
    artefact_bytes: dict[str, int] = {}
    """Size of each artefact (`kernel`, `initramfs`) in bytes."""
    artefact_sha256: dict[str, str] = {}
    recording_path: str | None = None
    samples_ns: tuple[int, ...] = ()
    """The goal times of the boots that the trials were compared with, nanoseconds (free mode, boards)."""
    wall_s: float = 0.0
    """Host seconds the boot took; says nothing about the guest in exact mode."""
    spread: Spread | None = None
    """The goal's times when the same system was booted under dithers (exact mode)."""
    failed_boots: tuple[Outcome, ...] = ()
    """How the boots under dithers ended that did not reach the goal; they are in no time."""
    visible_gain_ns: int | None = None
    """The smallest gain over this boot that is found in nine of ten cases, nanoseconds; None if not computed."""
    lacks: tuple[str, ...] = ()
    """What this recording does not have, in sentences (no plugin, no symbols)."""
    notes: tuple[str, ...] = ()
    """What of the machine does not repeat in exact mode, does not show in it, or is wrong (its clock), in sentences."""

    @classmethod
    def of(cls, recording: Recording, timeline: Timeline | None = None) -> BootSummary:
        """Summarise a recording."""
        meta = recording.meta
        return cls(
            key=meta.key,
            outcome=meta.outcome,
            reason=meta.reason,
            goal_ns=meta.goal_ns,
            goal_insns=meta.goal_insns,
            clock=meta.goal_clock,
            timeline=timeline,
            cmdline=meta.cmdline,
            command=meta.command,
            launch=meta.launch,
            console_bytes=meta.console_bytes,
            artefact_bytes=dict(meta.artefact_bytes),
            artefact_sha256=dict(meta.artefact_sha256),
            recording_path=recording.path,
            wall_s=meta.wall_s,
            lacks=meta.lacks,
            notes=meta.notes,
        )

    @property
    def whole(self) -> str:
        """What its whole time is called."""
        return whole_of({mark.name for mark in self.marks})

    @property
    def middle_ns(self) -> int | None:
        """Where the goal comes: the median of the boots under dithers or in blocks, else that of the one boot."""
        several = self.told_spread
        return several.median_ns if several is not None else self.goal_ns

    @property
    def unsure_ns(self) -> int | None:
        """How far its times are unsure, nanoseconds, which their digits follow; None: they repeat exactly."""
        return unsure_ns(self.clock, self.samples_ns)

    @property
    def told_spread(self) -> Spread | None:
        """Median and range of the boots that reached the goal, under dithers or in blocks; None of one boot."""
        return self.spread or (Spread.of(self.samples_ns) if len(self.samples_ns) > 1 else None)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages that were seen, in order."""
        return self.timeline.stages if self.timeline else ()

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks that were seen, in order of time."""
        return tuple(sorted(self.timeline.marks, key=lambda m: m.ns)) if self.timeline else ()

    def stage_insns(self, stage: Stage) -> int | None:
        """Instructions executed in a stage; None when one of its two marks carries no count."""
        by_ns = {m.ns: m.insns for m in self.marks if m.insns is not None}
        if self.goal_ns is not None and self.goal_insns is not None:
            by_ns.setdefault(self.goal_ns, self.goal_insns)
        first = by_ns.get(stage.start_ns, 0 if stage.start_ns == 0 else None)
        last = by_ns.get(stage.start_ns + stage.duration_ns)
        return None if first is None or last is None else last - first


class StackStepRow(msgspec.Struct, frozen=True, kw_only=True):
    """A change that was added to the stack, in order."""

    change_id: str
    before_ns: int
    """Goal time of the stack before this change, nanoseconds."""
    after_ns: int
    """Goal time with it, nanoseconds."""
    what: str = ""
    """The change in words (`quiet`, `initramfs: lz4`); "" if the trial with the same id has it."""
    retried: bool = False
    """Added in the late round, after it had been tried (or skipped) before."""
    evidence: str = ""
    """Proof of effect in the stacked boot."""
    each: dict[str, str] = {}
    """The proof of each of `members`, by its id."""
    key: str = ""
    """Recording of the stack with this change."""
    before: Spread | None = None
    """The goal's times without this change, under dithers; `before_ns` is the median."""
    after: Spread | None = None
    """The goal's times with it; `after_ns` is the median."""
    members: tuple[str, ...] = ()
    """Ids of the changes that were taken together; () for a single one."""
    board: BoardRow | None = None
    """The board's time with it; null without costs of a board."""

    @property
    def saved_ns(self) -> int:
        """Time saved by this step, nanoseconds (negative: lost)."""
        return self.before_ns - self.after_ns


class Rejected(msgspec.Struct, frozen=True, kw_only=True):
    """A change that was tried on the stack, perhaps again at the end, and left out."""

    change_id: str
    reason: str
    verdict: Verdict = Verdict.SAME
    stack_ns: int | None = None
    """Goal time of the stack it was tried on, nanoseconds."""
    goal_ns: int | None = None
    """Goal time with it, nanoseconds; None if the goal was not reached."""
    retried: bool = False
    """Tried again in the late round."""
    members: tuple[str, ...] = ()
    """Ids of the changes that were tried together; () for a single one."""
    key: str = ""
    before: Spread | None = None
    """The goal's times on the stack without it, under dithers."""
    after: Spread | None = None
    """The goal's times with it."""


class Artefact(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the final system."""

    name: str
    path: str
    size_bytes: int = 0
    sha256: str = ""


class FinalSystem(msgspec.Struct, frozen=True, kw_only=True):
    """The faster system, ready to use."""

    cmdline: str
    """What a boot loader has to pass."""
    booted_with: tuple[str, ...] = ()
    """Further words that the boots had because exact mode needs them (`nokaslr`)."""
    machine: tuple[str, ...] = ()
    """The emulator's machine words (`-machine`, `q35,…`)."""
    artefacts: tuple[Artefact, ...] = ()
    base_machine: tuple[str, ...] = ()
    system_path: str | None = None
    """The TOML file of the faster system, when one was written."""


class StackResult(msgspec.Struct, frozen=True, kw_only=True):
    """How the stack was built, and its result."""

    steps: tuple[StackStepRow, ...]
    final: BootSummary
    system: FinalSystem
    rejected: tuple[Rejected, ...] = ()
    leave_one_out: tuple[LeaveOneOut, ...] = ()
    changes: tuple[Change, ...] = ()
    """What stands at the end, in order."""


class ApplicabilityData(msgspec.Struct, frozen=True, kw_only=True):
    """A technique of the catalogue and whether it can be tried here."""

    id: str
    title: str
    answer: Answer
    reason: str
    evidence: str = ""
    risk: Risk = Risk()
    stage: str = ""


class RunDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One run. `base` is the boot itself for kind `boot`."""

    format: str = FORMAT
    version: int = VERSION
    kind: Kind
    id: str
    """Name of the run (its folder)."""
    system_name: str
    started: str
    """ISO 8601 with zone, host clock."""
    finished: str
    base: BootSummary
    mode: Mode = "exact"
    shift: int | None = None
    """One instruction takes 2**shift ns (exact mode)."""
    emulator_version: str = ""
    bootlab_version: str = ""
    goal: str = ""
    """The console pattern that means first available use."""
    trials: tuple[Trial, ...] = ()
    stack: StackResult | None = None
    techniques: tuple[ApplicabilityData, ...] = ()
    plan: Plan | None = None
    """What `optimize` was to do."""
    waterfall: tuple[Bar, ...] = ()
    """From the base to the result, bar by bar (`optimize`)."""
    floor: Floor | None = None
    """What the result's goal needs, and what else the result does (`optimize`)."""
    options_dropped: tuple[str, ...] = ()
    """Kernel options that were left out because their code never ran (`optimize --shrink`)."""
    options_kept: dict[str, str] = {}
    """Kernel options whose code never ran and that stayed, with the reason."""
    options_needed: dict[str, str] = {}
    """Kernel options whose code ran for the goal, each with a function of it."""
    parts_kept: dict[str, str] = {}
    """Files, modules and links to applets that were to be left out and stayed, with the reason (`optimize`)."""
    questions: tuple[Question, ...] = ()
    """Boots that only showed whether a system works: of parts, of kernels without options, of final checks."""
    contrasts: tuple[Contrast, ...] = ()
    """What checks say of the base and of the result, where that differs: security and function (`optimize`)."""
    comparison: Comparison | None = None
    """The rows of any other experiment (kind `compare`); its own kind says what was compared.

    Where its rows are trials of techniques, `base` and `trials` are there too.
    """
    notes: tuple[str, ...] = ()
    processors: Processors = Processors()
    """How many, and whose time the clock is."""
    quanta: tuple[QuantumGoal, ...] = ()
    """Goals of the base, of winners or of the stack with this and with other quanta; () with one processor."""
    not_modelled: tuple[str, ...] = not_modelled()
    """Sentences; leave the default for exact runs, give () for runs in free mode."""
    modelled: Modelled | None = None
    """Null where a board's costs are given: they decide, and are in `board`."""
    costs: Costs | None = None
    """Of the board by whose time the run decided; null: by the exact time."""
    board: tuple[BoardRow, ...] = ()
    """The board's time of the base and of the stack, and what each is made of."""
    costing: Costing | None = None
    """What a processor would take for the boot, by stage (`boot --costing`)."""
    reproduce: tuple[str, ...] = ()
    """Commands that reproduce these results."""

    @property
    def final(self) -> BootSummary | None:
        """The stacked boot, when there is one."""
        return self.stack.final if self.stack else None

    @property
    def comparable(self) -> bool:
        """Tell whether the base's and the stack's goal times are on one clock: else no difference may be taken."""
        return self.final is None or self.final.clock == self.base.clock

    def unsure_ns(self, trial: Trial) -> int | None:
        """How far the time that a trial saved is unsure, which its digits follow; None of an exact run."""
        return trial.unsure_ns if self.base.clock == "wall" else None

    def risk_of(self, technique: str) -> Risk:
        """Return the risk of a technique, empty when it is not in the list."""
        return next((t.risk for t in self.techniques if t.id == technique), Risk())

    def trial(self, change_id: str) -> Trial | None:
        """Return the trial of a change, or None."""
        return next((t for t in self.trials if t.change.id == change_id), None)

    def trials_by_saved(self) -> tuple[Trial, ...]:
        """Sort the trials: most time saved first, those without a time last."""
        return tuple(sorted(self.trials, key=lambda t: (t.saved_ns is None, -(t.saved_ns or 0), t.change.id)))
