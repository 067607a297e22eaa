# SPDX-License-Identifier: MIT
"""Systems of Debian packages that bootlab never saw: `bootlab new --from` once, `bootlab boot --repeat 2`, judged.

The systems are made by first_contact_built.py, first_contact_built_others.py and first_contact_encrypted.py, from
packages of Debian 12, and by first_contact_suites.py, of Debian sid. Needs root (loop devices, chroot), mmdebstrap, KVM
or patience, and the caches of `make kernel` for boards.

    .venv/bin/python benchmarks/first_contact_boots.py FOLDER [--no-boot] [NAME…]
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from benchmarks.first_contact_base import Base, Built, bootlab  # noqa: E402
from benchmarks.first_contact_built import PCS  # noqa: E402
from benchmarks.first_contact_built_others import OTHERS  # noqa: E402
from benchmarks.first_contact_encrypted import ENCRYPTED  # noqa: E402
from benchmarks.first_contact_suites import SUITES  # noqa: E402

from bootlab.builders.cache import Cache  # noqa: E402
from bootlab.errors import UserError  # noqa: E402
from bootlab.formats.archive import unpacked  # noqa: E402
from bootlab.sources.facts import SourceFacts  # noqa: E402
from bootlab.sources.look import Looker  # noqa: E402
from bootlab.systemfile.proposal import propose  # noqa: E402

EVERY = PCS | OTHERS | ENCRYPTED | SUITES
LIMIT_S = 1800


def entry_faults(built: Built, folder: Path) -> list[str]:
    """Return what differs between what bootlab takes and what the firmware would take."""
    looker = Looker(folder / "kept", Cache(folder / "cache"), folder / "unpacked")
    try:
        found = looker.all(list(built.given))
        proposal = propose(found, "it")
    except UserError as error:
        text = f"{error.message} {error.hint}".replace(str(folder), "")
        refused = bool(built.refused) and built.refused.casefold() in text.casefold() and bool(error.hint)
        return ["refused with the way"] if refused else [f"refused: {text}"]
    words = " ".join((*proposal.notes, *proposal.cmdline_notes, *proposal.unknown))
    lines = [] if same_file(found.kernel and found.kernel.path, built.kernel) else ["another kernel"]
    lines += initrd_faults(found, built, folder)
    cmdline = found.entry.cmdline if found.entry is not None else ""
    if cmdline != built.cmdline:
        lines.append(f"command line {cmdline!r}, not {built.cmdline!r}")
    root = found.disk.root if found.disk is not None else None
    if root != built.root:
        lines.append(f"root {root}, not {built.root}")
    lines += [f"says {word!r}" for word in built.never if word in words]
    lines += [f"does not say {word!r}" for word in built.says if word not in words]
    lines += [f"boots without {word!r}" for word in built.keeps if word not in proposal.cmdline]
    return lines + [f"boots with {word!r}" for word in built.loses if word in proposal.cmdline]


def same_file(one: Path | None, other: Path | None) -> bool:
    """Tell whether two files hold the same bytes, or are both not there."""
    return one is other or (one is not None and other is not None and one.read_bytes() == other.read_bytes())


def initrd_faults(found: SourceFacts, built: Built, folder: Path) -> list[str]:
    """Return what is wrong with the initrd: the parts that a loader gives stand one behind another."""
    if found.initramfs is None or not built.initrds:
        return [] if (found.initramfs is None) == (not built.initrds) else ["an initrd, or none"]
    names = set(dict(unpacked(found.initramfs.path, folder / "unpacked").tree.entries))
    lost = [
        part.name for part in built.initrds if not set(dict(unpacked(part, folder / "unpacked").tree.entries)) <= names
    ]
    return [f"without the initrd {', '.join(lost)}"] if lost else []


def goal_faults(built: Built, folder: Path) -> list[str]:
    """Boot the system once by `new` and twice by `boot`; return what is wrong with its goal."""
    given = [word for path in built.given for word in ("--from", str(path))]
    new = bootlab(folder, "new", "it.toml", "--force", *given, limit_s=LIMIT_S)
    code, text = new.returncode, new.stdout + new.stderr
    if code and not (folder / "it.toml").exists():
        return [
            "refused with the way"
            if built.refused and built.refused.casefold() in text.casefold()
            else "refused: " + text[-300:]
        ]
    lines = [f"new: exit code {code}"] if code else []
    goal = tomllib.loads((folder / "it.toml").read_text()).get("goal", {}).get("console", "")
    if not goal or not any(re.search(goal, line, re.MULTILINE) for line in built.goals):
        lines.append(f"goal {goal!r}")
    if built.not_goal and goal and re.search(goal, built.not_goal, re.MULTILINE):
        lines.append(f"goal {goal!r} stands before the application")
    code = bootlab(folder, "boot", "it.toml", "--repeat", "2", limit_s=LIMIT_S).returncode
    return lines + ([] if code == 0 else [f"boot: exit code {code}"])


def main() -> int:
    """Make, boot and judge the systems that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="for base root, images and results; made if it is not there")
    parser.add_argument("--no-boot", action="store_true", help="judge the boot entry alone")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    base, wrong = Base(asked.folder.absolute()), 0
    for name in asked.names or EVERY:
        at = asked.folder.absolute() / name.replace(" ", "-").replace("'", "").replace(",", "")
        shutil.rmtree(at, ignore_errors=True)
        at.mkdir(parents=True)
        built = EVERY[name](base, at)
        faults = entry_faults(built, at)
        if not asked.no_boot and faults[:1] != ["refused with the way"]:
            faults += goal_faults(built, at)
        wrong += bool(faults) and faults != ["refused with the way"]
        print(f"{name}: {'; '.join(faults) or 'right'}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
