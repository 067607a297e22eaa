# SPDX-License-Identifier: MIT
"""A kernel's source as one file, for machines that do not have it: Debian's own archive, or one made of a tree."""

from __future__ import annotations

from pathlib import Path

from bootlab.builders.cache import Cache, key_of
from bootlab.builders.kbuild import source
from bootlab.builders.kbuild.architecture import architecture
from bootlab.builders.kbuild.resolved import ResolvedKernel
from bootlab.builders.kbuild.tar import tar
from bootlab.errors import BootlabError, EnvironmentFault
from bootlab.model.system import debian_version

_FORM = 1
"""Raise it when the same tree shall be packed in another way than before."""

# Nothing that is compiled depends on the times of source files, and make needs them to be past.
_SAME = ("--sort=name", "--mtime=@1577836800", "--owner=0", "--group=0", "--numeric-owner", "--exclude=./.git")


def packed(kernel: ResolvedKernel, tree: Path, cache: Cache) -> Path:
    """Return a file with all of a kernel's source, made once for each content. Raise EnvironmentFault."""
    version = debian_version(kernel.source)
    if version is not None:
        return source.debian_archive(version)

    def make(path: Path) -> None:
        said = tar(*_SAME, "--use-compress-program=gzip -1", "-cf", str(path), "-C", str(tree), ".")
        if said:
            raise EnvironmentFault(
                f"{tree} cannot be packed for the workers: {said[-300:]}",
                hint=f"is there room for it? df -h {cache.root}",
            )

    return cache.file(key_of("source-archive", _FORM, kernel.identity), ".tar.gz", make)


def found_here(kernel: ResolvedKernel, cache: Cache) -> source.SourceTree | None:
    """Return a kernel's source where this machine has the same one under the same name; None where it has not."""
    version = debian_version(kernel.source)
    try:
        if version is not None:
            archive = source.debian_archive(version)
            if not archive.is_file() or cache.digest(archive) != kernel.identity:
                return None
        elif not Path(kernel.source).is_dir():
            return None
        tree = source.find(kernel.source, cache, arch_folder=architecture(kernel.arch).folder)
    except BootlabError:
        return None
    return tree if tree.identity == kernel.identity else None


def unpacked(kernel: ResolvedKernel, archive: Path, sha256: str, cache: Cache) -> source.SourceTree:
    """Return a kernel's source out of the file that another machine packed. Raise EnvironmentFault."""
    tree = source.unpacked(archive, sha256, cache)
    return source.SourceTree(path=tree, identity=kernel.identity, version=source.version_of(tree))
