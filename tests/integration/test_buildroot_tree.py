# SPDX-License-Identifier: MIT
"""The external tree for Buildroot: its script with a made-up output, and Buildroot's own make with its options."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

TREE = REPOSITORY / "buildroot-bootlab"
# Buildroot's source lies in the folder that this names.
BUILDROOT = os.environ.get("BOOTLAB_BUILDROOT", "")
OPTIONS = """\
BR2_PACKAGE_BOOTLAB=y
BR2_PACKAGE_BOOTLAB_BOOT=y
BR2_PACKAGE_BOOTLAB_BUDGET="total=3.2s kernel=500ms"
BR2_PACKAGE_BOOTLAB_AGAINST=""
BR2_PACKAGE_BOOTLAB_FROM=""
BR2_PACKAGE_BOOTLAB_ARGUMENTS=""
"""


def stand_in(folder: Path, code: int = 0) -> Path:
    """Make a bootlab that writes its words down, one call a line; `gate` ends with `code`."""
    program = folder / "bootlab"
    program.write_text(f'#!/bin/sh\necho "$*" >> {folder}/calls\n[ "$1" != gate ] || exit {code}\n')
    program.chmod(0o755)
    return program


def after_images(folder: Path, options: str, code: int = 0) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    """Run the script as Buildroot does after its images; return how it ended, and what it called."""
    (folder / "images").mkdir(exist_ok=True)
    (folder / ".config").write_text(options)
    (folder / "calls").unlink(missing_ok=True)
    names = {"BINARIES_DIR": f"{folder}/images", "BASE_DIR": str(folder), "BR2_CONFIG": f"{folder}/.config"}
    done = subprocess.run(
        [TREE / "post-image.sh", f"{folder}/images"],
        env={**os.environ, **names, "BOOTLAB": str(stand_in(folder, code))},
        capture_output=True,
        text=True,
        check=False,
    )
    calls = folder / "calls"
    return done, calls.read_text().splitlines() if calls.exists() else []


def test_the_build_is_described_booted_and_judged(tmp_path: Path) -> None:
    done, (described, judged) = after_images(tmp_path, OPTIONS)
    assert done.returncode == 0, done.stderr
    assert described == f"new {tmp_path}/images/bootlab/system.toml --force --from {tmp_path}"
    assert judged.startswith(
        f"gate {tmp_path}/images/bootlab/system.toml --store {tmp_path}/bootlab --budget total=3.2s"
    )
    assert " --budget kernel=500ms --html " in judged


@pytest.mark.parametrize(("code", "ends", "said"), [(11, 1, "over budget"), (14, 0, "WARNING"), (3, 3, "ended with 3")])
def test_the_build_fails_over_budget_and_not_where_nothing_is_known(
    tmp_path: Path, code: int, ends: int, said: str
) -> None:
    done, _ = after_images(tmp_path, OPTIONS, code)
    assert done.returncode == ends
    assert said in done.stderr


def test_nothing_is_done_unasked_and_only_described_without_a_boot(tmp_path: Path) -> None:
    assert after_images(tmp_path, "# BR2_PACKAGE_BOOTLAB is not set\n")[1] == []
    only = OPTIONS.replace("BR2_PACKAGE_BOOTLAB_BOOT=y\n", "").replace('FROM=""', 'FROM="images/a images/b"')
    (described,) = after_images(tmp_path, only)[1]
    assert described.endswith("--from images/a --from images/b")


def test_without_a_budget_the_boot_is_shown(tmp_path: Path) -> None:
    calls = after_images(tmp_path, OPTIONS.replace("total=3.2s kernel=500ms", ""))[1]
    assert [call.split()[0] for call in calls] == ["new", "boot", "report"]


@pytest.mark.slow
def test_buildroot_takes_the_options_and_runs_the_script(tmp_path: Path) -> None:
    if not (Path(BUILDROOT) / "support" / "kconfig").is_dir():
        pytest.skip("BOOTLAB_BUILDROOT=FOLDER names no source of Buildroot")
    out = tmp_path / "output"
    out.mkdir()
    (out / "defconfig").write_text(
        "BR2_x86_64=y\nBR2_INIT_NONE=y\n# BR2_TARGET_ROOTFS_TAR is not set\n"
        'BR2_PACKAGE_BOOTLAB=y\nBR2_PACKAGE_BOOTLAB_BUDGET="total=3.2s"\n'
        'BR2_ROOTFS_POST_IMAGE_SCRIPT="$(BR2_EXTERNAL_BOOTLAB_PATH)/post-image.sh"\n'
    )
    words = ["make", "-C", BUILDROOT, f"O={out}", f"BR2_EXTERNAL={TREE}"]
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    environ = plain | {"BOOTLAB": str(stand_in(tmp_path))}

    def make(*more: str) -> str:
        done = subprocess.run([*words, *more], env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    make("defconfig", f"BR2_DEFCONFIG={out}/defconfig")
    config = (out / ".config").read_text()
    assert 'BR2_PACKAGE_BOOTLAB_BUDGET="total=3.2s"\n' in config
    assert '"bootlab"' in make("-s", "show-info")
    (out / "images").mkdir()
    # Everything before it counts as made: only the scripts behind the images run.
    made = ("dependencies", "target-finalize", "staging-finalize")
    make(*(word for name in made for word in ("-o", name)), "target-post-image")
    described, judged = (tmp_path / "calls").read_text().splitlines()
    assert described.startswith(f"new {out}/images/bootlab/system.toml --force")
    assert "--budget total=3.2s" in judged
