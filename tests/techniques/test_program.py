# SPDX-License-Identifier: MIT
"""Techniques that build programs another way, on programs that are really built."""

import os
import shutil
from pathlib import Path

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.builders.programs import built_programs
from bootlab.model.program import BuiltFile, BuiltPrograms, ElfFacts, Program
from bootlab.model.recording import Diagnosis, FileRead, Loading, Meta, Recording
from bootlab.model.system import Goal, Initramfs, Kernel, Machine, SystemDescription
from bootlab.techniques import get
from bootlab.techniques.base import Answer, Context, Evidence
from bootlab.techniques.program import ProgramTechnique
from bootlab.techniques.registry import BUILT_IN

TECHNIQUES = [t for t in BUILT_IN if isinstance(t, ProgramTechnique)]
GCC = shutil.which("gcc") is not None and os.uname().machine == "x86_64"
needs_gcc = pytest.mark.skipif(not GCC, reason="no gcc for x86_64 here: scripts/setup-debian.sh build, on x86_64")
SOURCE = """
#include <stdio.h>
#include <math.h>
int unused(int x) { return x * 3 + 1; }
const char *(*table[])(void) ;
int main(int argc, char **argv) { printf("%d\\n", argc); return 0; }
"""


def system(*programs: Program, arch: str = "x86_64") -> SystemDescription:
    return SystemDescription(
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


def booted(made: SystemDescription, cache: Cache, *, ended: bool = False) -> Evidence:
    """Return what a boot would leave: the files' facts, and the maps of the program, or that it was read."""
    _, built = built_programs(made, cache)
    recording = Recording(meta=Meta(), lines=(), marks=(), programs=built)
    maps = "\n".join(f"1 00400000-00401000 r-xp 00000000 00:02 7   {file.path}" for file in built.files)
    files = tuple(FileRead(path=file.path, read=True) for file in built.files)
    diagnosis = Diagnosis(recording=recording, proc={} if ended else {"maps": maps}, files=files)
    return Evidence(system=made, recording=recording, diagnosis=diagnosis)


def context(made: SystemDescription, **more: object) -> Context:
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
@pytest.mark.skipif(
    not Path("/usr/lib/x86_64-linux-musl/libc.a").is_file(), reason="no musl here: scripts/setup-debian.sh programs"
)
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


LIBRARY = """
int one(void) { return 1; }
int two(void) { return one() + 1; }
int three(void) { return two() + one(); }
int (*const all[])(void) = { one, two, three };
"""
# Two files, so that there is a library to bind, hide and leave out.
COMMAND = """
$CC $CFLAGS -fPIC -shared -o libpart.so part.c $LDFLAGS
mkdir -p $DESTDIR/usr/lib
cp libpart.so $DESTDIR/usr/lib/
$CC $CFLAGS -o $OUT main.c -Wl,-z,lazy $LDFLAGS -L. -lpart -lresolv
"""
MAIN = """
int three(void);
int unused(int x) { return x * 3 + 1; }
int main(int argc, char **argv) { int s = 0; for (int i = 0; i < argc; i++) s += three(); return s; }
"""


@pytest.fixture(scope="module")
def parted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parted")
    (folder / "part.c").write_text(LIBRARY)
    (folder / "main.c").write_text(MAIN)
    flags = ("-Wl,--no-as-needed", "-Wl,-z,lazy", "-Wl,--hash-style=gnu")
    return Program(path="/usr/bin/parted", sources=(str(folder),), build=COMMAND, ldflags=flags)


@needs_gcc
@pytest.mark.parametrize(
    ("technique", "label", "part"),
    [
        ("symbol-binding", "now", "files with BIND_NOW: 0 -> 2"),
        ("hash-style", "sysv", "hash tables: gnu -> sysv"),
        ("hash-style", "both", "hash tables: gnu -> both"),
        ("unneeded-libraries", "", "libresolv.so.2 by /usr/bin/parted"),
        ("fewer-relocations", "symbolic", "relocations (symbolic, PLT, relative)"),
        ("program-optimisation", "Os", "bytes of code"),
        ("strip-programs", "", "symbol tables gone from 2 files"),
    ],
)
def test_what_each_way_leaves_in_the_files(parted, cache, technique, label, part):
    made = system(parted)
    change = next(c for c in get(technique).changes(context(made)) if c.label == label)
    before, after = booted(made, cache), booted(change.apply(made), cache)
    effect = get(technique).took_effect(before, after)
    assert effect.shown, effect
    assert part in effect.evidence
    assert "running" in effect.evidence


@needs_gcc
def test_functions_that_nothing_refers_to(parted, cache):
    static = msgspec.structs.replace(
        parted, build="$CC $CFLAGS -o $OUT main.c part.c $LDFLAGS", link="static", ldflags=()
    )
    made = system(static)
    (change,) = get("unused-sections").changes(context(made))
    effect = get("unused-sections").took_effect(booted(made, cache), booted(change.apply(made), cache))
    assert effect.shown, effect
    grown = get("unused-sections").took_effect(booted(change.apply(made), cache), booted(made, cache))
    assert "nothing left out" in grown.evidence


@needs_gcc
def test_the_loaders_count_belongs_to_the_proof(parted, cache):
    made = system(parted)
    change = next(c for c in get("symbol-binding").changes(context(made)) if c.label == "now")
    before, after = booted(made, cache), booted(change.apply(made), cache)

    def counted(evidence, relocations):
        loading = (Loading(pid=1, relocations=relocations, relative=9),)
        return msgspec.structs.replace(evidence, diagnosis=msgspec.structs.replace(evidence.diagnosis, loading=loading))

    effect = get("symbol-binding").took_effect(counted(before, 30), counted(after, 50))
    assert "looked up before main: 30 -> 50, relative: 9 -> 9" in effect.evidence
    assert not get("symbol-binding").took_effect(counted(before, 30), counted(after, 30)).shown


def test_what_is_done_already_is_left_out():
    thumb = BuiltFile(
        path="/a", role="program", sha256="", elf=ElfFacts(machine=40, thumb_functions=5, hash_styles=("gnu",))
    )
    asked = context(system(Program(path="/a", build="x"), arch="arm"))
    recorded = msgspec.structs.replace(asked.recording, programs=BuiltPrograms(files=(thumb,)))
    asked = msgspec.structs.replace(asked, recording=recorded)
    labels = {
        t: [c.label for c in get(t).changes(asked)] for t in ("arm-instruction-set", "symbol-binding", "hash-style")
    }
    assert labels == {"arm-instruction-set": ["arm"], "symbol-binding": ["now"], "hash-style": ["sysv", "both"]}
    arm = msgspec.structs.replace(thumb, elf=ElfFacts(machine=40, arm_functions=5, bind_now=True))
    effect = get("arm-instruction-set").shown(BuiltPrograms(files=(thumb,)), BuiltPrograms(files=(arm,)))
    assert (effect.shown, effect.evidence) == (True, "Thumb/ARM functions: 5/0 -> 0/5")
    assert not get("arm-instruction-set").shown(BuiltPrograms(files=(thumb,)), BuiltPrograms(files=(thumb,))).shown
