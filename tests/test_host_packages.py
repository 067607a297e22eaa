# SPDX-License-Identifier: MIT
"""What is missing is named in the words of the system that bootlab runs on, and never by a guessed name."""

from __future__ import annotations

import ast
import platform
import re
from pathlib import Path

import pytest

from bootlab import host_packages
from bootlab.errors import ToolMissing
from bootlab.model.architecture import ARCHITECTURES

REPOSITORY = Path(__file__).resolve().parents[1]
TABLE = Path(host_packages.__file__).with_name("host_packages.txt")
ROWS = [line.split() for line in TABLE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]

SYSTEMS = [
    ({"ID": "debian"}, "apt-get install gcc libc6-dev"),
    ({"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, "apt-get install gcc libc6-dev"),
    ({"ID": "fedora"}, "dnf install gcc glibc-devel glibc-static"),
    ({"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, "dnf install gcc glibc-devel glibc-static"),
    ({"ID": "endeavouros", "ID_LIKE": "arch"}, "pacman -S --needed gcc glibc"),
    ({"ID": "opensuse-leap", "ID_LIKE": "suse opensuse"}, "zypper install gcc glibc-devel glibc-devel-static"),
    ({"ID": "alpine"}, "apk add gcc musl-dev linux-headers"),
    ({"ID": "nixos"}, "in Debian it comes with gcc libc6-dev"),
    ({}, "in Debian it comes with gcc libc6-dev"),
]


def running_on(monkeypatch: pytest.MonkeyPatch, release: dict[str, str] | None) -> None:
    def of_this_system() -> dict[str, str]:
        if release is None:
            raise FileNotFoundError("/etc/os-release")
        return release

    monkeypatch.setattr(platform, "freedesktop_os_release", of_this_system)


@pytest.mark.parametrize(("release", "words"), SYSTEMS, ids=[row[0].get("ID", "nothing said") for row in SYSTEMS])
def test_each_system_reads_its_own_command(monkeypatch, release, words):
    running_on(monkeypatch, release)
    assert host_packages.install("gcc libc6-dev") == words
    assert words in ToolMissing("cc", package="gcc libc6-dev", needed_for="to build").hint


def test_a_system_without_a_release_file_gets_debians_names(monkeypatch):
    running_on(monkeypatch, None)
    assert host_packages.install("lz4") == "in Debian it comes with lz4"


def test_what_has_no_known_name_is_said_and_not_guessed(monkeypatch):
    running_on(monkeypatch, {"ID": "fedora"})
    mixed = host_packages.install("gcc-aarch64-linux-gnu libc6-dev-arm64-cross")
    command, said = mixed.split("   ")
    assert command == "dnf install gcc-aarch64-linux-gnu"
    assert said == "(no package is known here for what Debian has in libc6-dev-arm64-cross)"
    # None is in the table: linux-source-6.1 is Debian's only.
    assert (
        host_packages.install("linux-source-6.1") == "no package is known here for what Debian has in linux-source-6.1"
    )
    assert host_packages.install("(the one of foo-gcc)") == "apt-get install (the one of foo-gcc)"


def test_every_package_is_told_once(monkeypatch):
    running_on(monkeypatch, {"ID": "arch"})
    assert host_packages.install("cargo rustc rustfmt rust-clippy") == "pacman -S --needed rust"


def named_in_the_code() -> set[str]:
    """Return Debian's packages that the code names: arguments called `package`, and the doctor's table."""
    found = set()
    for path in (REPOSITORY / "python" / "bootlab").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg in {"package", "packages"}:
                found |= {str(node.value.value)} if isinstance(node.value, ast.Constant) else set()
    facts = ARCHITECTURES.values()
    return {word for text in found for word in text.split() if "(" not in text} | {
        word for fact in facts for word in (*fact.emulator_package.split(), *fact.compiler_packages.split())
    }


def test_every_package_that_is_asked_for_has_a_row():
    script = (REPOSITORY / "scripts" / "setup-debian.sh").read_text(encoding="utf-8")
    groups = dict(re.findall(r'^(\w+)="([^"$]+)"$', script, re.MULTILINE))
    # Kernel sources are Debian's own; a fresh Debian is made of Debian.
    wanted = {
        word for name, text in groups.items() if name not in {"roots"} for word in text.split() if "|" not in word
    }
    assert named_in_the_code() | wanted <= {row[0] for row in ROWS}


def test_a_row_has_every_column_once():
    assert {len(row) for row in ROWS} == {5}
    assert len({row[0] for row in ROWS}) == len(ROWS)
