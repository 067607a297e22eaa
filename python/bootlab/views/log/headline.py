"""What is said of a boot first: how long it took, what of it is the kernel's, and what costs most."""

from __future__ import annotations

from bootlab.logs.boot import Boot, Cost, Stage
from bootlab.logs.trace import UnitReport
from bootlab.views.log.boot_end import Sureness, sureness

EVENT_WORDS = {
    "power-on": "power-on",
    "firmware": "the firmware's first words",
    "decompression": "the start of decompression",
    "kernel-start": "the kernel's first line",
    "user-space-start": "the start of user space",
    "initramfs": "the start of the initramfs",
    "switch-root": "the real root file system",
    "rc-scripts": "the first start script",
    "application-start": "the application",
    "first-use": "a prompt",
}
"""Events in a sentence."""

BASIS_WORDS = {
    "printed": "the log says so",
    "computed": "computed from this log",
    "published": "measured on another machine",
}
"""How sure a gain is."""

_OWN = "by its own account"


def seconds(ns: int) -> str:
    """Spell a time for a sentence: `24.0 s`, `340 ms`, `0.3 ms`."""
    if abs(ns) >= 10_000_000_000:
        return f"{ns / 1e9:.1f} s"
    if abs(ns) >= 1_000_000_000:
        return f"{ns / 1e9:.2f} s"
    return f"{ns / 1e6:.0f} ms" if abs(ns) >= 10_000_000 else f"{ns / 1e6:.1f} ms"


def headline(boot: Boot) -> list[str]:
    """Return the sentences that a person reads first."""
    said = [text for text in (_whole(boot), _kernel(boot), _account(boot), _largest(boot)) if text]
    return said or ["no time of this boot is told by its log"]


def _timed(boot: Boot) -> list[Stage]:
    return [stage for stage in boot.stages if stage.ns is not None]


def _whole(boot: Boot) -> str:
    known = _timed(boot)
    if boot.outcome == "panic" and boot.end and boot.end.ns is not None and known:
        return f"The kernel panicked {seconds(boot.end.ns - (known[0].ns or 0))} after {EVENT_WORDS[known[0].event]}."
    use = boot.stage("first-use")
    if use and use.ns is not None and known[0] is not use:
        first = known[0]
        length = _length(use.ns - (first.ns or 0), sureness(first, use))
        if length:
            return f"{length} from {EVENT_WORDS[first.event]} to a prompt.".capitalize()
    if use and use.line is not None:
        return f"It came to a prompt (line {use.line}); no clock tells when."
    if not boot.reached_kernel and boot.end and boot.end.ns is not None and known:
        return (
            f"The firmware took {seconds(boot.end.ns)} up to its last time (line {boot.end.line}); no kernel follows."
        )
    return _started(boot, known)


def _started(boot: Boot, known: list[Stage]) -> str:
    """Say how far a boot came whose log shows no prompt: by systemd's account, or to its last event."""
    if boot.startup is not None and _started_ns(boot):
        return f"{seconds(_started_ns(boot))} until systemd had started everything, {_OWN}: {_parts(boot)}."
    if len(known) > 1 and boot.outcome == "user-space":
        # A bound may lie before the stage before it.
        first, last = known[0], max(known, key=lambda stage: stage.ns or 0)
        length = _length((last.ns or 0) - (first.ns or 0), sureness(first, last))
        if length:
            text = f"{length} from {EVENT_WORDS[first.event]} to {EVENT_WORDS[last.event]};"
            return f"{text} the log does not show when the system could be used.".capitalize()
    return ""


def _kernel(boot: Boot) -> str:
    start, user = boot.stage("kernel-start"), boot.stage("user-space-start")
    if start is None or user is None or start.ns is None or user.ns is None or user.ns <= start.ns:
        return ""
    length = _length(user.ns - start.ns, sureness(start, user))
    return f"The kernel took {length}." if length else ""


def _length(ns: int, sure: Sureness) -> str:
    """Spell a length with its bound; empty where its ends do not bound it."""
    words = {"exact": "", "least": "at least ", "most": "up to "}.get(sure)
    return "" if words is None else words + seconds(ns)


def _account(boot: Boot) -> str:
    told = _whole(boot)
    if boot.startup is None or _OWN in told:
        return ""
    return f"By systemd's own account: {_parts(boot)}."


def _parts(boot: Boot) -> str:
    if boot.startup is None:
        return ""
    parts = " + ".join(f"{seconds(part.ns)} {part.name}" for part in boot.startup.parts)
    return f"{parts} (line {boot.startup.line})"


def _started_ns(boot: Boot) -> int:
    if boot.startup is None:
        return 0
    return boot.startup.total_ns or sum(part.ns for part in boot.startup.parts)


def units_headline(report: UnitReport) -> list[str]:
    """Return what is said first of a report about systemd's units; empty where it holds no time."""
    startup = report.startup
    said = []
    if startup is not None and startup.parts:
        total = startup.total_ns if startup.total_ns is not None else sum(ns for _, ns in startup.parts)
        parts = " + ".join(f"{seconds(ns)} {name}" for name, ns in startup.parts)
        said.append(f"{seconds(total)} until systemd had started everything, {_OWN}: {parts}.")
    largest = max((cost for cost in report.costs if cost.cost_ns), key=_size, default=None)
    if largest is not None:
        said.append(f"The largest cost is {seconds(_size(largest))}: {largest.title}, {_gain(largest)}.")
    return said


def _largest(boot: Boot) -> str:
    costs = [cost for cost in boot.costs if _is_timed(cost)]
    if not costs:
        return ""
    use = boot.stage("first-use")
    shown = use is not None and (use.ns is not None or use.line is not None)
    sure = [cost for cost in costs if shown or not _of_user_space(cost)]
    largest = max(sure, key=_size, default=None)
    sentences = []
    if largest is not None:
        sentences.append(f"The largest cost is {seconds(_size(largest))}: {largest.title}, {_gain(largest)}.")
    silent = max((_size(cost) for cost in costs if cost not in sure), default=0)
    if silent and (largest is None or silent > _size(largest)):
        sentences.append(f"User space is silent for up to {seconds(silent)}; whether it still boots then is not shown.")
    best = max((c for c in costs if c.gain_ns), key=lambda cost: cost.gain_ns or 0, default=None)
    if best is not None and best is not largest:
        sentences.append(f"The largest known gain is {best.technique}, {_gain(best)}.")
    return " ".join(sentences)


def _size(cost: Cost) -> int:
    return cost.cost_ns or cost.gain_ns or 0


def _is_timed(cost: Cost) -> bool:
    """Whether this boot's log tells a cost or a gain; what others gained says nothing of how long it took here."""
    return bool(cost.cost_ns or (cost.gain_ns and cost.basis != "published"))


def _of_user_space(cost: Cost) -> bool:
    """Whether a cost is a silence behind init: in a running system it may be nobody's wait."""
    return cost.technique == "silence" and cost.title.startswith("user space")


def _gain(cost: Cost) -> str:
    if cost.gain_ns is None:
        return "and only a try can tell how much of it can be saved"
    if cost.gain_ns == 0:
        return "of which nothing is to be gained"
    most = "at most " if cost.at_most else ""
    return f"which may save {most}{seconds(cost.gain_ns)} ({BASIS_WORDS.get(cost.basis, cost.basis)})"
