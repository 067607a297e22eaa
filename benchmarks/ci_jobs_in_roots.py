#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The jobs of GitHub and GitLab in minimal Debian roots: a change that costs 20 ms goes red, its revert green.

Each job has a new root, as a runner gives one: GitLab's has what Debian's image has, GitHub's also what its machines
bring (git, Python, sudo). The job installs its packages and bootlab's wheel itself, boots exactly, and writes its
comment to a forge on this machine. A row a job: exit code, minutes, boots made and kept. Needs root and mmdebstrap.

    make wheel
    .venv/bin/python benchmarks/ci_jobs_in_roots.py FOLDER --wheel dist/bootlab-….whl --kernel .cache/kernel/vmlinuz \\
        --out ROWS.json
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from benchmarks.kept_rows import KeptRows  # noqa: E402
from tests.forges.kept_forge import kept_forge  # noqa: E402
from tests.integration.ci_jobs import LIMIT_S, Done, Team, counted, git, green, red  # noqa: E402

BROUGHT = {"github": "git python3 python3-venv ca-certificates sudo", "gitlab": ""}
"""What a forge's machine has before the job: GitHub's hosted runners, and the image `debian:trixie`."""
IN_ROOT = """
set -eu
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
for place in $places; do mkdir -p "$root$place"; mount --bind "$place" "$root$place"; done
exec chroot "$root" sh -c "$job"
"""
KEPT_OF_THE_NETWORK = ("http_proxy", "https_proxy", "no_proxy")


def base_root(folder: Path, forge: str, suite: str) -> Path:
    """Return a minimal root as this forge's machine has it, made at the first call."""
    root = folder / f"root-{forge}"
    if not (root / "made").exists():
        shutil.rmtree(root, ignore_errors=True)
        packages = f"apt-get update -q && apt-get install -q -y --no-install-recommends {BROUGHT[forge]}"
        command = packages if BROUGHT[forge] else "true"
        script = str(REPOSITORY / "scripts" / "fresh-root.sh")
        subprocess.run([script, suite, command], env=os.environ | {"ROOT": str(root)}, check=True, stdout=sys.stderr)
        # The checkout that the script leaves is none of a runner's.
        shutil.rmtree(root / "root" / "bootlab")
        (root / "made").touch()
    return root


class InRoots:
    """A runner: each job in a copy of its forge's root, with its checkout, its home and bootlab's scripts in it."""

    def __init__(self, folder: Path, team: Path, kernel: Path, suite: str) -> None:
        """Take the folders that a job sees where they are."""
        self.folder, self.suite = folder, suite
        self.places = (team, REPOSITORY, kernel.parent)

    def __call__(self, forge: str, program: list[str], checkout: Path, variables: dict[str, str]) -> Done:
        """Run a job there."""
        root = self.folder / "root-of-this-job"
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run(["cp", "-a", str(base_root(self.folder, forge, self.suite)), str(root)], check=True)
        network = {name: os.environ[name] for name in KEPT_OF_THE_NETWORK if name in os.environ}
        path = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
        words = ["env", "-i", *(f"{name}={value}" for name, value in (network | path | variables).items()), *program]
        names = {
            "root": str(root),
            "places": " ".join(map(str, self.places)),
            "job": f"update-ca-certificates > /dev/null 2>&1; cd {shlex.quote(str(checkout))} && {shlex.join(words)}",
        }
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", IN_ROOT]
        try:
            return subprocess.run(
                command, env=os.environ | names, capture_output=True, text=True, check=False, timeout=LIMIT_S
            )
        finally:
            shutil.rmtree(root, ignore_errors=True)


def main() -> int:
    """Run the six jobs one after the other; hold what each says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="for roots, repository and checkouts; the repository is made anew")
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("--kernel", type=Path, required=True, help="the Debian kernel that is booted")
    parser.add_argument("--suite", default="trixie", help="the Debian release of the roots")
    parser.add_argument("--out", type=Path, required=True, help="the rows")
    asked = parser.parse_args()
    folder, kernel = asked.folder.absolute(), asked.kernel.resolve()
    for forge in BROUGHT:
        base_root(folder, forge, asked.suite)
    place = folder / "team"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    wheel = Path(shutil.copy(asked.wheel, place))
    team = Team(place, kernel, InRoots(folder, place, kernel, asked.suite), str(wheel))
    commit, rows = git(team.origin, "rev-parse", "change"), KeptRows(asked.out)
    jobs = (
        ("github", "first"),
        ("github", "again"),
        ("gitlab", "merge"),
        ("github", "reverted"),
        ("gitlab", "merge-reverted"),
    )
    with kept_forge() as (github, api), kept_forge() as (gitlab, api_of_gitlab):
        for forge, name in jobs:
            if name == "reverted":
                team.revert()
            comments, where = (github.kept, api) if forge == "github" else (gitlab.kept, api_of_gitlab)
            begin, load = time.monotonic(), os.getloadavg()[0]
            done, _ = team.job(forge, name, where)
            minutes = round((time.monotonic() - begin) / 60, 2)
            wanted = 0 if name.endswith("reverted") else 11
            if done.returncode != wanted:
                print(f"{done.stdout}\n{done.stderr}", file=sys.stderr)
                raise SystemExit(f"{forge}, {name}: exit code {done.returncode}, {wanted} was awaited")
            (comment,) = (str(one["body"]) for one in comments)
            green(comment) if wanted == 0 else red(comment, commit)
            made, kept = counted(comment)
            row = {"suite": asked.suite, "forge": forge, "job": name, "exit_code": done.returncode, "minutes": minutes}
            rows.add(row | {"boots_made": made, "boots_kept": kept, "load": round(load, 1)})
            print(rows.rows[-1], flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
