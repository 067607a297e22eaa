# SPDX-License-Identifier: MIT
"""The wheel in an empty environment, far from the checkout: a new system boots from there, exact and diagnosed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

pytestmark = [pytest.mark.install, pytest.mark.timeout(1800)]

SOURCES = ("guest", "host", "qemu-plugin")


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Return a folder with the wheel and the source distribution: that of BOOTLAB_DIST, or made here."""
    if named := os.environ.get("BOOTLAB_DIST"):
        return Path(named).resolve()
    folder = tmp_path_factory.mktemp("dist")
    # Apart: a wheel made out of the source distribution compiles everything again.
    # As `make` compiled it: what the wheel is optimised for is no subject here.
    for verb in (("sdist",), ("build", "--profile", "quick")):
        command = [sys.executable, "-m", "maturin", *verb, "--out", str(folder)]
        subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(built) -> Path:
    (found,) = built.glob("bootlab-*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """Return the programs' folder of an environment that holds the wheel and what it depends on, nothing else."""
    folder = tmp_path_factory.mktemp("elsewhere")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    pins = re.findall(r"^[\w.-]+==[^\s;]+(?: ; [^\\\n]*)?", (REPOSITORY / "requirements.txt").read_text(), re.MULTILINE)
    (folder / "pins.txt").write_text("\n".join(pins))
    pip = [str(folder / "venv/bin/pip"), "install", "-q", "--disable-pip-version-check", "-c", str(folder / "pins.txt")]
    subprocess.run([*pip, str(wheel)], check=True)
    return folder / "venv" / "bin"


def test_completion_comes_with_the_wheel(installed) -> None:
    share = installed.parent / "share"
    assert (share / "bash-completion" / "completions" / "bootlab").is_file()
    assert (share / "fish" / "vendor_completions.d" / "bootlab.fish").is_file()


def run(installed: Path, *words: str, **environ: str) -> str:
    """Run a program of the environment in a folder of its own, with nothing of this one's."""
    kept = {name: os.environ[name] for name in ("BOOTLAB_KERNEL",) if name in os.environ}
    place = installed.parents[1]
    done = subprocess.run(
        [str(installed / words[0]), *words[1:]],
        cwd=place,
        env={"HOME": str(place), "PATH": f"{installed}:{os.environ['PATH']}", **kept, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tracked() -> set[str]:
    listed = subprocess.run(["git", "ls-files", *SOURCES], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return set(listed.stdout.split())


def test_the_wheel_holds_every_source(wheel) -> None:
    prefix = "bootlab/data/"
    with zipfile.ZipFile(wheel) as archive:
        held = {name.removeprefix(prefix) for name in archive.namelist() if name.startswith(prefix)}
        assert "bootlab/views/templates/report.html" in archive.namelist()
    assert held == tracked() | {"__init__.py"}


def test_the_source_distribution_holds_every_source(built) -> None:
    (found,) = built.glob("bootlab-*.tar.gz")
    with tarfile.open(found) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"python/bootlab/data/{name}" for name in tracked()} <= names
    assert {"Cargo.lock", "crates/bootlab-python/Cargo.toml", "crates/boottrace/src/lib.rs"} <= names


def test_the_wheel_is_what_runs(installed) -> None:
    where = run(installed, "python", "-c", "import bootlab; print(bootlab.__file__)").strip()
    assert Path(where).is_relative_to(installed.parent)
    assert str(REPOSITORY) not in run(installed, "python", "-c", "import sys; print(sys.path)")
    folder = "from bootlab.data import source_folder as f; print(f('agent', 'agent.c'))"
    assert Path(run(installed, "python", "-c", folder).strip()).is_relative_to(installed.parent)


@pytest.mark.qemu
def test_a_new_system_boots_exactly_and_with_diagnosis(installed, debian_kernel) -> None:
    run(installed, "bootlab", "new", "first.toml", "--kernel", str(debian_kernel))
    results = json.loads(run(installed, "bootlab", "boot", "first.toml", "--diagnostic", "--json"))
    base = results["results"]["base"]
    assert base["clock"] == "virtual", "without the plugin the clock is another"
    assert base["goal_insns"] > 0
    again = json.loads(run(installed, "bootlab", "boot", "first.toml", "--fresh", "--json"))
    assert again["results"]["base"]["goal_insns"] == base["goal_insns"]
    assert {call["name"] for call in results["diagnosis"]} >= {"con_init"}
