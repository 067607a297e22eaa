# SPDX-License-Identifier: MIT
"""A kernel that another machine ordered, built here: the same one to the byte, or none."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache, key_of
from bootlab.builders.kbuild import configuration, toolchain
from bootlab.builders.kbuild.architecture import architecture
from bootlab.builders.kbuild.built import BuiltKernel
from bootlab.builders.kbuild.compilation import Compilation, Workplace
from bootlab.builders.kbuild.resolved import ResolvedKernel, embedded_names
from bootlab.builders.kbuild.source import SourceTree
from bootlab.builders.kbuild.toolchain import Toolchain
from bootlab.errors import EnvironmentFault
from bootlab.kernelsource.configuration import read_config

_SHOWN_LINES = 3


class OtherKernel(EnvironmentFault):
    """This machine would build another kernel than the one that was ordered."""


def check_tools(kernel: ResolvedKernel) -> Toolchain:
    """Return the compiler that a kernel was ordered with. Raise OtherKernel or ToolMissing where it is not here."""
    tools = toolchain.find(architecture(kernel.arch), kernel.compiler)
    if tools.version != kernel.toolchain:
        raise OtherKernel(
            f"{socket.gethostname()} has {tools.version}, the kernel was ordered with {kernel.toolchain}",
            hint="install the same compiler on all machines: another one makes another kernel",
        )
    return tools


def build_ordered(
    kernel: ResolvedKernel, config: str, tree: SourceTree, at: Workplace, embedded: Mapping[str, Path]
) -> BuiltKernel:
    """Return an ordered kernel, built unless it is in the cache. `embedded`: this machine's copies of embedded files.

    Raise OtherKernel where this machine's tools make another kernel of it, and what compiling raises.
    """
    tools = check_tools(kernel)
    options = read_config(config)
    # Before anything is compiled: what the kernel's own tools find here may change the configuration.
    own = at.configured(kernel, tools, tree, lambda call, log: configuration.renewed(call, config, log))
    here = msgspec.structs.replace(kernel, toolchain=tools.version, identity=tree.identity)
    if here.key(own) != kernel.key(config):
        lines = sorted(set(config.splitlines()) ^ set(own.splitlines()))
        raise OtherKernel(
            f"{socket.gethostname()} makes another configuration of it: {', '.join(lines[:_SHOWN_LINES])}",
            hint="install the same packages on all machines (docs/how-to/many-machines.md)",
        )
    stand_ins = _stand_ins(options, _placed(kernel, embedded, at.cache)) if kernel.embedded else {}
    return Compilation(kernel=kernel, config=config, tools=tools, tree=tree, at=at, stand_ins=stand_ins).run()


def _placed(kernel: ResolvedKernel, copies: Mapping[str, Path], cache: Cache) -> Path:
    """Return a folder that holds the embedded files under the paths that they have on the machine that ordered."""
    root = cache.root / "kernels" / "embedded" / key_of(kernel.embedded)[:16]
    for path, mode, _ in kernel.embedded:
        final = root / path.lstrip("/")
        if final.is_file():
            continue
        final.parent.mkdir(parents=True, exist_ok=True)
        handle, fresh = tempfile.mkstemp(dir=cache.root / "new")
        os.close(handle)
        shutil.copyfile(copies[path], fresh)
        Path(fresh).chmod(mode & 0o7777)
        Path(fresh).replace(final)
    return root


def _stand_ins(options: dict[str, str], root: Path) -> dict[str, str]:
    """Return make variables that take the place of the configuration's, whose paths are of another machine."""
    found: dict[str, str] = {}
    if options.get("INITRAMFS_SOURCE", '""') != '""':
        names = options["INITRAMFS_SOURCE"].strip('"').split()
        found["CONFIG_INITRAMFS_SOURCE"] = " ".join(f"{root}{name}" for name in names)
    if len(embedded_names(options)) > len(options.get("INITRAMFS_SOURCE", '""').strip('"').split()):
        found["CONFIG_EXTRA_FIRMWARE_DIR"] = f"{root}{options['EXTRA_FIRMWARE_DIR'].strip(chr(34))}"
    return found
