"""Techniques that build programs another way, on programs that are really built."""

import os
import shutil
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.programs import built_programs
from bootlab.model.program import Program
from bootlab.model.recording import Diagnosis, FileRead, Meta, Recording
from bootlab.model.system import Goal, Initramfs, Kernel, Machine, System
from bootlab.techniques import get
from bootlab.techniques.base import Answer, Context, Evidence
from bootlab.techniques.program import ProgramTechnique
from bootlab.techniques.registry import BUILT_IN

TECHNIQUES = [t for t in BUILT_IN if isinstance(t, ProgramTechnique)]
GCC = shutil.which("gcc") is not None and os.uname().machine == "x86_64"
needs_gcc = pytest.mark.skipif(not GCC, reason="no gcc for x86_64 here")
SOURCE = """
#include <stdio.h>
#include <math.h>
int unused(int x) { return x * 3 + 1; }
const char *(*table[])(void) ;
int main(int argc, char **argv) { printf("%d\\n", argc); return 0; }
"""


def system(*programs: Program, arch: str = "x86_64") -> System:
    return System(
        name="lab",
        kernel=Kernel(image="k"),
        goal=Goal(console="done"),
        machine=Machine(arch=arch),
        initramfs=Initramfs(),
        programs=programs,
    )


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return Cache(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def hello(tmp_path_factory):
    source = tmp_path_factory.mktemp("src") / "hello.c"
    source.write_text(SOURCE)
    return Program(path="/usr/bin/hello", sources=(str(source),))


def booted(made: System, cache: Cache, *, ended: bool = False) -> Evidence:
    """Return what a boot would leave: the files' facts, and the maps of the program, or that it was read."""
    _, built = built_programs(made, cache)
    recording = Recording(meta=Meta(), lines=(), marks=(), programs=built)
    maps = "\n".join(f"1 00400000-00401000 r-xp 00000000 00:02 7   {file.path}" for file in built.files)
    files = tuple(FileRead(path=file.path, read=True) for file in built.files)
    diagnosis = Diagnosis(recording=recording, proc={} if ended else {"maps": maps}, files=files)
    return Evidence(system=made, recording=recording, diagnosis=diagnosis)


def context(made: System, **more: object) -> Context:
    return Context(system=made, recording=Recording(meta=Meta(), lines=(), marks=()), arch=made.machine.arch, **more)


@pytest.mark.parametrize("technique", TECHNIQUES, ids=lambda t: t.id)
def test_without_programs_there_is_nothing_to_try(technique):
    assert technique.applies(context(system())).answer is Answer.NO
    assert technique.changes(context(system())) == ()


@needs_gcc
@pytest.mark.parametrize("technique", TECHNIQUES, ids=lambda t: t.id)
def test_each_proposes_what_differs_and_proves_what_was_booted(technique, hello, cache):
    made = system(hello)
    if technique.architectures and "x86_64" not in technique.architectures:
        pytest.skip("for another architecture")
    asked = context(made)
    changes = technique.changes(asked)
    assert technique.applies(asked).answer is Answer.YES
    before = booted(made, cache)
    assert not technique.took_effect(before, before).shown
    for change in changes:
        changed = change.apply(made)
        assert changed.programs != made.programs
        assert change.apply(changed) == changed
        assert not technique.took_effect(before, msgspec.structs.replace(before, system=changed)).shown, (
            "a wish is no proof"
        )


@needs_gcc
@pytest.mark.parametrize("way", ["static", "static-pie"])
def test_static_linking(hello, cache, way):
    technique = get("static-linking")
    made = system(hello)
    change = next(c for c in technique.changes(context(made)) if c.label == way)
    after = booted(change.apply(made), cache)
    effect = technique.took_effect(booted(made, cache), after)
    assert effect.shown, effect
    assert "PT_INTERP /lib64/ld-linux-x86-64.so.2 is gone" in effect.evidence
    assert "running: 1 00400000" in effect.evidence
    assert technique.took_effect(booted(made, cache), booted(change.apply(made), cache, ended=True)).shown
    undone = technique.took_effect(after, booted(made, cache))
    assert not undone.shown
    assert technique.applies(context(change.apply(made))).answer is Answer.YES, "the other way is left"


@needs_gcc
def test_a_loader_that_is_still_mapped_is_no_static_program(hello, cache):
    technique = get("static-linking")
    made = system(hello)
    after = booted(technique.changes(context(made))[0].apply(made), cache)
    maps = after.diagnosis.proc["maps"] + "\n9 7f00-7f01 r-xp 0 00:02 9   /lib64/ld-linux-x86-64.so.2"
    after = msgspec.structs.replace(after, diagnosis=msgspec.structs.replace(after.diagnosis, proc={"maps": maps}))
    effect = technique.took_effect(booted(made, cache), after)
    assert (effect.shown, "still has the loader mapped" in effect.evidence) == (False, True)


@needs_gcc
@pytest.mark.skipif(not Path("/usr/lib/x86_64-linux-musl/libc.a").is_file(), reason="no musl here (Debian: musl-tools)")
@pytest.mark.parametrize("way", ["as-linked", "static"])
def test_musl(hello, cache, way):
    technique = get("musl-libc")
    made = system(hello)
    change = next(c for c in technique.changes(context(made)) if c.label == way)
    effect = technique.took_effect(booted(made, cache), booted(change.apply(made), cache))
    assert effect.shown, effect
    assert ("/lib/ld-musl-x86_64.so.1" if way == "as-linked" else "no loader") in effect.evidence
    static = msgspec.structs.replace(hello, link="static")
    musl = msgspec.structs.replace(static, libc="musl")
    assert "bytes" in technique.took_effect(booted(system(static), cache), booted(system(musl), cache)).evidence


def test_a_compiler_of_ones_own_is_left_alone(hello):
    own = msgspec.structs.replace(hello, compiler="arm-buildroot-linux-uclibcgnueabihf-")
    answer = get("musl-libc").applies(context(system(own)))
    assert (answer.answer, "brings its own C library" in answer.reason) == (Answer.NO, True)


@needs_gcc
def test_without_a_diagnostic_boot_nothing_is_shown(hello, cache):
    technique = get("static-linking")
    made = system(hello)
    after = msgspec.structs.replace(booted(technique.changes(context(made))[0].apply(made), cache), diagnosis=None)
    assert "no diagnostic boot" in technique.took_effect(booted(made, cache), after).evidence
