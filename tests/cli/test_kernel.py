# SPDX-License-Identifier: MIT
"""`bootlab kernel` on a tiny source tree."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from bootlab.cli.__main__ import app
from bootlab.errors import KernelBuildError, UserError
from tests.builders.kbuild.fake_tree import make_tree


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bin").mkdir()
    for name in ("bison", "flex", "bc"):
        (tmp_path / "bin" / name).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{tmp_path / 'bin'}")
    monkeypatch.setenv("BOOTLAB_CACHE", str(tmp_path / "cache"))
    make_tree(tmp_path / "linux")
    file = tmp_path / "system.toml"
    file.write_text('name = "s"\n[kernel]\nsource = "linux"\noptions = { A = true, B = true }\n[goal]\nconsole = "x"\n')
    return file


def call(*words: str) -> str:
    done = CliRunner().invoke(app, ["kernel", *words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def test_build_copies_what_came_out(system: Path, tmp_path: Path) -> None:
    said = call("build", str(system), "--output", str(tmp_path / "out"))
    assert "3 of 3 objects made" in " ".join(said.split()), "a long path may break the line"
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"bzImage", "vmlinux", "System.map", "config", "build.log", "kernel.json"} <= names
    facts = msgspec.json.decode(call("build", str(system), "--json"))
    assert (facts["format"], facts["reused"], facts["arch"]) == ("bootlab-kernel", True, "x86_64")


def test_size_of_a_kernel_without_objects_says_what_to_do(system: Path) -> None:
    with pytest.raises(UserError, match="objects are gone") as caught:
        call("size", str(system))
    assert "rm -r" in caught.value.hint


def test_config_prints_the_whole_or_the_difference(system: Path) -> None:
    assert call("config", str(system)) == "CONFIG_A=y\nCONFIG_B=y\n"
    assert call("config", str(system), "--set", "A=n").splitlines() == [
        "CONFIG_A: y -> n",
        "CONFIG_B: y -> not there   (follows)",
    ]
    assert "nothing changes" in call("config", str(system), "--set", "CONFIG_A=y")


def test_mistakes_are_errors(system: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not OPTION=VALUE"):
        call("config", str(system), "--set", "A")
    with pytest.raises(KernelBuildError, match=r"B needs A \(A is n\)"):
        call("config", str(system), "--set", "A=n", "--set", "B=y")
    (tmp_path / "image").write_text("x")
    system.write_text('name = "s"\n[kernel]\nimage = "image"\n[goal]\nconsole = "x"\n')
    with pytest.raises(UserError, match="its system file names an image"):
        call("build", str(system))
