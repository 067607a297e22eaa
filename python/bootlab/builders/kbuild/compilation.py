# SPDX-License-Identifier: MIT
"""One kernel, from its resolved configuration to the folder of what is booted: compiled on this machine."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache
from bootlab.builders.kbuild import built, objects, overlay, source, toolchain
from bootlab.builders.kbuild.architecture import KbuildArchitecture, architecture
from bootlab.builders.kbuild.built import BuildFacts, BuiltKernel
from bootlab.builders.kbuild.make_run import Make
from bootlab.builders.kbuild.resolved import ResolvedKernel
from bootlab.builders.kbuild.toolchain import Toolchain
from bootlab.builders.kbuild.watched_make import WatchedMake
from bootlab.builders.kbuild.workspace import Workspace
from bootlab.errors import BootlabError, KernelBuildError, cannot_write
from bootlab.kernelsource.configuration import Configuration, read_config
from bootlab.kernelsource.tree import ConfiguredTree
from bootlab.model.source_build import KernelPatch


class Workplace(msgspec.Struct, frozen=True, kw_only=True):
    """Where and how kernels are compiled. `jobs`: compilers at a time.

    `shares`: others build on this machine too. `stop`: ends a build when it is set.
    """

    cache: Cache
    jobs: int
    observer: BuildObserver | None = None
    shares: bool = False
    stop: threading.Event | None = None

    @property
    def root(self) -> Path:
        """Return the folder of all that has to do with kernels."""
        return self.cache.root / "kernels"

    def place(self, key: str) -> Path:
        """Return the folder of a kernel that was built."""
        return self.root / "built" / key

    def work(self, kernel: ResolvedKernel, tools: Toolchain) -> Workspace:
        """Return the object folders that a kernel's build may start from."""
        return Workspace(self.root / "work", kernel.family(ccache=tools.ccache))

    def patched(self, tree: source.SourceTree, patches: tuple[KernelPatch, ...]) -> Path:
        """Return a tree with patches applied. Raise KernelBuildError for one that does not apply."""
        return overlay.patched_tree(tree, patches, self.root / "patched")

    def configured(
        self, kernel: ResolvedKernel, tools: Toolchain, tree: source.SourceTree, configure: Callable[[Make, Path], str]
    ) -> str:
        """Return what is configured in a view of the source that nothing is compiled in."""
        work = Workspace(self.root / "work", f"{kernel.family(ccache=tools.ccache)}-config")
        with work.locked(kernel.patches_key[:16] or "plain") as slot:
            overlay.make_view(self.patched(tree, kernel.patches), slot)
            log = slot / "config.log"
            log.unlink(missing_ok=True)
            call = Make(tree=slot, variables=make_variables(kernel, tools), stop=self.stop)
            return configure(call, log)


def make_variables(kernel: ResolvedKernel, tools: Toolchain) -> dict[str, str]:
    """Return what make is told."""
    return {"ARCH": architecture(kernel.arch).arch} | tools.variables() | dict(kernel.variables)


class Compilation(msgspec.Struct, frozen=True, kw_only=True):
    """One kernel to compile. `stand_ins`: make variables that name this machine's copies of embedded files."""

    kernel: ResolvedKernel
    config: str
    tools: Toolchain
    tree: source.SourceTree
    at: Workplace
    stand_ins: dict[str, str] = {}

    def run(self) -> BuiltKernel:
        """Return the kernel, compiled unless it is in the cache by now; who comes second waits.

        Raise KernelBuildError, ToolMissing, EnvironmentFault, BuildStopped. After any of them the same build goes on
        from the objects that are there.
        """
        options = read_config(self.config)
        toolchain.check_image_tools({f"CONFIG_{name}": value for name, value in options.items()}, self.kernel.image)
        key = self.kernel.key(self.config)
        place, work = self.at.place(key), self.at.work(self.kernel, self.tools)
        with work.locked(key[:16]) as slot:
            return built.load(place) or self._make(work, slot, options, place)

    def _make(self, work: Workspace, slot: Path, options: dict[str, str], place: Path) -> BuiltKernel:
        started = time.monotonic()
        kernel = self.kernel
        target = architecture(kernel.arch)
        image, image_file = target.image_file(kernel.image)
        tree = self.at.patched(self.tree, kernel.patches)
        try:
            slot.mkdir(parents=True, exist_ok=True)
            (slot / "done.json").unlink(missing_ok=True)
            overlay.make_view(tree, slot)
            other_patches, expected = work.start(
                slot, options, kernel.patches_key, lambda: self._objects_expected(target, options)
            )
            if other_patches:
                overlay.touch_patched(tree, kernel.patches)
            dot_config = slot / overlay.OBJECTS / ".config"
            if not dot_config.is_file() or dot_config.read_text(encoding="utf-8", errors="replace") != self.config:
                dot_config.write_text(self.config, encoding="utf-8")
            log = slot / "build.log"
            log.unlink(missing_ok=True)
            count = self._run_make(slot, target, options, log, expected)
            facts = BuildFacts(
                arch=kernel.arch,
                image=image,
                source=kernel.version,
                compiler=self.tools.version,
                sizes_bytes={},
                asked=kernel.asked,
                objects=work.finish(slot, options, kernel.patches_key),
                objects_built=count,
                wall_s=round(time.monotonic() - started, 3),
            )
            sizes = objects.record(slot / overlay.OBJECTS, options, image)
            return built.keep(slot, image_file, log, facts, target, place, sizes=sizes)
        except KernelBuildError:
            # What was compiled before the mistake is as good as that of any other build: the next one starts from it.
            work.finish(slot, options, kernel.patches_key)
            raise
        except OSError as error:
            raise cannot_write(
                f"the kernel cannot be built in {slot}",
                error,
                self.at.root,
                besides="the next run continues from there",
            ) from error

    def _objects_expected(self, target: KbuildArchitecture, options: dict[str, str]) -> int | None:
        # Only progress needs it, and reading all Makefiles takes seconds.
        if self.at.observer is None:
            return None
        config = Configuration({name: value.strip('"') for name, value in options.items()})
        try:
            tree = ConfiguredTree(self.tree.path, cache=self.at.cache.root, arch=target.folder, configuration=config)
            return len(tree.built_objects()) or None
        except (BootlabError, OSError):
            return None

    def _run_make(
        self, slot: Path, target: KbuildArchitecture, options: dict[str, str], log: Path, expected: int | None
    ) -> int:
        """Run make for all that is wanted; return how many objects it made."""
        kernel = self.kernel
        variables = make_variables(kernel, self.tools) | self.stand_ins
        if options.get("DEBUG_INFO") == "y":
            same = f"-fdebug-prefix-map={slot / overlay.OBJECTS}=."
            for name in ("KCFLAGS", "KAFLAGS"):
                variables[name] = f"{variables.get(name, '')} {same}".strip()
        call = Make(tree=slot, variables=variables, jobs=self.at.jobs, shares=self.at.shares, stop=self.at.stop)
        targets = [kernel.image, *(["dtbs"] if target.device_trees and options.get("OF") == "y" else [])]
        has_modules = kernel.modules and "m" in options.values()
        targets += ["modules"] if has_modules else []
        with WatchedMake(
            "the kernel",
            f"kernel {kernel.version} {kernel.arch} {kernel.image}",
            log,
            self.at.observer,
            root=self.at.root,
            fault=KernelBuildError,
            expected=expected,
        ) as make:
            make.run(call, tuple(targets))
            shutil.rmtree(slot / "modules", ignore_errors=True)
            if has_modules:
                depmod = {} if shutil.which("depmod") else {"DEPMOD": "true"}
                install = msgspec.structs.replace(
                    call, variables=variables | {"INSTALL_MOD_PATH": str(slot / "modules")} | depmod
                )
                make.run(install, ("modules_install",))
                for link in (slot / "modules").glob("lib/modules/*/[bs][uo]*"):
                    if link.name in {"build", "source"}:
                        link.unlink()
            return make.made
