# SPDX-License-Identifier: MIT
"""What a technique is: facts as data and three functions."""

from __future__ import annotations

import abc
import enum
from typing import Literal

import msgspec

from bootlab.model.change import Change
from bootlab.model.recording import Diagnosis, Recording
from bootlab.model.shared_cost import SharedCost
from bootlab.model.source_build import KernelPatch
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Effect

StageName = Literal["firmware", "loader", "image", "kernel", "initramfs", "storage", "init", "userspace"]


Proof = Literal["recording", "kernel-log", "diagnosis"]
"""Where `took_effect` looks. `recording`: marks, artefact sizes and console of the two timing boots are enough.
`kernel-log`: messages of level info; where a console hides them (`quiet`), give it a diagnostic boot of that system
(:class:`bootlab.experiments.closer_look.CloserLook` tells). `diagnosis`: only a diagnostic boot of both can show it."""


STAGES_BEFORE = ("firmware", "kernel set-up", "decompressor")
"""What runs before the kernel's own first function, as `Technique.ends` names it. `firmware`: a boot loader too."""


Source = Literal["console", "cmdline", "machine", "initramfs"]
"""What a context may lack when nothing was booted: then it holds an empty one, which must not be taken for silence."""


class Answer(enum.StrEnum):
    """Whether a technique can be tried on a system."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Applies(msgspec.Struct, frozen=True):
    """The answer, with its reason and the line, option or file that is the evidence.

    `options`: those of the kernel's configuration (without `CONFIG_`) that it rests on: a fragment that does not name
    them leaves it open. `silent`: unknown only because the console does not carry the kernel's messages.
    """

    answer: Answer
    reason: str
    evidence: str = ""
    options: tuple[str, ...] = ()
    silent: bool = False

    @classmethod
    def yes(cls, reason: str, evidence: str = "", *, options: tuple[str, ...] = ()) -> Applies:
        """Say that it applies, and why."""
        return cls(Answer.YES, reason, evidence, options)

    @classmethod
    def no(cls, reason: str, evidence: str = "", *, options: tuple[str, ...] = ()) -> Applies:
        """Say that it does not, and why."""
        return cls(Answer.NO, reason, evidence, options)

    @classmethod
    def unknown(cls, reason: str, evidence: str = "") -> Applies:
        """Say that the evidence does not tell, and what is missing. It is tried all the same."""
        return cls(Answer.UNKNOWN, reason, evidence)


COSTS = ("security", "function", "runtime")
"""Kinds of risk that keep a technique out of `stack` unless they are let in."""

RISKS = (*COSTS, "debuggability")
"""Every kind, the gravest first."""


class Risk(msgspec.Struct, frozen=True, kw_only=True):
    """What is lost for as long as the system runs. What only one variant loses counts for the technique.

    `runtime`: the running system is slower, or takes more power or memory. Anything of `COSTS` keeps a technique out of
    `stack` unless it is asked for.
    """

    security: str = ""
    function: str = ""
    runtime: str = ""
    debuggability: str = ""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of `RISKS` that it has."""
        return tuple(kind for kind in RISKS if getattr(self, kind))

    @property
    def costs(self) -> tuple[str, ...]:
        """Return the kinds of `COSTS` that it has."""
        return tuple(kind for kind in COSTS if getattr(self, kind))

    @property
    def off_by_default(self) -> bool:
        """Tell whether `stack` leaves it out unless it is named."""
        return bool(self.costs)


NO_RISK = Risk()


class Published(msgspec.Struct, frozen=True):
    """A gain that somebody published: never a promise for another machine. `variant`: the label that it is about."""

    gain: str
    machine: str
    source: str
    variant: str = ""

    def about(self, change: Change) -> bool:
        """Tell whether it stands beside a change: it is about its variant, or about every one."""
        return self.variant in {"", change.label}


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one booted system: its timing recording and, when one was made, its diagnostic boot.

    `loud`: where bootlab cannot make that, its boot with `loglevel=7` in the place of `quiet`.
    """

    system: SystemDescription
    recording: Recording
    diagnosis: Diagnosis | None = None
    loud: Recording | None = None


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """Everything `applies` and `changes` may look at. An option of None means: not known.

    `config` maps `CONFIG_X` to `y`, `m`, `n` or the value's text; empty when the configuration is not known.
    `fragment`: it is a fragment or a defconfig, so what it does not name need not be off.
    `kernel_version` is (6, 1, 192). `compressors` are the initramfs formats that this machine can write.
    `diagnosis` is None before the diagnostic boot was made; `loud` is as in Evidence. `arch` is named as in
    `machine.arch`, "" when not known.
    `built_in_options`: what is set to y so that the modules which the diagnostic boot had loaded are in the kernel;
    `modules_left`: those of them that this leaves out.
    `initcall_options` maps an initcall to the option (without `CONFIG_`) that builds it and nothing else,
    `module_options` to the one that may also build it as a module, `async_patches` to a patch that lets its driver
    probe asynchronously; what is not in them is not known. They are filled where bootlab builds the kernel, for
    techniques with `needs_source`.
    `shared_costs`: what a traced boot shows that several initcalls share, for techniques with `needs_trace`; None: no
    boot was traced.
    `unseen` names what was not given and stands here empty (`bootlab check` works without a boot).
    """

    system: SystemDescription
    recording: Recording
    diagnosis: Diagnosis | None = None
    loud: Recording | None = None
    config: dict[str, str] = {}
    kernel_version: tuple[int, ...] = ()
    symbols: dict[str, int] = {}
    compressors: tuple[str, ...] = ()
    pvh_entry: bool | None = None
    arch: str = ""
    built_in_options: tuple[str, ...] = ()
    modules_left: tuple[str, ...] = ()
    initcall_options: dict[str, str] = {}
    module_options: dict[str, str] = {}
    async_patches: dict[str, KernelPatch] = {}
    shared_costs: tuple[SharedCost, ...] | None = None
    unseen: frozenset[Source] = frozenset()
    fragment: bool = False

    def enabled(self, option: str) -> bool | None:
        """Tell whether `CONFIG_option` is built in or a module; None when the configuration is not known."""
        if not self.config:
            return None
        return self.config.get(option if option.startswith("CONFIG_") else f"CONFIG_{option}", "n") in {"y", "m"}


class Technique(abc.ABC):
    """A catalogue entry: facts, as class variables or as a row of a table, and three methods.

    `late`: its sign may turn once others are stacked, so it is tried again at the end. `hidden_by`: techniques that
    take away what its effect is seen by, so that it is not tried where one of them stands. `exclusive`: of its variants
    only one can be stacked; False where they add up (use :class:`~bootlab.model.change.ExtendParam`).
    `proof_symbols`: kernel functions whose first instruction the target should mark, each under its own name,
    because the change keeps the kernel from calling them and nothing is printed about it. `rests_on`: what
    `applies` draws conclusions from even when it is empty; without it the answer is unknown
    (:func:`bootlab.techniques.scope.ask`). `both_ways`: published figures show gains and losses. `builds`: its
    changes need a kernel that bootlab builds. `needs_source`: it asks the kernel's source which option builds an
    initcall. `needs_trace`: it asks a traced boot of the base. `kernels` begins with a range that
    :func:`bootlab.techniques.scope.kernel_range` reads. `addresses`: the kinds of cost that
    the core finds in logs (crates/boottrace/src/costs/kind.rs) and that it is the first thing to try against. `ends`:
    stages of the boot (`STAGES_BEFORE`), functions, kernel threads and queued functions that do not run with it, or
    do much less, though the text does not name them.
    """

    id: str
    title: str
    stage: StageName
    what: str
    why: str
    when_not: str
    cost: str
    risk: Risk = NO_RISK
    architectures: tuple[str, ...] = ()
    kernels: str = "any"
    conflicts: tuple[str, ...] = ()
    hidden_by: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    late: bool = False
    needs_diagnosis: bool = False
    exclusive: bool = True
    both_ways: bool = False
    proof: Proof = "kernel-log"
    proof_symbols: tuple[str, ...] = ()
    rests_on: tuple[Source, ...] = ()
    builds: bool = False
    needs_source: bool = False
    needs_trace: bool = False
    published: tuple[Published, ...] = ()
    references: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()

    @abc.abstractmethod
    def applies(self, context: Context) -> Applies:
        """Tell from the evidence whether there is anything to gain here."""

    @abc.abstractmethod
    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose one or several variants. Called also when forced on a system where `applies` said no."""

    def ends_here(self, context: Context) -> tuple[str, ...]:  # noqa: ARG002 - the same on every system
        """Return what of `ends` it ends in this system, where it applies."""
        return self.ends

    @abc.abstractmethod
    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove out of the recordings that the change was active in the booted system."""

    def proves(self, change: Change, before: Evidence, after: Evidence) -> Effect:
        """Prove one of the technique's changes, where `after` holds others of it as well."""
        del change
        return self.took_effect(before, after)
