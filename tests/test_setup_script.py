# SPDX-License-Identifier: MIT
"""The set-up of Debian packages: who may install is asked once, who may not is told everything once."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "setup-debian.sh"
HAVE = ("busybox-static", "gcc", "libc6-dev", "make", "python3")
# What the script asks a machine: each a program of the folder that is its PATH.
ANSWERS = {
    "dpkg-query": "\n".join(f"echo installed {name}" for name in HAVE),
    "apt-cache": "exit 1",
    "cargo": "exit 127",
    "id": "echo 1000",
    "apt-get": 'echo "apt-get $*" >> "$LOG"',
}
OTHERS = {
    "ID=fedora": ("rpm", "dnf install qemu-system-x86 busybox "),
    "ID=cachyos\nID_LIKE=arch": ("pacman", "pacman -S --needed qemu-system-x86 busybox "),
    'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"': ("rpm", "zypper install qemu-x86 busybox-static "),
    "ID=alpine": ("apk", "apk add qemu-system-x86_64 busybox-static "),
}


@pytest.fixture
def machine(tmp_path: Path):
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, answer in ANSWERS.items():
        (folder / name).write_text(f"#!/bin/sh\n{answer}\n")
        (folder / name).chmod(0o755)
    for name in ("sh", "awk", "cat", "grep", "tr"):
        (folder / name).symlink_to(next(p for p in (Path("/usr/bin") / name, Path("/bin") / name) if p.exists()))

    def run(*groups: str, **answers: str) -> subprocess.CompletedProcess[str]:
        for name, answer in answers.items():
            (folder / name).write_text(f"#!/bin/sh\n{answer}\n")
            (folder / name).chmod(0o755)
        environ = {"PATH": str(folder), "LOG": str(tmp_path / "log"), "OS_RELEASE": str(tmp_path / "os-release")}
        return subprocess.run(["sh", str(SCRIPT), *groups], env=environ, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)  # fmt: skip

    return run


@pytest.mark.parametrize("sudo", [None, "echo a password is required >&2; exit 1"], ids=["none", "not allowed"])
def test_an_ordinary_user_is_told_once_what_root_must_install(machine, tmp_path, sudo):
    done = machine("run", **({"sudo": sudo} if sudo else {}))
    assert done.returncode == 3
    (line,) = [line for line in done.stderr.splitlines() if "apt-get install" in line]
    assert line.startswith("apt-get update && apt-get install -y --no-install-recommends ")
    words = line.split("--no-install-recommends ")[1].split()
    # Of every group: the demo's, the tests', the boards'.
    assert {
        "qemu-system-x86",
        "chromium",
        "gcc-aarch64-linux-gnu",
        "squashfs-tools",
        "postgresql",
        "musl-tools",
    } <= set(words)
    assert len(words) == len(set(words))
    assert not set(words) & set(HAVE)
    assert not (tmp_path / "log").exists()


def test_root_installs_all_groups_with_one_call(machine, tmp_path):
    done = machine("run", "test", "boards", id="echo 0")
    assert done.returncode == 0, done.stderr
    update, install = (tmp_path / "log").read_text().splitlines()
    assert update == "apt-get update -qq"
    assert {"qemu-system-x86", "strace", "gcc-riscv64-linux-gnu"} <= set(install.split())


def test_what_is_there_is_not_asked_for(machine, tmp_path):
    done = machine(
        "build", cargo="echo cargo 1.90.0", **{"dpkg-query": "echo installed python3-venv\n" + ANSWERS["dpkg-query"]}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize("has", ["linux-source-6.1", "linux-source-6.12", "linux-source"])
def test_the_kernel_source_is_the_one_that_this_release_has(machine, tmp_path, has):
    # The release after those that are named has a version of its own, which `linux-source` depends on.
    knows = f'[ "$2" = {has} ] && echo Package: {has}'
    done = machine("kernels", id="echo 0", **{"apt-cache": knows})
    assert done.returncode == 0, done.stderr
    installed = (tmp_path / "log").read_text().splitlines()[-1].split()
    assert [name for name in installed if name.startswith("linux-source")] == [has]


MISC, RISCV = "qemu-system-misc", "qemu-system-riscv"


@pytest.mark.parametrize(
    ("codename", "knows", "has", "installs"),
    [
        ("bookworm", (MISC,), "", MISC),
        ("bookworm", (MISC, RISCV), "", MISC),  # backports
        ("bookworm", (MISC,), MISC, None),
        ("trixie", (MISC, RISCV), "", RISCV),
        ("forky", (MISC, RISCV), MISC, RISCV),  # RISC-V is no longer in it
        ("forky", (MISC, RISCV), RISCV, None),
        ("noble", (MISC,), "", MISC),
        ("", (), "", MISC),
    ],
)
def test_riscv_comes_with_the_package_that_has_it_in_this_release(machine, tmp_path, codename, knows, has, installs):
    (tmp_path / "os-release").write_text(f"ID=debian\nVERSION_CODENAME={codename}\n")
    answers = {
        "apt-cache": f'case " {" ".join(knows)} " in *" $2 "*) echo "Package: $2" ;; esac',
        "dpkg-query": f"echo installed {has}\n" + ANSWERS["dpkg-query"],
    }
    done = machine("boards", id="echo 0", **answers)
    assert done.returncode == 0, done.stderr
    words = (tmp_path / "log").read_text().splitlines()[-1].split()
    assert [word for word in words if word in {MISC, RISCV}] == ([installs] if installs else [])


def test_an_unknown_group_is_named_before_anything_is_done(machine, tmp_path):
    done = machine("run", "tset", id="echo 0")
    assert done.returncode == 2
    assert "no group tset" in done.stderr
    assert not (tmp_path / "log").exists()


@pytest.mark.parametrize("release", OTHERS, ids=["fedora", "like arch", "opensuse", "alpine"])
def test_another_system_reads_its_own_command_and_nothing_is_installed(machine, tmp_path, release):
    (tmp_path / "os-release").write_text(release)
    (tmp_path / "bin" / "dpkg-query").unlink()
    asks, begins = OTHERS[release]
    # It has gcc, in each one's words: rpm -q --whatprovides gcc, pacman -T gcc, apk info -e gcc.
    done = machine("run", "boards", id="echo 0", **{asks: 'for last; do :; done; [ "$last" = gcc ]'})
    assert done.returncode == 3
    *_, said, line = done.stderr.splitlines()
    assert said == "setup-debian.sh: this is missing. As root:"
    assert line.startswith(begins)
    words = line.split()
    assert "gcc" not in words
    assert len(words) == len(set(words))
    assert "no package is known here for what Debian has in gcc-arm-linux-gnueabihf" in done.stderr
    assert machine("run", id="echo 0", **{asks: "exit 0"}).returncode == 0
    assert not (tmp_path / "log").exists()


def test_a_system_that_nobody_knows_reads_debians_names(machine, tmp_path):
    (tmp_path / "os-release").write_text("ID=nixos")
    (tmp_path / "bin" / "dpkg-query").unlink()
    done = machine("run", id="echo 0")
    assert done.returncode == 3
    assert "busybox-static gcc libc6-dev" in done.stderr


def test_a_step_says_what_it_does_and_how_long_it_took():
    step = str(SCRIPT.parent / "step.sh")
    done = subprocess.run([step, "compile it (about a minute)", "sh", "-c", "echo out; exit 5"], capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (5, "out\n")
    begin, end = done.stderr.splitlines()
    assert begin == "bootlab: compile it (about a minute) ..."
    assert end.startswith("bootlab: compile it: failed with exit code 5 after ")
