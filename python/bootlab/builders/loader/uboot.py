# SPDX-License-Identifier: MIT
"""The builder of U-Boot: source tree and configuration to the image for the card, once for each content."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import msgspec

from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache, key_of
from bootlab.builders.kbuild import configuration, overlay, toolchain
from bootlab.builders.kbuild.architecture import KbuildArchitecture, architecture
from bootlab.builders.kbuild.configuration import LostOption
from bootlab.builders.kbuild.fragment import Layer, of_options, read_fragment
from bootlab.builders.kbuild.make_run import Make
from bootlab.builders.kbuild.source import SourceTree
from bootlab.builders.kbuild.toolchain import Toolchain
from bootlab.builders.kbuild.watched_make import WatchedMake
from bootlab.builders.kbuild.workspace import Workspace
from bootlab.builders.loader import built, source
from bootlab.builders.loader.built import BuiltLoader, LoaderFacts
from bootlab.builders.loader.options import ENVIRONMENT_FILE
from bootlab.errors import KernelBuildError, LoaderBuildError, ToolMissing, UserError, cannot_write
from bootlab.kernelsource.configuration import read_config
from bootlab.model.boot_loader import NO_BOARD, LoaderBoard, LoaderBuild
from bootlab.model.source_build import KernelPatch, Options

_VERSION = 1
"""Raise it when the same request shall give another U-Boot than before."""

# A tool for this machine that no board needs: it would take the headers of GnuTLS (mkimage does take OpenSSL's).
_WITHOUT_TOOLS = (("TOOLS_MKEFICAPSULE", "n"),)
# bootlab puts the parts together itself: so binman and its Python modules are not built.
_VARIABLES = {"CONFIG_PYLIBFDT": ""}
_DATE = {"SOURCE_DATE_EPOCH": "1767225600"}
# By architecture: the patch, the file that it is about, and what stands in a tree that has it.
_FALCON_PATCHES = {
    "arm": ("falcon-sunxi.patch", "board/sunxi/board.c", "spl_start_uboot"),
    "riscv64": ("falcon-riscv-virt.patch", "board/emulation/qemu-riscv/Kconfig", "SPL_FALCON_RAM"),
}


class _Request(msgspec.Struct, frozen=True, kw_only=True):
    build: LoaderBuild
    board: LoaderBoard
    target: KbuildArchitecture
    tools: Toolchain
    tree: SourceTree
    patches: tuple[KernelPatch, ...]
    layers: tuple[Layer, ...]
    own_layers: int
    """How many of them are the system file's; what changes ask for comes behind."""
    environment: str

    @property
    def patched(self) -> str:
        return key_of(*self.patches) if self.patches else ""

    @property
    def family(self) -> str:
        return key_of("uboot", self.tree.identity, self.target.name, self.tools.identity, self.tools.ccache)[:16]


class UbootBuilder:
    """Builds U-Boot below `cache.root/loaders`. Safe with several processes at once: one builds, the others wait."""

    def __init__(self, cache: Cache, *, jobs: int | None = None, observer: BuildObserver | None = None) -> None:
        """Use a cache; `jobs` compilers at a time (default: one a core)."""
        self._cache = cache
        self._root = cache.root / "loaders"
        self._jobs = jobs or len(os.sched_getaffinity(0))
        self._observer = observer

    def build(
        self,
        build: LoaderBuild,
        board: LoaderBoard,
        arch: str,
        start: Options = (),
        *,
        environment: str = "",
        falcon: bool = False,
    ) -> BuiltLoader:
        """Return the U-Boot of a request, built unless it is in the cache.

        `start`: the options of the way in which it comes to the kernel; they stand before those of changes.
        `environment`: its default environment, "" for its own. `falcon`: its SPL shall be able to start a kernel.

        Raise LoaderBuildError for what cannot be configured or compiled, UserError, SourceMissing, ToolMissing,
        EnvironmentFault. After any of them the same call goes on from the objects that are there.
        """
        request = self._look_up(build, board, arch, start, environment, falcon=falcon)
        config = self._config(request).read_text(encoding="utf-8")
        key = key_of(
            "uboot",
            _VERSION,
            request.tree.identity,
            request.patched,
            arch,
            request.tools.identity,
            config,
            environment,
            board.parts,
        )
        place = self._root / "built" / key
        there = built.load(place)
        if there is not None:
            return there
        work = Workspace(self._root / "work", request.family)
        with work.locked(key[:16]) as slot:
            return built.load(place) or self._make(request, work, slot, config, place)

    def _look_up(
        self, build: LoaderBuild, board: LoaderBoard, arch: str, start: Options, environment: str, *, falcon: bool
    ) -> _Request:
        if not build.base:
            raise UserError(
                NO_BOARD,
                hint='add to [loader]: defconfig = "orangepi_pc_defconfig" (look into configs/ of the source)',
            )
        target = architecture(arch)
        tree = source.find(build.source, self._cache)
        layers = [of_options(_WITHOUT_TOOLS, "bootlab's build of U-Boot")]
        layers += [read_fragment(Path(path)) for path in build.fragments]
        layers += [of_options(build.options, "loader.options")] if build.options else []
        own_layers = len(layers)
        layers += [of_options(start, "the way in which it starts the kernel")] if start else []
        layers += [of_options(change, "a change") for change in build.changes]
        own = _falcon_patch(tree, arch) if falcon else ()
        return _Request(
            build=build,
            board=board,
            target=target,
            tools=_tools(target, build.compiler),
            tree=tree,
            patches=(*build.patches, *own),
            layers=tuple(layers),
            own_layers=own_layers,
            environment=environment,
        )

    def _tree(self, request: _Request) -> Path:
        try:
            return overlay.patched_tree(request.tree, request.patches, self._root / "patched")
        except KernelBuildError as fault:
            raise LoaderBuildError(fault.message, hint=fault.hint) from fault

    def _config(self, request: _Request) -> Path:
        """Return the file of a resolved configuration.

        What a change takes away from the system file's options was asked for: these must hold before it, and it after.
        """
        base = request.build.base
        key = key_of(
            "uboot-config",
            _VERSION,
            request.tree.identity,
            request.patched,
            request.target.name,
            request.tools.identity,
            self._cache.digest(Path(base)) if base.startswith("/") else base,
            [list(layer.options.items()) for layer in request.layers],
        )

        def make(path: Path) -> None:
            if len(request.layers) > request.own_layers:
                self._config(msgspec.structs.replace(request, layers=request.layers[: request.own_layers]))
            work = Workspace(self._root / "work", f"{request.family}-config")
            with work.locked(request.patched[:16] or "plain") as slot:
                overlay.make_view(self._tree(request), slot)
                log = slot / "config.log"
                log.unlink(missing_ok=True)
                call = Make(tree=slot, variables=self._variables(request))
                try:
                    text = configuration.resolve(call, base, request.layers, log, why=_why)
                except KernelBuildError as fault:
                    raise LoaderBuildError(
                        f"U-Boot: {fault.message}", hint="also set what it depends on, or leave it out"
                    ) from fault
                path.write_text(text, encoding="utf-8")

        return self._cache.file(key, ".loader.config", make)

    def _variables(self, request: _Request) -> dict[str, str]:
        return request.tools.variables() | _VARIABLES

    def _make(self, request: _Request, work: Workspace, slot: Path, config: str, place: Path) -> BuiltLoader:
        started = time.monotonic()
        options = read_config(config)
        tree = self._tree(request)
        try:
            slot.mkdir(parents=True, exist_ok=True)
            (slot / "done.json").unlink(missing_ok=True)
            overlay.make_view(tree, slot)
            other_patches, _ = work.start(slot, options, request.patched, lambda: None)
            if other_patches:
                overlay.touch_patched(tree, request.patches)
            objects = slot / overlay.OBJECTS
            _write_if_other(objects / ".config", config)
            _write_if_other(objects / ENVIRONMENT_FILE, request.environment)
            log = slot / "build.log"
            log.unlink(missing_ok=True)
            self._run(request, slot, log)
            work.finish(slot, options, request.patched)
            facts = LoaderFacts(
                source=request.tree.version,
                compiler=request.tools.version,
                sizes_bytes={},
                asked=tuple(f"{name}={value}" for change in request.build.changes for name, value in change),
                wall_s=round(time.monotonic() - started, 3),
            )
            return built.keep(slot, log, facts, request.board, place, prefix=request.tools.prefix)
        except OSError as error:
            raise cannot_write(
                f"U-Boot cannot be built in {slot}", error, self._root, besides="the next run continues from there"
            ) from error

    def _run(self, request: _Request, slot: Path, log: Path) -> None:
        call = Make(tree=slot, variables=self._variables(request), jobs=self._jobs)
        label = f"U-Boot {request.tree.version} {request.build.base}"
        wanted = tuple(name for name, _ in request.board.parts)
        with WatchedMake("U-Boot", label, log, self._observer, root=self._root, fault=LoaderBuildError) as make:
            make.run(call, wanted, extra=_DATE)


def _tools(target: KbuildArchitecture, prefix: str | None) -> Toolchain:
    for tool, package in (("dtc", "device-tree-compiler"), ("xxd", "xxd"), ("setpriv", "util-linux")):
        if shutil.which(tool) is None:
            raise ToolMissing(tool, package=package, needed_for="to build U-Boot")
    return toolchain.find(target, prefix)


def _falcon_patch(tree: SourceTree, arch: str) -> tuple[KernelPatch, ...]:
    """Return what U-Boot lacks for falcon mode on this board; nothing for a tree that has it."""
    name, file, sign = _FALCON_PATCHES.get(arch, ("", "", ""))
    board = tree.path / file
    if not name or not board.is_file() or sign in board.read_text(encoding="utf-8", errors="replace"):
        return ()
    return (KernelPatch(name=name, text=Path(__file__).with_name(name).read_text(encoding="utf-8")),)


def _why(lost: LostOption, config: dict[str, str]) -> str:
    del config
    return f"the Kconfig files say what {lost.name} depends on"


def _write_if_other(path: Path, text: str) -> None:
    # What make sees as newer it builds again.
    if not path.is_file() or path.read_text(encoding="utf-8", errors="replace") != text:
        path.write_text(text, encoding="utf-8")
