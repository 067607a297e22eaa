# SPDX-License-Identifier: MIT
"""Drivers that found nothing: which options they come to, and how their absence is proved."""

import msgspec
import pytest

from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.recording import Diagnosis, Initcall
from bootlab.model.system import Goal, Kernel, KernelBuild, SystemDescription
from bootlab.techniques.base import Answer, Context, Evidence
from bootlab.techniques.registry import get
from tests.techniques.test_option import recording

TECHNIQUE = get("unused-drivers")
SYSTEM = SystemDescription(name="lab", kernel=Kernel(image="", build=KernelBuild()), goal=Goal(console="done"))
CONFIG = {"CONFIG_TOY": "y", "CONFIG_PLAY": "y"}
MAP = {"toy_init": "TOY", "toy_late_init": "TOY", "play_init": "PLAY"}


def context(*calls: tuple[str, int], options: dict[str, str] = MAP, module: str | None = None) -> Context:
    initcalls = tuple(
        Initcall(name=name, module=module, start_ns=n, duration_ns=1, returned=code)
        for n, (name, code) in enumerate(calls)
    )
    booted = recording(CONFIG)
    return Context(
        system=SYSTEM,
        recording=booted,
        diagnosis=Diagnosis(recording=booted, initcalls=initcalls),
        config=CONFIG,
        initcall_options=options,
    )


def asked(found: Context) -> tuple[tuple[str, str], ...]:
    return tuple(pair for change in TECHNIQUE.changes(found) for op in change.ops for pair in op.options)


def test_what_found_nothing_is_switched_off_in_one_kernel():
    found = context(("toy_init+0x0/0x40", -19), ("play_init", -19), ("other_init", 0))
    answer = TECHNIQUE.applies(found)
    assert answer.answer is Answer.YES
    assert "toy_init (CONFIG_TOY)" in answer.evidence
    (change,) = TECHNIQUE.changes(found)
    assert change.ops == (SetKernelOptions((("TOY", "n"), ("PLAY", "n"))),)


def test_an_option_that_also_builds_what_is_used_stays():
    found = context(("toy_init", -19), ("toy_late_init", 0), ("play_init", -19))
    assert asked(found) == (("PLAY", "n"),)
    found = context(("toy_init", -19), ("toy_late_init", 0))
    assert TECHNIQUE.applies(found).answer is Answer.NO
    assert asked(found) == ()


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        (context(("toy_init", 0), ("play_init", -12)), Answer.NO),
        (context(("toy_init", -19), module="toy"), Answer.NO),
        (context(("pl011_init", -19)), Answer.NO),
        (context(("toy_init", -19), options={}), Answer.UNKNOWN),
        (context(), Answer.UNKNOWN),
    ],
    ids=("no-enodev", "module", "vital", "no-source", "no-initcalls"),
)
def test_nothing_is_guessed(found, answer):
    assert TECHNIQUE.applies(found).answer is answer
    assert TECHNIQUE.changes(found) == ()


def test_proved_by_the_options_of_the_image_that_booted():
    (change,) = TECHNIQUE.changes(context(("toy_init", -19)))
    before = Evidence(system=SYSTEM, recording=recording(CONFIG))
    built = CONFIG | {"CONFIG_TOY": "n"}
    after = Evidence(system=change.apply(SYSTEM), recording=recording(built, sha="b"))
    effect = TECHNIQUE.took_effect(before, after)
    assert effect.shown
    assert "CONFIG_TOY: y -> off" in effect.evidence
    same = msgspec.structs.replace(after, recording=recording(CONFIG, sha="b"))
    assert not TECHNIQUE.took_effect(before, same).shown
    assert not TECHNIQUE.took_effect(before, before).shown
