# SPDX-License-Identifier: MIT
"""A ready Debian image from its description to a faster system, in as few boots as prove it.

Five or six boots: the first one of `describe`, one again, one with the agent, one or two of the faster system, one of
it with the agent. Kept boots of a store are used again, so an interrupted call goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab import techniques
from bootlab.analysis.user_space import critical_chain
from bootlab.api.described import Described, describe
from bootlab.builders.cache import Cache
from bootlab.experiments.base import diagnosis_of, establish
from bootlab.experiments.bench import Bench, bench_for
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Effect
from bootlab.systemfile import load
from bootlab.techniques.base import Answer, Applies, Evidence
from bootlab.techniques.scope import outside

_AGAIN = 1
"""A boot's number of its own, apart from the kept one."""

# Those of the case study, and one more: no two that exclude each other.
TECHNIQUES = (
    "kernel-pvh",
    "crypto-selftests",
    "initramfs-direct",
    "systemd-rest-later",
    "systemd-generators-off",
    "systemd-update-checks-off",
    "no-tracefs",
    "no-slab-sysfs",
)


class Faster(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an image. `answers`: of each technique; `effects`: of those that applied.

    `pages`: what the product's own check said, before and after; both from boots that last longer than the goal.
    """

    described: Described
    system: SystemDescription
    changed: SystemDescription
    base: Recording
    again: Recording
    chain: tuple[str, ...]
    answers: dict[str, Applies]
    boot: Recording
    boot_again: Recording
    effects: dict[str, Effect]
    pages: tuple[str, str]


def faster(
    image: Path,
    folder: Path,
    *,
    wanted: tuple[str, ...] = TECHNIQUES,
    tell: Callable[[str], None] = lambda text: None,
) -> Faster:
    """Describe an image, boot it twice and with the agent, apply what applies, and boot that."""
    path, store = folder / f"{image.stem}.toml", folder / "store"
    described = describe([image], path, store=store)
    if described.trouble:
        raise AssertionError(described.trouble)
    system = load(path)
    with bench_for(system, store, Cache(folder / "cache"), jobs=1) as bench:
        return _faster(bench, described, system, wanted, tell)


def _faster(
    bench: Bench, described: Described, system: SystemDescription, wanted: tuple[str, ...], tell: Callable[[str], None]
) -> Faster:
    base = establish(bench, system)
    tell(f"base: {base.recording.meta.goal_ns} ns")
    answers: dict[str, Applies] = {}
    changed = system
    for name in wanted:
        technique = techniques.get(name)
        answers[name] = outside(technique, base.context) or technique.applies(base.context)
        tell(f"{name}: {answers[name].answer.value}: {answers[name].reason} ({answers[name].evidence})")
        if answers[name].answer is Answer.YES:
            for change in technique.changes(base.context)[:1]:
                changed = change.apply(changed)
    boot = bench.boot(changed, "changed")
    tell(f"changed: {boot.meta.outcome.value} {boot.meta.goal_ns} ns {boot.meta.reason}")
    after = Evidence(system=changed, recording=boot, diagnosis=diagnosis_of(bench, changed, boot, "changed"))
    effects = {
        name: techniques.get(name).took_effect(base.evidence, after)
        for name, answer in answers.items()
        if answer.answer is Answer.YES
    }
    for name, effect in effects.items():
        tell(f"{name}: {'shown' if effect.shown else 'NOT SHOWN'}: {effect.evidence}")
    boot_again = bench.boot(changed, "changed, again", fresh=_AGAIN)
    tell(f"changed, again: {boot_again.meta.goal_ns} ns")
    again = bench.boot(system, "base, again", fresh=_AGAIN)
    tell(f"base, again: {again.meta.goal_ns} ns")
    return Faster(
        described=described,
        system=system,
        changed=changed,
        base=base.recording,
        again=again,
        chain=tuple(span.name for span in critical_chain(base.recording, system)),
        answers=answers,
        boot=boot,
        boot_again=boot_again,
        effects=effects,
        pages=(_page(described.recording), _page(after.diagnosis.recording if after.diagnosis else None)),
    )


def _page(recording: Recording | None) -> str:
    found = recording.find("web: ready") if recording is not None else None
    return found.text.strip() if found is not None else ""
