# SPDX-License-Identifier: MIT
"""A folder of start scripts on this machine, as a tree whose paths are real: what is merged can be run here."""

import shutil
import subprocess
from pathlib import Path

from bootlab.model.tree import Entry, FileTree
from bootlab.startup import scripts
from bootlab.startup.files import TreeFiles
from bootlab.startup.merge import Merged, merge

BUSYBOX = shutil.which("busybox")
LOOP = """#!{sh}
echo start
for script in {dir}/S??*; do
\t[ -x "$script" ] || continue
\t"$script" start || echo "$script failed"
done
echo "$PWD ${{x-none}} end"
"""


def write(folder: Path, texts: dict[str, str], runner: str = LOOP) -> Path:
    """Write start scripts (`#!` line added) and the script that runs them; return its path."""
    shell = folder / "sh"
    shell.symlink_to(BUSYBOX)
    for name, text in {"rcS": runner.format(sh=shell, dir=folder), **texts}.items():
        path = folder / name
        path.write_text(text if text.startswith("#!") else f"#!{shell}\n{text}")
        path.chmod(0o755)
    return folder / "rcS"


def files(folder: Path) -> TreeFiles:
    """Return the folder as a tree whose root is this machine's."""
    entries = {str(path): Entry(kind="file", mode=0o755, source=str(path)) for path in folder.iterdir()}
    entries[str(folder / "sh")] = Entry(kind="symlink", target=BUSYBOX)
    entries[BUSYBOX] = Entry(kind="file", source=BUSYBOX)
    return TreeFiles(FileTree.of(entries))


def merged(folder: Path, path: Path) -> Merged | None:
    """Return what `rcS` and its scripts merge to."""
    tree = files(folder)
    return merge(tree, scripts.find(tree, str(path)), str(path))


def run(path: Path) -> tuple[str, int]:
    """Run a script by the folder's shell; return what it printed and its status."""
    done = subprocess.run([str(path.parent / "sh"), str(path)], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr, done.returncode
