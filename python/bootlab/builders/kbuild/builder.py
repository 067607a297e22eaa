"""The kernel builder: source tree and configuration to images, once for each content."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache, key_of
from bootlab.builders.kbuild import built, configuration, objects, overlay, source, toolchain
from bootlab.builders.kbuild.architecture import Architecture, architecture
from bootlab.builders.kbuild.built import BuiltKernel, KernelFacts
from bootlab.builders.kbuild.fragment import Layer, merge, of_options, read_fragment
from bootlab.builders.kbuild.make_run import Make
from bootlab.builders.kbuild.objects import ObjectSizes
from bootlab.builders.kbuild.reasons import Reasons
from bootlab.builders.kbuild.toolchain import Toolchain
from bootlab.builders.kbuild.watched_make import WatchedMake
from bootlab.builders.kbuild.workspace import Workspace
from bootlab.errors import BootlabError, KernelBuildError, UserError, cannot_write
from bootlab.kernelsource.configuration import Configuration, read_config
from bootlab.kernelsource.tree import SourceTree
from bootlab.model.system import KernelBuild

_VERSION = 1
"""Raise it when the same request shall give another kernel than before."""

_OWN_VARIABLES = frozenset({"O", "ARCH", "CROSS_COMPILE", "CC", "KBUILD_OUTPUT", "INSTALL_MOD_PATH", "M"})


class _Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request with everything looked up that decides what comes out."""

    build: KernelBuild
    target: Architecture
    tools: Toolchain
    tree: source.SourceTree
    layers: tuple[Layer, ...]
    patches: str

    @property
    def family(self) -> str:
        return key_of(self.tree.identity, self.target.name, self.tools.identity, self.tools.ccache)[:16]


class KernelSizes(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel with its objects' sizes; `tree` and `srcarch` name the source that it was built from."""

    kernel: BuiltKernel
    objects: ObjectSizes
    tree: Path
    srcarch: str


class KernelBuilder:
    """Builds kernels below `cache.root/kernels`. Safe with several processes at once: one builds, the others wait."""

    def __init__(self, cache: Cache, *, jobs: int | None = None, observer: BuildObserver | None = None) -> None:
        """Use a cache; `jobs` compilers at a time (default: one a core)."""
        self._cache = cache
        self._root = cache.root / "kernels"
        self._jobs = jobs or len(os.sched_getaffinity(0))
        self._observer = observer

    def config(self, build: KernelBuild, arch: str, initramfs: Path | None = None) -> str:
        """Return the `.config` that a request comes to. Raise UserError, ToolMissing, EnvironmentFault."""
        request = self._look_up(build, arch, initramfs)
        return self._config(request).read_text(encoding="utf-8")

    def settled(self, build: KernelBuild, arch: str, options: tuple[tuple[str, str], ...]) -> dict[str, str]:
        """Return the options (without `CONFIG_`) that come out of asking for some on top of a build, as asked or not.

        Seconds, and nothing is compiled. Raise what `config` raises, but for options that did not take effect.
        """
        request = self._look_up(build, arch, None)
        layers = (*self._without_modules(request), of_options(options, "a question"))
        text = self._in_config_folder(
            request, lambda call, log: configuration.resolve(call, build.base, layers, log, why=None)
        )
        return read_config(text)

    def build(self, build: KernelBuild, arch: str, initramfs: Path | None = None) -> BuiltKernel:
        """Return the kernel of a request, built unless it is in the cache.

        Raise KernelBuildError for what cannot be configured or compiled, UserError for other mistakes, ToolMissing,
        EnvironmentFault for a full disk. After any of them, and after Ctrl-C, the same call goes on from the objects
        that are there.
        """
        request = self._look_up(build, arch, initramfs)
        image, image_file = request.target.image_file(build.image)
        config_file = self._config(request)
        config = config_file.read_text(encoding="utf-8")
        options = read_config(config)
        key = key_of(
            "kernel",
            _VERSION,
            request.tree.identity,
            request.patches,
            request.target.name,
            request.tools.identity,
            image,
            config,
            self._embedded(options),
            build.variables,
            *(() if build.modules else ("no modules",)),
        )
        place = self._root / "built" / key
        there = built.load(place)
        if there is not None:
            return there
        toolchain.check_image_tools({f"CONFIG_{name}": value for name, value in options.items()}, image)
        work = Workspace(self._root / "work", request.family)
        with work.locked(key[:16]) as slot:
            return built.load(place) or self._make(request, work, slot, (image, image_file), config, place)

    def source_tree(self, build: KernelBuild, arch: str) -> Path:
        """Return the source that is compiled, patches applied. Raise UserError, ToolMissing, KernelBuildError."""
        tree = source.find(build.source, self._cache, arch_folder=architecture(arch).folder)
        return overlay.patched_tree(tree, build.patches, self._root / "patched")

    def sizes(self, build: KernelBuild, arch: str, initramfs: Path | None = None) -> KernelSizes:
        """Return what each object adds to a request's kernel, which is built unless it is in the cache.

        Raise what `build` raises, and UserError for a kernel that older builds left without its objects.
        """
        kernel = self.build(build, arch, initramfs)
        request = self._look_up(build, arch, initramfs)
        found = objects.load(kernel.folder)
        if found is None:
            work = Workspace(self._root / "work", request.family)
            with work.locked(kernel.folder.name[:16]) as slot:
                config = read_config(kernel.config.read_text(encoding="utf-8"))
                found = objects.record(slot / overlay.OBJECTS, config, kernel.facts.image)
                if found is not None:
                    objects.save(found, kernel.folder)
        if found is None:
            raise UserError(
                "this kernel's objects are gone, and their sizes were not recorded",
                hint=f"build it again: rm -r {kernel.folder}",
            )
        return KernelSizes(kernel=kernel, objects=found, tree=request.tree.path, srcarch=request.target.folder)

    def _look_up(self, build: KernelBuild, arch: str, initramfs: Path | None) -> _Request:
        target = architecture(arch)
        target.image_file(build.image)
        for name, _ in build.variables:
            if name in _OWN_VARIABLES or not name.isidentifier():
                raise UserError(f"kernel.variables: {name} cannot be set here", hint="KCFLAGS and KAFLAGS can")
        layers = [read_fragment(Path(path)) for path in build.fragments]
        if build.options:
            layers.append(of_options(build.options, "kernel.options"))
        # Before the changes: options of how it is compressed are there only once there is one.
        if build.embed_initramfs and initramfs is not None:
            layers.append(of_options((("INITRAMFS_SOURCE", f'"{initramfs}"'),), "the embedded initramfs"))
        layers += [of_options(change, "a change") for change in build.changes]
        return _Request(
            build=build,
            target=target,
            tools=toolchain.find(target, build.compiler),
            tree=source.find(build.source, self._cache, arch_folder=target.folder),
            layers=tuple(layers),
            patches=key_of(*build.patches) if build.patches else "",
        )

    def _tree(self, request: _Request) -> Path:
        return overlay.patched_tree(request.tree, request.build.patches, self._root / "patched")

    def _config(self, request: _Request) -> Path:
        """Return the file of a resolved configuration. Each layer is a result of its own, kept like every other."""
        base = request.build.base
        layers = self._without_modules(request)
        key = key_of(
            "kernel-config",
            _VERSION,
            request.tree.identity,
            request.patches,
            request.target.name,
            request.tools.identity,
            request.tools.plugins,
            self._cache.digest(Path(base)) if base.startswith("/") else base,
            [list(layer.options.items()) for layer in layers],
        )

        def make(path: Path) -> None:
            toolchain.check_plugins(request.tools, merge(layers))
            why = Reasons(self._tree(request), request.target).why
            text = self._in_config_folder(
                request, lambda call, log: configuration.resolve(call, base, layers, log, why=why)
            )
            # What a later layer takes away from an earlier one was asked for: each must hold where it is the last. One
            # that holds in the end needs no run of its own: of thirty changes together that is nearly every one.
            got = read_config(text)
            for number, layer in enumerate(request.layers[:-1], 1):
                if not configuration.holds(layer, got):
                    self._config(msgspec.structs.replace(request, layers=request.layers[:number]))
            path.write_text(text, encoding="utf-8")

        return self._cache.file(key, ".config", make)

    def _in_config_folder(self, request: _Request, configure: Callable[[Make, Path], str]) -> str:
        """Return what is configured in a view of the source that nothing is compiled in."""
        work = Workspace(self._root / "work", f"{request.family}-config")
        with work.locked(request.patches[:16] or "plain") as slot:
            overlay.make_view(self._tree(request), slot)
            log = slot / "config.log"
            log.unlink(missing_ok=True)
            return configure(Make(tree=slot, variables=self._variables(request)), log)

    def _without_modules(self, request: _Request) -> tuple[Layer, ...]:
        """Return the layers, each one that switches modules off behind one that leaves out what is a module there.

        The kernel's own tool would build all of that in.
        """
        found: list[Layer] = []
        for number, layer in enumerate(request.layers):
            if layer.options.get("MODULES") == "n":
                before = self._config(msgspec.structs.replace(request, layers=request.layers[:number]))
                modules = [n for n, value in read_config(before.read_text(encoding="utf-8")).items() if value == "m"]
                found += [of_options([(name, "n") for name in modules], "what was a module")] if modules else []
            found.append(layer)
        return tuple(found)

    def _variables(self, request: _Request) -> dict[str, str]:
        return {"ARCH": request.target.arch} | request.tools.variables() | dict(request.build.variables)

    def _embedded(self, options: dict[str, str]) -> tuple[object, ...]:
        """Return what identifies the files that a configuration takes into the kernel."""
        names = options.get("INITRAMFS_SOURCE", '""').strip('"').split()
        folder = options.get("EXTRA_FIRMWARE_DIR", '""').strip('"')
        names += [f"{folder}/{name}" for name in options.get("EXTRA_FIRMWARE", '""').strip('"').split()]
        found: list[object] = []
        for name in names:
            path = Path(name)
            if not path.is_absolute():
                raise UserError(
                    f"{name}: a file that is built into the kernel needs an absolute path",
                    hint="write one in INITRAMFS_SOURCE or EXTRA_FIRMWARE_DIR",
                )
            files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
            found += [(str(file), file.stat().st_mode, self._cache.digest(file)) for file in files]
        return tuple(found)

    def _make(
        self,
        request: _Request,
        work: Workspace,
        slot: Path,
        image: tuple[str, str],
        config: str,
        place: Path,
    ) -> BuiltKernel:
        started = time.monotonic()
        options = read_config(config)
        tree = self._tree(request)
        try:
            slot.mkdir(parents=True, exist_ok=True)
            (slot / "done.json").unlink(missing_ok=True)
            overlay.make_view(tree, slot)
            other_patches, expected = work.start(
                slot, options, request.patches, lambda: self._objects_expected(request, options)
            )
            if other_patches:
                overlay.touch_patched(tree, request.build.patches)
            dot_config = slot / overlay.OBJECTS / ".config"
            if not dot_config.is_file() or dot_config.read_text(encoding="utf-8", errors="replace") != config:
                dot_config.write_text(config, encoding="utf-8")
            log = slot / "build.log"
            log.unlink(missing_ok=True)
            count = self._run(request, slot, image[0], options, log, expected)
            facts = KernelFacts(
                arch=request.target.name,
                image=image[0],
                source=request.tree.version,
                compiler=request.tools.version,
                sizes_bytes={},
                asked=tuple(f"{name}={value}" for change in request.build.changes for name, value in change),
                objects=work.finish(slot, options, request.patches),
                objects_built=count,
                wall_s=round(time.monotonic() - started, 3),
            )
            sizes = objects.record(slot / overlay.OBJECTS, options, image[0])
            return built.keep(slot, image[1], log, facts, request.target, place, sizes=sizes)
        except KernelBuildError:
            # What was compiled before the mistake is as good as that of any other build: the next one starts from it.
            work.finish(slot, options, request.patches)
            raise
        except OSError as error:
            raise cannot_write(
                f"the kernel cannot be built in {slot}",
                error,
                self._root,
                besides="the next run continues from there",
            ) from error

    def _objects_expected(self, request: _Request, options: dict[str, str]) -> int | None:
        # Only progress needs it, and reading all Makefiles takes seconds.
        if self._observer is None:
            return None
        config = Configuration({name: value.strip('"') for name, value in options.items()})
        arch = request.target.folder
        try:
            tree = SourceTree(request.tree.path, cache=self._cache.root, arch=arch, configuration=config)
            return len(tree.built_objects()) or None
        except (BootlabError, OSError):
            return None

    def _run(
        self, request: _Request, slot: Path, image: str, options: dict[str, str], log: Path, expected: int | None
    ) -> int:
        """Run make for all that is wanted; return how many objects it made."""
        variables = self._variables(request)
        if options.get("DEBUG_INFO") == "y":
            same = f"-fdebug-prefix-map={slot / overlay.OBJECTS}=."
            for name in ("KCFLAGS", "KAFLAGS"):
                variables[name] = f"{variables.get(name, '')} {same}".strip()
        call = Make(tree=slot, variables=variables, jobs=self._jobs)
        targets = [image, *(["dtbs"] if request.target.device_trees and options.get("OF") == "y" else [])]
        has_modules = request.build.modules and "m" in options.values()
        targets += ["modules"] if has_modules else []
        label = f"kernel {request.tree.version} {request.target.name} {image}"
        with WatchedMake(
            "the kernel", label, log, self._observer, root=self._root, fault=KernelBuildError, expected=expected
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
