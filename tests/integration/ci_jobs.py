# SPDX-License-Identifier: MIT
"""The jobs that `action.yml` and `ci/gitlab-boot-time.yml` describe, run on this machine as their runners would.

Each job has a fresh checkout, the caches that its description names, and the variables of the forge; nothing else.
Both forges have one store of caches here, so that each boot is made once. Who wants the jobs elsewhere than on this
machine gives a runner (benchmarks/ci_jobs_in_roots.py).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import yaml

from tests.conftest import REPLAYED, REPOSITORY
from tests.lean_kernel import PARAMETERS

ACTION = yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))
COMPONENT = tuple(yaml.safe_load_all((REPOSITORY / "ci" / "gitlab-boot-time.yml").read_text(encoding="utf-8")))
SCRIPT = """#!/bin/sh
echo "rc: start"
/bin/busybox mount -t proc proc /proc
echo "application: start"
echo "small: ready sum=$(echo small | /bin/busybox md5sum)"
/bin/busybox sleep 100000
"""
PLANTED = 'echo "rc: start"\n/bin/busybox usleep 20000\necho "sensor: awake"\n'
"""A wait of 20 ms, and a line that tells of it."""
NEEDS = "busybox-static"
"""The package that the team's own system needs, beside what the jobs install by themselves."""
LIMIT_S = 3000
Done = subprocess.CompletedProcess[str]
Runner = Callable[[str, list[str], Path, dict[str, str]], Done]
"""Runs a forge's program in a checkout with these variables alone."""


def here(_forge: str, program: list[str], checkout: Path, variables: dict[str, str]) -> Done:
    """Run a job on this machine, with the bootlab that runs this."""
    mine = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }
    return subprocess.run(
        program, cwd=checkout, env=mine | variables, capture_output=True, text=True, check=False, timeout=LIMIT_S
    )


def counted(comment: str) -> tuple[int, int]:
    """Return how many boots a run made, and how many it had from earlier ones, as its comment says."""
    found = re.search(r"(\d+) boots? made, (\d+) kept from earlier runs", comment)
    assert found is not None, comment
    return int(found[1]), int(found[2])


def red(comment: str, commit: str) -> None:
    """Hold what a comment says of the change: the answer, the stage, the commit, what differs, and by how much."""
    assert "### ❌ boot time failed: small: slower than main " in comment
    assert f"The one commit: {commit[:12]} Wait for the sensor (Ada)" in comment
    assert "* changed in the root tree: /init" in comment
    assert "only the new boots print: sensor: awake" in comment
    grew = re.search(r"The stage \*\*RC scripts\*\* grew most: \+(\d+\.\d+) ms", comment)
    assert grew is not None, comment
    # BusyBox starts, waits at least 20 ms on the kernel's timer, and prints: a few milliseconds more.
    assert 20 <= float(grew[1]) < 30


def green(comment: str) -> None:
    """Hold what a comment says once the change is taken back."""
    assert "### ✅ boot time passed: small: same as main " in comment
    assert "only the new boots print" not in comment


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


class Team:
    """A repository with a small system: `main`, and the branch `change` with one commit that costs 20 ms."""

    def __init__(self, folder: Path, kernel: Path, runner: Runner = here, wheel: str = "") -> None:
        """Make the repository. `wheel`: what the jobs install; none: they have bootlab and its packages."""
        self.folder, self.kernel, self.runner, self.wheel = folder, kernel, runner, wheel
        self.origin = folder / "origin"
        self.caches = folder / "caches"
        (self.origin / "rootfs").mkdir(parents=True)
        git(self.origin, "init", "-q", "-b", "main")
        self._write(SCRIPT)
        text = REPLAYED.read_text(encoding="utf-8")
        text = re.sub(r'"/init" = \{.*?""" \}\n', "", text, flags=re.DOTALL)
        text = text.replace('target = "replay"\nrecordings = "fixture"\n', 'target = "qemu"\n')
        text = text.replace("panic=-1", f"panic=-1 {PARAMETERS}").replace("[kernel]", '[kernel]\nform = "vmlinux"')
        text = text.replace("[initramfs.files]", '[initramfs]\ndir = "rootfs"\n\n[initramfs.files]')
        # A loaded host is slow, and that is no failure of a change.
        text += "\n[limits]\nwall_s = 3000\nstall_wall_s = 1500\n"
        (self.origin / "system.toml").write_text(text, encoding="utf-8")
        (self.origin / "budgets").write_text("total=5s\n", encoding="utf-8")
        git(self.origin, "add", "-A")
        git(self.origin, "commit", "-q", "-m", "The camera")
        git(self.origin, "checkout", "-q", "-b", "change")
        self._write(SCRIPT.replace('echo "rc: start"\n', PLANTED))
        git(self.origin, "commit", "-q", "-a", "-m", "Wait for the sensor")

    def _write(self, script: str) -> None:
        place = self.origin / "rootfs" / "init"
        place.write_text(script, encoding="utf-8")
        place.chmod(0o755)

    def revert(self) -> None:
        """Take the change back, with a commit on its branch."""
        git(self.origin, "revert", "--no-edit", "HEAD")

    def checkout(self, name: str, *, merged: bool) -> Path:
        """Return a fresh checkout of the change, its head or its merge with main, with all branches beside it."""
        place = self.folder / name
        git(self.folder, "clone", "-q", "--no-checkout", str(self.origin), str(place))
        git(place, "checkout", "-q", "--detach", "origin/main" if merged else "origin/change")
        if merged:
            git(place, "merge", "-q", "--no-ff", "-m", "Merge change into main", "origin/change")
        return place

    def restore(self, paths: list[str], checkout: Path, home: Path) -> None:
        """Put a job's caches where they belong, as the runner does before the job."""
        for path in paths:
            kept = self.caches / path.replace("/", "_")
            if kept.is_dir():
                shutil.copytree(kept, _place(path, checkout, home), symlinks=True)

    def save(self, paths: list[str], checkout: Path, home: Path) -> None:
        """Keep a job's caches, as the runner does behind it."""
        for path in paths:
            kept, there = self.caches / path.replace("/", "_"), _place(path, checkout, home)
            if there.is_dir():
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(there, kept, symlinks=True)

    def job(self, forge: str, name: str, api: str) -> tuple[Done, Path]:
        """Run a job; return how it ended, and its checkout."""
        checkout, home = self.checkout(name, merged=forge == "github"), self.folder / f"{name}-home"
        home.mkdir()
        program, names, paths = (_github if forge == "github" else _gitlab)(checkout, home, api, self.wheel)
        names |= {"HOME": str(home), "BOOTLAB_KERNEL": str(self.kernel)}
        self.restore(paths, checkout, home)
        done = self.runner(forge, program, checkout, names)
        self.save(paths, checkout, home)
        return done, checkout


def _place(path: str, checkout: Path, home: Path) -> Path:
    return home / path.removeprefix("~/") if path.startswith("~/") else checkout / path


def _github(checkout: Path, home: Path, api: str, wheel: str) -> tuple[list[str], dict[str, str], list[str]]:
    """Return what the action runs on a pull request, its variables, and what it caches."""
    event = home / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}), encoding="utf-8")
    inputs = {name: one["default"] for name, one in ACTION["inputs"].items()}
    inputs |= {"install": wheel, "budget": "@budgets"}
    inputs["packages"] = f"{inputs['packages']} {NEEDS}" if wheel else ""
    known = {f"inputs.{name}": value for name, value in inputs.items()} | {
        "inputs.against": "git:main",
        "inputs.token": "secret",
        "github.server_url": "https://forge.example",
        "github.repository": "a/b",
        "github.run_id": "12",
    }
    (gate,) = (step for step in ACTION["runs"]["steps"] if step.get("id") == "gate")
    # A name that nobody knows here is a KeyError: the action has something new.
    names = {name: re.sub(r"\$\{\{ (\S+) \}\}", lambda m: known[m[1]], value) for name, value in gate["env"].items()}
    names |= {
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTION_PATH": str(REPOSITORY),
        "GITHUB_API_URL": api,
        "GITHUB_REPOSITORY": "a/b",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_OUTPUT": str(home / "output"),
        "GITHUB_STEP_SUMMARY": str(home / "summary"),
    }
    cached = next(step for step in ACTION["runs"]["steps"] if "cache/restore" in step.get("uses", ""))
    return ["bash", "-e", "-o", "pipefail", "-c", gate["run"]], names, cached["with"]["path"].split()


def _gitlab(checkout: Path, home: Path, api: str, wheel: str) -> tuple[list[str], dict[str, str], list[str]]:
    """Return what the component runs on a merge request, its variables, and what it caches."""
    spec, jobs = COMPONENT
    inputs = {name: str(one.get("default", "")) for name, one in spec["spec"]["inputs"].items()}
    inputs |= {"budget": "@budgets", "script": str(REPOSITORY / "ci" / "gate.sh")}
    job = jobs["boot-time"]
    given = {
        "CI": "true",
        "CI_PROJECT_DIR": str(checkout),
        "CI_PROJECT_ID": "17",
        "CI_API_V4_URL": api,
        "CI_JOB_URL": "https://forge.example/a/b/-/jobs/12",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        # A variable of the project.
        "BOOTLAB_GITLAB_TOKEN": "secret",
    }
    written = {name: _with_inputs(str(value), inputs) for name, value in job["variables"].items()}
    names = {name: re.sub(r"\$(\w+)", lambda m: given[m[1]], value) for name, value in written.items()} | given
    names["BOOTLAB_INSTALL"] = wheel
    names["BOOTLAB_PACKAGES"] = f"{names['BOOTLAB_PACKAGES']} {NEEDS}" if wheel else ""
    lines = [_with_inputs(line, inputs) for line in job["script"]]
    return ["sh", "-e", "-c", "\n".join(lines)], names, job["cache"]["paths"]


def _with_inputs(text: str, inputs: dict[str, str]) -> str:
    return re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda m: inputs[m[1]], text)
