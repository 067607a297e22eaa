# SPDX-License-Identifier: MIT
"""Slow drivers as modules or probed asynchronously: which are taken, and how each is proved."""

import msgspec
import pytest

from bootlab.model.kernel_change import AddKernelPatch, LoadModulesLate, SetKernelOptions
from bootlab.model.recording import Diagnosis, Initcall, Line, Recording
from bootlab.model.source_build import KernelPatch
from bootlab.model.system import Goal, Initramfs, Kernel, KernelBuild, SystemDescription
from bootlab.techniques.base import Answer, Context, Evidence
from bootlab.techniques.registry import get
from tests.techniques.test_option import recording

MODULES, ASYNC = get("drivers-as-modules"), get("drivers-async")
SYSTEM = SystemDescription(
    name="lab", kernel=Kernel(image="", build=KernelBuild()), goal=Goal(console="app: ready"), initramfs=Initramfs()
)
CONFIG = {"CONFIG_MODULES": "y", "CONFIG_TOY": "y", "CONFIG_PLAY": "y"}
OPTIONS = {"toy_init": "TOY", "play_init": "PLAY", "pl011_init": "SERIAL"}
PATCH = KernelPatch(name="async-toy_init.patch", text="--- a\n+++ b\n")
LOG = (
    "calling  toy_init+0x0/0x40 @ 1",
    "probe of toy.0 returned 0 after 7000 usecs",
    "initcall toy_init+0x0/0x40 returned 0 after 7100 usecs",
)
MOVED = (
    "calling  toy_init+0x0/0x40 @ 1",
    "initcall toy_init+0x0/0x40 returned 0 after 100 usecs",
    "calling  play_init+0x0/0x40 @ 1",
    "probe of toy.0 returned 0 after 7000 usecs",
)


def call(name: str, ms: float, module: str | None = None, returned: int = 0) -> Initcall:
    return Initcall(name=f"{name}+0x0/0x40", module=module, start_ns=0, duration_ns=round(ms * 1e6), returned=returned)


def lines(*texts: str) -> tuple[Line, ...]:
    return tuple(Line(number=n, text=text, offset_bytes=0) for n, text in enumerate(texts))


def booted(**fields: object) -> Recording:
    found = recording(CONFIG)
    return msgspec.structs.replace(found, meta=msgspec.structs.replace(found.meta, goal_ns=4_000_000_000, **fields))


def context(*calls: Initcall, log: tuple[str, ...] = LOG, **fields: object) -> Context:
    base = booted()
    named = {
        "system": SYSTEM,
        "recording": base,
        "diagnosis": Diagnosis(recording=base, initcalls=calls, log=log),
        "config": CONFIG,
        "module_options": OPTIONS,
        "async_patches": {"toy_init": PATCH},
    }
    return Context(**(named | fields))


SLOW = (call("toy_init", 7), call("play_init", 9), call("quick_init", 0.1), call("pl011_init", 50))


def test_each_slow_driver_is_a_module_of_its_own_variant():
    found = context(*SLOW)
    assert "play_init 9.0 ms (CONFIG_PLAY)" in MODULES.applies(found).evidence
    first, second = MODULES.changes(found)
    assert (first.label, second.label) == ("play", "toy")
    assert first.ops == (SetKernelOptions((("PLAY", "m"),)), LoadModulesLate(after_ms=6000))


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        (context(call("toy_init", 0.1)), Answer.NO),
        (context(call("toy_init", 7, returned=-19)), Answer.NO),
        (context(call("pl011_init", 50)), Answer.NO),
        (context(*SLOW, config={"CONFIG_MODULES": "n"}), Answer.NO),
        (context(*SLOW, system=msgspec.structs.replace(SYSTEM, initramfs=None)), Answer.NO),
        (context(*SLOW, module_options={"other_init": "OTHER"}), Answer.NO),
        (context(*SLOW, module_options={}), Answer.UNKNOWN),
        (context(), Answer.UNKNOWN),
    ],
    ids=("quick", "unused", "vital", "no-modules", "no-initramfs", "bool", "no-source", "no-initcalls"),
)
def test_no_module_where_there_is_nothing_to_gain(found, answer):
    assert MODULES.applies(found).answer is answer
    if answer is Answer.UNKNOWN:
        assert MODULES.changes(found) == ()


def loaded(*texts: str, calls: tuple[Initcall, ...] = (call("toy_init", 7, "toy"), call("play_init", 9))) -> Evidence:
    (change,) = [c for c in MODULES.changes(context(*SLOW)) if c.label == "toy"]
    after = recording(CONFIG | {"CONFIG_TOY": "m"}, sha="b")
    console = msgspec.structs.replace(after, lines=lines(*texts))
    return Evidence(
        system=change.apply(SYSTEM), recording=after, diagnosis=Diagnosis(recording=console, initcalls=calls)
    )


BEFORE = Evidence(system=SYSTEM, recording=recording(CONFIG), diagnosis=context(*SLOW).diagnosis)


def test_a_module_is_proved_by_the_order_on_the_console():
    effect = MODULES.took_effect(BEFORE, loaded("app: ready", "bootlab: toy.ko is loaded"))
    assert effect.shown
    assert "CONFIG_TOY: y -> m" in effect.evidence
    assert "toy_init [toy] ran after" in effect.evidence


@pytest.mark.parametrize(
    "after",
    [
        loaded("bootlab: toy.ko is loaded", "app: ready"),
        loaded("app: ready", "bootlab: toy.ko was not loaded: error 008"),
        loaded("app: ready", "bootlab: toy.ko is loaded", calls=SLOW),
        loaded("app: ready", "bootlab: other.ko is loaded"),
        msgspec.structs.replace(loaded("app: ready", "bootlab: toy.ko is loaded"), diagnosis=None),
        msgspec.structs.replace(loaded("app: ready", "bootlab: toy.ko is loaded"), system=SYSTEM),
    ],
    ids=("too-early", "failed", "still-built-in", "another", "no-diagnosis", "nothing-asked"),
)
def test_what_shows_no_module_after_the_goal(after):
    assert not MODULES.took_effect(BEFORE, after).shown


def test_a_driver_gets_the_patch_of_the_initcall_that_its_probe_ended_in():
    found = context(*SLOW)
    assert "toy.0 7.0 ms (toy_init)" in ASYNC.applies(found).evidence
    (change,) = ASYNC.changes(found)
    assert change.ops == (AddKernelPatch(PATCH),)
    assert change.id == "drivers-async:toy_init"


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        (context(*SLOW, log=LOG[:1]), Answer.NO),
        (context(*SLOW, async_patches={"play_init": PATCH}), Answer.NO),
        (context(*SLOW, async_patches={}), Answer.UNKNOWN),
        (context(*SLOW, diagnosis=None), Answer.UNKNOWN),
    ],
    ids=("no-probe", "other-driver", "no-source", "no-diagnosis"),
)
def test_no_patch_where_none_is_known(found, answer):
    assert ASYNC.applies(found).answer is answer
    assert ASYNC.changes(found) == ()


def test_a_probe_that_left_its_initcall_proves_the_patch():
    before = msgspec.structs.replace(BEFORE, recording=booted())
    meta = booted(kernel_patches=(PATCH.name,), artefact_sha256={"kernel": "b"})
    after = Evidence(system=SYSTEM, recording=meta, diagnosis=Diagnosis(recording=meta, log=MOVED))
    effect = ASYNC.took_effect(before, after)
    assert effect.shown
    assert "toy.0: during toy_init -> during play_init" in effect.evidence
    still = msgspec.structs.replace(after, diagnosis=Diagnosis(recording=meta, log=LOG))
    assert not ASYNC.took_effect(before, still).shown
    assert not ASYNC.took_effect(before, before).shown
    alone = Diagnosis(recording=meta, log=(*MOVED[:2], MOVED[3]))
    outside = ASYNC.took_effect(before, msgspec.structs.replace(after, diagnosis=alone))
    assert "toy.0: during toy_init -> outside of all initcalls" in outside.evidence
