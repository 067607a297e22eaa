# SPDX-License-Identifier: MIT
"""A tree as a folder on disk, made and packed below fakeroot: for image programs that only read folders."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

from bootlab.builders.images import archive_stream, tool
from bootlab.model.tree import FileTree


def pack(
    tree: FileTree,
    image: Path,
    command: list[str],
    *,
    needed_for: str,
    environ: dict[str, str],
    preload: dict[str, str] | None = None,
    onto: bool = False,
) -> int:
    """Run a program on a folder that holds the tree; return the image's size in bytes.

    In the command's words `{root}` stands for the folder and `{image}` for the image. Device nodes and owners exist for
    fakeroot's processes alone. `preload`: search paths that the program gets before fakeroot's own. `onto`: the
    image is there already. Raise ToolMissing, EnvironmentFault, UserError.
    """
    fakeroot = tool.find("fakeroot", "fakeroot", needed_for)
    with tempfile.TemporaryDirectory(prefix="bootlab-root-", dir=image.parent) as work:
        archive, root = Path(work, "root.tar"), Path(work, "root")
        with archive.open("wb") as out:
            archive_stream.write(tree, out)
        before = "".join(f'{key}={shlex.quote(value)}:"${key}" ' for key, value in (preload or {}).items())
        words = before + shlex.join([word.format(root=root, image=image) for word in command])
        unpack = f"mkdir {shlex.quote(str(root))} && tar -xpf {shlex.quote(str(archive))} -C {shlex.quote(str(root))}"
        remove = f"chmod -R u+rwX {shlex.quote(str(root))}"
        if not onto:
            image.unlink(missing_ok=True)
        tool.run([fakeroot, "sh", "-c", f"{unpack} && {words} && {remove}"], environ=environ)
    return image.stat().st_size
