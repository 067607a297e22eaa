# SPDX-License-Identifier: MIT
"""A view of a source tree in which objects can lie and files can be patched, without a byte written into the tree.

A view is a folder of links. The objects lie in `obj` below it: then kbuild names every source file `../FILE`, wherever
the view is, so that objects can be copied from one view to another, and no path of this machine gets into the kernel.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from bootlab.builders.cache import key_of
from bootlab.builders.kbuild.source import SourceTree
from bootlab.errors import KernelBuildError, ToolMissing, UserError
from bootlab.model.source_build import KernelPatch

OBJECTS = "obj"
_SKIPPED = frozenset({".git", OBJECTS})
_TARGET = re.compile(r"^(?:---|\+\+\+) (?:[^/\s]+/)([^\t\n]+)", re.MULTILINE)


def make_view(tree: Path, view: Path) -> None:
    """Link everything at a tree's top into a folder; a link that is there already is set anew."""
    view.mkdir(parents=True, exist_ok=True)
    for entry in tree.iterdir():
        link = view / entry.name
        if entry.name not in _SKIPPED and not (link.is_symlink() and link.readlink() == entry):
            link.unlink(missing_ok=True)
            link.symlink_to(entry)


def patched_tree(source: SourceTree, patches: tuple[KernelPatch, ...], store: Path) -> Path:
    """Return a tree with patches applied: folders of links, and real files where a patch changed them.

    Every folder is a real one, since `#include "../x.h"` inside a linked folder would reach the unpatched file. Raise
    KernelBuildError for a patch that does not apply.
    """
    if not patches:
        return source.path
    if shutil.which("patch") is None:
        raise ToolMissing("patch", package="patch", needed_for="to patch a source tree")
    folder = store / key_of("patched", source.identity, *patches)[:16]
    if folder.is_dir():
        return folder
    store.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".new-", dir=store))
    try:
        _link_all(source.path, work)
        for patch in patches:
            _apply(patch, source, work)
        work.chmod(0o755)
        try:
            work.rename(folder)
        except OSError:
            # Another process was faster with the same patches.
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return folder


def touch_patched(tree: Path, patches: tuple[KernelPatch, ...]) -> None:
    """Make patched files newer than every object, so that objects of an unpatched tree are not taken for theirs."""
    for name in {name for patch in patches for name in _names(patch)}:
        path = tree / name
        if path.is_file() and not path.is_symlink():
            os.utime(path)


def _link_all(tree: Path, work: Path) -> None:
    for folder, folders, files in os.walk(tree):
        real = Path(folder)
        here = work / real.relative_to(tree)
        folders[:] = [name for name in folders if not (real == tree and name in _SKIPPED)]
        for name in [*folders, *files]:
            if name in folders and not (real / name).is_symlink():
                (here / name).mkdir()
            else:
                (here / name).symlink_to(real / name)


def _names(patch: KernelPatch) -> list[str]:
    return [name for name in _TARGET.findall(patch.text) if ".." not in Path(name).parts and not name.startswith("/")]


def _apply(patch: KernelPatch, source: SourceTree, work: Path) -> None:
    names = _names(patch)
    if not names:
        raise UserError(f"{patch.name} is not a patch: it names no file", hint="make one with: diff -u, or git diff")
    for name in names:
        # The patched file must be a file of our own: the link leads into the user's tree.
        path = work / name
        if path.is_symlink() and path.is_file():
            real = path.resolve()
            path.unlink()
            shutil.copyfile(real, path)
            shutil.copymode(real, path)
    done = subprocess.run(
        ["patch", "-p1", "--batch", "--forward", "--fuzz=0", "--no-backup-if-mismatch", "--reject-file=-"],
        cwd=work,
        input=patch.text.encode("utf-8", "surrogateescape"),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        said = (done.stdout + done.stderr).decode("utf-8", "replace").strip().splitlines()
        failed = next((line for line in said if re.search(r"FAILED|malformed|can't find|Reversed|ignored", line)), "")
        raise KernelBuildError(
            f"{patch.name} does not apply to {source.path} ({source.version}): {failed or ' '.join(said)[-200:]}",
            hint=f"try it by hand: patch -p1 --dry-run -d {source.path} < {patch.name}",
        )
