# SPDX-License-Identifier: MIT
"""Two exact boots must be equal. When they are not, that is a fault of the set-up with a cause, never noise."""

from __future__ import annotations

import re

import msgspec

from bootlab.analysis.same_processors import require_same_processors
from bootlab.launch import exactness, extra_words
from bootlab.model.launch import Launch
from bootlab.model.recording import Outcome, Recording
from bootlab.model.system import SystemDescription

_EPOCH = re.compile(r"audit\(\d{9,}|setting system clock to|rtc_cmos.*setting|\b20\d\d-\d\d-\d\dT\d\d:")


class Equality(msgspec.Struct, frozen=True, kw_only=True):
    """The answer. `causes` name what of the known causes is present; empty: none of them.

    `equal`: None where fewer than two boots ran, which proves nothing. Of `boots` asked for, `ran` ran and were
    compared, `reached` of them came to the goal.
    """

    equal: bool | None
    boots: int
    ran: int = 0
    reached: int = 0
    difference: str = ""
    causes: tuple[str, ...] = ()


def compare_boots(system: SystemDescription, recordings: tuple[Recording, ...], config: dict[str, str]) -> Equality:
    """Compare consoles byte for byte and goals to the instruction; name the likely cause of a difference.

    Only boots that ran are compared: two that never started are equal in nothing. Raise MeasurementError for boots on
    different processors.
    """
    require_same_processors(recordings)
    ran = [(number, boot) for number, boot in enumerate(recordings, start=1) if has_run(boot)]
    whole = Equality(equal=True, boots=len(recordings), ran=len(ran), reached=sum(boot.ok for _, boot in ran))
    if len(ran) < 2:
        return msgspec.structs.replace(whole, equal=None)
    one, first = ran[0]
    for number, other in ran[1:]:
        text = _difference((one, first), (number, other))
        if text:
            causes = likely_causes(
                system, first.meta.launch, config, _first_different_line(first, other), first.meta.emulator_version
            )
            return msgspec.structs.replace(whole, equal=False, difference=text, causes=causes)
    return whole


_NEVER_RAN = frozenset(
    {
        Outcome.CANNOT_START,
        Outcome.EMULATOR_DIED,
        Outcome.INTERRUPTED,
        Outcome.NOT_INSTALLED,
        Outcome.POWER_FAILED,
    }
)


def has_run(boot: Recording) -> bool:
    """Tell whether a machine ran to an end of its own: what never started, or the host ended, shows nothing of it."""
    return not boot.by_host and boot.meta.outcome not in _NEVER_RAN


def _difference(one: tuple[int, Recording], another: tuple[int, Recording]) -> str:
    (at, first), (number, other) = one, another
    if first.meta.outcome != other.meta.outcome:
        return f"boot {at} ended with {first.meta.outcome.value}, boot {number} with {other.meta.outcome.value}"
    if first.console != other.console:
        left, right = _first_different_line(first, other)
        return f"boot {at} and boot {number} print different things, first: {left!r} / {right!r}"
    if first.meta.goal_insns != other.meta.goal_insns:
        return f"the goal came after {first.meta.goal_insns} and after {other.meta.goal_insns} instructions"
    if first.meta.goal_ns != other.meta.goal_ns:
        return f"the goal came at {first.meta.goal_ns} ns and at {other.meta.goal_ns} ns"
    return ""


def _first_different_line(first: Recording, other: Recording) -> tuple[str, str]:
    for left, right in zip(first.lines, other.lines, strict=False):
        if left.text != right.text:
            return left.text[:160], right.text[:160]
    return ("", "") if len(first.lines) == len(other.lines) else ("(end)", "(more lines)")


def likely_causes(
    system: SystemDescription, launch: Launch | None, config: dict[str, str], lines: tuple[str, str], version: str = ""
) -> tuple[str, ...]:
    """Name which of the known causes of inexact boots are present in this set-up. `version`: QEMU's.

    `launch`: None where it is not known.
    """
    causes: list[str] = []
    if system.clock.mode != "exact":
        causes.append('free-running mode follows the host\'s clock; only clock.mode = "exact" repeats')
    if launch is None:
        return tuple(causes)
    if not extra_words.own_clock(launch) or any(_EPOCH.search(x) for x in lines):
        causes.append(
            "the real-time clock follows the host: drop `-rtc` from machine.extra, or give base= and clock=vm"
        )
    x86 = system.machine.arch == "x86_64"
    if x86 and _may_have_random_instructions(extra_words.cpu(launch)):
        causes.append(
            "the processor may have RDRAND and RDSEED, which never repeat: add rdrand=off,rdseed=off to machine.cpu"
        )
    causes += exactness.inexact(launch, version)
    if extra_words.processors(launch) > 1 and exactness.hangs_with_processors(version):
        causes.append("more than one processor: this QEMU needs machine.cpus = 1 in exact mode")
    if config.get("CONFIG_HZ_PERIODIC") == "y" and not launch.plugins:
        causes.append(
            "CONFIG_HZ_PERIODIC: without the plugin timer ticks get lost while idle; build with NO_HZ_IDLE and "
            "HIGH_RES_TIMERS"
        )
    if not causes:
        causes += [
            f"{model} was never tested in exact mode: boot without it" for model in exactness.untested(launch, version)
        ]
    return tuple(causes)


_WITHOUT_RANDOM = ("qemu64", "qemu32", "kvm64", "kvm32")


def _may_have_random_instructions(cpu: str) -> bool:
    name, *flags = cpu.split(",")
    state = dict.fromkeys(("rdrand", "rdseed"), not name.startswith(_WITHOUT_RANDOM))
    for flag in flags:
        word, _, value = flag.lstrip("+-").partition("=")
        if word in state:
            state[word] = not flag.startswith("-") and value != "off"
    return any(state.values())
