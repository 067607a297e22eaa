# SPDX-License-Identifier: MIT
"""What is proved of a change apart from its goal: said in words, and put in the goal's place where a wait holds it."""

from __future__ import annotations

import msgspec

from bootlab.model.verdict import Hold, Steady, Trial, Verdict

_TOLD = {Verdict.FASTER, Verdict.SLOWER}
_JUDGED = frozenset((*_TOLD, Verdict.SAME, Verdict.UNKNOWN))
_STAGES_SAID = 3
_WORTH_NS = 2_000_000
"""Parts that differ by less are not worth another boot."""


def judged(trial: Trial) -> Trial:
    """Return the trial with what its parts say: in its reason, and as its verdict where a wait holds the goal.

    A trial that is broken or shows no effect stays as it is.
    """
    if trial.verdict not in _JUDGED or not (trial.hold or trial.steady or trial.stage_verdicts):
        return trial
    hold = trial.hold
    if hold is not None and hold.decides:
        return msgspec.structs.replace(trial, verdict=hold.verdict, reason=_held(hold))
    said = [trial.reason] if trial.reason else []
    if trial.verdict not in _TOLD:
        said = [*_proved(trial), *said]
    else:
        if hold is not None and abs(hold.idle_saved_ns) * 2 >= abs(trial.saved_ns or 0):
            said.append(_waiting(hold))
        if trial.steady is not None and trial.steady.until != "goal":
            said += _proved(trial)
    return msgspec.structs.replace(trial, reason="; ".join(said))


def own_saving(trial: Trial) -> str:
    """Return in words what the change itself saves or costs, up to where the schedules of the boots differ.

    "" where the boots do not tell it, or where they agree up to the goal: the goal's own figures say it then.
    """
    steady = trial.steady
    if trial.verdict not in _JUDGED or steady is None or steady.until == "goal" or steady.verdict not in _TOLD:
        return ""
    return _up_to(steady)


def undecided(trial: Trial) -> bool:
    """Tell whether a part lies apart in too few boots to be told: further boots of the variant would decide it."""
    if trial.verdict not in _JUDGED:
        return False
    parts = [(s.verdict, s.saved_ns) for s in trial.stage_verdicts]
    parts += [(trial.steady.verdict, trial.steady.saved_ns)] if trial.steady else []
    parts += [(trial.hold.verdict, trial.hold.saved_ns or 0)] if trial.hold and trial.hold.decides else []
    return any(verdict is Verdict.UNKNOWN and abs(saved_ns) >= _WORTH_NS for verdict, saved_ns in parts)


def _held(hold: Hold) -> str:
    shortest, longest = hold.idle_ns
    grid = f", a grid of {_ms(hold.period_ns)}" if hold.period_ns else ""
    said = (
        f"the goal waits for the clock between “{hold.after}” and “{hold.before}” ({shortest / 1e6:.1f} to "
        f"{_ms(longest)}{grid}), so its time says nothing about the change"
    )
    if hold.saved_ns is None:
        return said
    if hold.verdict is Verdict.SAME:
        return f"{said}; what comes before the wait shows no clear difference"
    way = "earlier" if hold.saved_ns > 0 else "later"
    few = "" if hold.verdict in _TOLD else ", in too few boots to say so"
    return f"{said}; the wait begins {_ms(abs(hold.saved_ns))} {way}{few}"


def _waiting(hold: Hold) -> str:
    less = "less" if hold.idle_saved_ns > 0 else "more"
    return f"{_ms(abs(hold.idle_saved_ns))} {less} idle between “{hold.after}” and “{hold.before}”"


def _proved(trial: Trial) -> list[str]:
    stages = sorted((s for s in trial.stage_verdicts if s.verdict in _TOLD), key=lambda s: -abs(s.saved_ns))
    said = [f"{_saves(s.saved_ns)} of {s.stage}" for s in stages[:_STAGES_SAID]]
    if trial.steady is not None and trial.steady.verdict in _TOLD:
        said.append(_up_to(trial.steady))
    if not said:
        return []
    spread = _spread(trial.base_samples_ns)
    moved = "dithers alone move the goal" if trial.verdict in _TOLD else "the goal moves within the dithers"
    return [*said, f"{moved}{spread}"]


def _up_to(steady: Steady) -> str:
    words = f"{_saves(steady.saved_ns)} up to “{steady.event}”"
    if steady.insns_verdict in _TOLD:
        words += f" ({abs(steady.saved_insns) / 1e6:.1f} million instructions)"
    if steady.until == "order":
        return f"{words}, after which events come in another order"
    return f"{words}, after which dithers move “{steady.following}”" if steady.until == "dithers" else words


def _spread(base_ns: tuple[int, ...]) -> str:
    if len(base_ns) < 2:
        return ""
    middle = sorted(base_ns)[len(base_ns) // 2]
    low, high = ((end - middle) / 1e6 for end in (min(base_ns), max(base_ns)))
    return f" ({low:+.1f} to {high:+.1f} ms)".replace("-", "\u2212")


def _saves(ns: int) -> str:
    return f"{'saves' if ns > 0 else 'costs'} {_ms(abs(ns))}"


def _ms(ns: int) -> str:
    return f"{ns / 1e6:.1f} ms"
