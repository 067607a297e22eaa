# SPDX-License-Identifier: MIT
"""A build that does not come to its end: a full disk, a missing compiler, a broken archive, a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from bootlab.builders.kbuild import KernelBuilder
from bootlab.builders.kbuild.make_run import Make, run
from bootlab.errors import EnvironmentFault, ToolMissing
from bootlab.model.system import KernelBuild
from tests.builders.kbuild.conftest import Seen
from tests.builders.kbuild.fake_tree import request


def test_a_full_disk_is_said_to_be_one(builder: KernelBuilder, tree: Path, tmp_path: Path) -> None:
    (tree / "src/two.c").write_text("#full\n")
    with pytest.raises(EnvironmentFault, match="the disk is full") as caught:
        builder.build(request(tree), "x86_64")
    assert "df -h" in caught.value.hint
    assert not list((tmp_path / "cache/kernels").glob("built/*"))


def test_a_compiler_that_is_missing_is_named_with_its_package(builder: KernelBuilder, tree: Path) -> None:
    with pytest.raises(ToolMissing, match="mips64-unknown-gcc") as caught:
        builder.build(request(tree, compiler="mips64-unknown-"), "x86_64")
    assert "gcc-mips64-unknown " in caught.value.hint


def test_a_full_disk_that_no_tool_names(builder: KernelBuilder, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "src/two.c").write_text("#error two\n")
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=4096))
    with pytest.raises(EnvironmentFault, match="the disk is full"):
        builder.build(request(tree), "x86_64")


def test_the_log_can_be_followed(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all:\n\t@echo one\n\t@echo two\n")
    log = tmp_path / "build.log"
    seen: list[str] = []
    call = Make(tree=tmp_path, variables={})
    assert run(call, ("all",), log, line=lambda text: seen.append(log.read_text().splitlines()[-1]), extra={}) == 0
    assert {"one", "two"} <= set(seen)


def test_a_log_that_does_not_fit_is_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("all:\n\t@yes | head -c 100000\n")
    call = Make(tree=tmp_path, variables={})
    with pytest.raises(EnvironmentFault, match="the disk is full: No space left") as caught:
        run(call, ("all",), Path("/dev/full"), line=lambda _: None, extra={})
    assert "the next run continues" in caught.value.hint


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("tar: a/b: Cannot write: No space left on device\ntar: c: Cannot write", "the disk is full: tar: a/b: Cannot"),
        ("xz: (stdin): Compressed data is corrupt", r"\.tar\.xz cannot be unpacked: xz: .stdin.: Compressed"),
    ],
)
def test_a_source_that_cannot_be_unpacked(
    builder: KernelBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, message: str
) -> None:
    (tmp_path / "linux-source-6.1.tar.xz").write_bytes(b"x")
    monkeypatch.setattr("bootlab.builders.kbuild.source.DEBIAN_ARCHIVES", tmp_path)
    tar = tmp_path / "bin/tar"
    tar.write_text(f"#!/bin/sh\ncat >&2 <<'.'\n{said}\n.\nexit 2\n")
    tar.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    with pytest.raises(EnvironmentFault, match=message):
        builder.build(KernelBuild(), "x86_64")
    assert not [path for path in (tmp_path / "cache/kernels/sources").iterdir() if path.is_dir()]


@pytest.mark.parametrize(
    ("there", "hint"),
    [
        ((), "another version that this release has: apt-cache search '^linux-source-'"),
        (("6.12", "6.9", "7.2.orig"), 'what is here already is source = "debian-6.9" or "debian-6.12"'),
    ],
)
def test_a_source_that_this_release_of_debian_does_not_have(
    builder: KernelBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: tuple[str, ...], hint: str
) -> None:
    for version in there:
        (tmp_path / f"linux-source-{version}.tar.xz").write_bytes(b"x")
    monkeypatch.setattr("bootlab.builders.kbuild.source.DEBIAN_ARCHIVES", tmp_path)
    with pytest.raises(ToolMissing, match=r"linux-source-6\.1\.tar\.xz") as caught:
        builder.build(KernelBuild(), "x86_64")
    assert caught.value.hint.endswith(hint)


def test_a_build_that_is_killed_goes_on(builder: KernelBuilder, tree: Path, tmp_path: Path, seen: Seen) -> None:
    (tree / "src/three.c").write_text("#slow\n")
    script = (
        "import sys; from pathlib import Path; from bootlab.builders.cache import Cache;"
        "from bootlab.builders.kbuild import KernelBuilder; from bootlab.model.system import KernelBuild;"
        "KernelBuilder(Cache(Path(sys.argv[1])), jobs=1)"
        ".build(KernelBuild(source=sys.argv[2], options=(('A', 'y'),)), 'x86_64')"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "cache"), str(tree)]) as process:
        try:
            until = time.monotonic() + 60
            waiting: list[Path] = []
            while not waiting and time.monotonic() < until and process.poll() is None:
                waiting = list((tmp_path / "cache").rglob("obj/waiting"))
                time.sleep(0.05)
            assert waiting
        finally:
            process.send_signal(signal.SIGKILL)
    obj = waiting[0].parent
    assert not list((tmp_path / "cache/kernels").glob("built/*"))
    # The same content, but no longer slow: the file's digest is remembered by size and time.
    status = (tree / "src/three.c").stat()
    (tree / "src/three.c").write_text("int x;")
    os.utime(tree / "src/three.c", ns=(status.st_atime_ns, status.st_mtime_ns))
    (obj / "three.o").unlink(missing_ok=True)
    built = builder.build(request(tree), "x86_64")
    assert [event[2] for event in seen.events if len(event) == 3] == ["three.o"]
    assert "int one;" in built.image.read_text()
