# SPDX-License-Identifier: MIT
"""The kernel builder: source tree and configuration to images, once for each content."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.builders.build_observer import BuildObserver
from bootlab.builders.cache import Cache, key_of
from bootlab.builders.kbuild import built, configuration, objects, overlay, resolved, source, toolchain
from bootlab.builders.kbuild.architecture import KbuildArchitecture, architecture
from bootlab.builders.kbuild.built import BuiltKernel
from bootlab.builders.kbuild.compilation import Compilation, Workplace
from bootlab.builders.kbuild.elsewhere import BuiltElsewhere, KernelOrder
from bootlab.builders.kbuild.fragment import Layer, merge, of_options, read_fragment
from bootlab.builders.kbuild.make_run import Make
from bootlab.builders.kbuild.objects import ObjectSizes
from bootlab.builders.kbuild.reasons import Reasons
from bootlab.builders.kbuild.resolved import ResolvedKernel, embedded_files
from bootlab.builders.kbuild.toolchain import Toolchain
from bootlab.errors import UserError
from bootlab.kernelsource.configuration import read_config
from bootlab.model.system import KernelBuild

_OWN_VARIABLES = frozenset({"O", "ARCH", "CROSS_COMPILE", "CC", "KBUILD_OUTPUT", "INSTALL_MOD_PATH", "M"})


class _Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request with everything looked up that decides what comes out."""

    build: KernelBuild
    target: KbuildArchitecture
    tools: Toolchain
    tree: source.SourceTree
    layers: tuple[Layer, ...]
    kernel: ResolvedKernel
    """What stands in its key, without the files that are embedded."""


class KernelSizes(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel with its objects' sizes; `tree` and `srcarch` name the source that it was built from."""

    kernel: BuiltKernel
    objects: ObjectSizes
    tree: Path
    srcarch: str


class KernelBuilder:
    """Builds kernels below `cache.root/kernels`. Safe with several processes at once: one builds, the others wait."""

    def __init__(
        self,
        cache: Cache,
        *,
        jobs: int | None = None,
        observer: BuildObserver | None = None,
        elsewhere: BuiltElsewhere | None = None,
    ) -> None:
        """Use a cache; `jobs` compilers at a time (default: one a core). `elsewhere` is asked before one is built."""
        self._cache = cache
        self._at = Workplace(cache=cache, jobs=jobs or len(os.sched_getaffinity(0)), observer=observer)
        self._elsewhere = elsewhere

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
        """Return the kernel of a request, built unless it is in the cache: elsewhere, where somebody can, or here.

        Raise KernelBuildError for what cannot be configured or compiled, UserError for other mistakes, ToolMissing,
        EnvironmentFault for a full disk. After any of them, and after Ctrl-C, the same call goes on from the objects
        that are there.
        """
        request = self._look_up(build, arch, initramfs)
        order = self._ordered(request)
        there = built.load(order.place)
        if there is not None:
            return there
        if (
            self._elsewhere is not None
            and self._elsewhere.obtain(order, self._at.observer)
            and (there := built.load(order.place)) is not None
        ):
            return msgspec.structs.replace(there, reused=False)
        config = order.config.read_text(encoding="utf-8")
        return Compilation(
            kernel=order.kernel, config=config, tools=request.tools, tree=request.tree, at=self._at
        ).run()

    def is_built(self, build: KernelBuild, arch: str, initramfs: Path | None = None) -> bool:
        """Tell whether the kernel of a request is in the cache. Nothing is compiled. Raise what `config` raises."""
        return built.load(self._ordered(self._look_up(build, arch, initramfs)).place) is not None

    def source_tree(self, build: KernelBuild, arch: str) -> Path:
        """Return the source that is compiled, patches applied. Raise UserError, ToolMissing, KernelBuildError."""
        tree = source.find(build.source, self._cache, arch_folder=architecture(arch).folder)
        return self._at.patched(tree, build.patches)

    def sizes(self, build: KernelBuild, arch: str, initramfs: Path | None = None) -> KernelSizes:
        """Return what each object adds to a request's kernel, which is built unless it is in the cache.

        Raise what `build` raises, and UserError for a kernel that older builds left without its objects.
        """
        kernel = self.build(build, arch, initramfs)
        request = self._look_up(build, arch, initramfs)
        found = objects.load(kernel.folder)
        if found is None:
            work = self._at.work(request.kernel, request.tools)
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
        image, _ = target.image_file(build.image)
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
        tools = toolchain.find(target, build.compiler)
        tree = source.find(build.source, self._cache, arch_folder=target.folder)
        kernel = ResolvedKernel(
            arch=target.name,
            image=image,
            source=build.source,
            version=tree.version,
            identity=tree.identity,
            compiler=build.compiler,
            toolchain=tools.version,
            patches=build.patches,
            variables=build.variables,
            modules=build.modules,
            asked=tuple(f"{name}={value}" for change in build.changes for name, value in change),
        )
        return _Request(build=build, target=target, tools=tools, tree=tree, layers=tuple(layers), kernel=kernel)

    def _ordered(self, request: _Request) -> KernelOrder:
        """Return what decides a kernel, and where it belongs."""
        config_file = self._config(request)
        config = config_file.read_text(encoding="utf-8")
        kernel = msgspec.structs.replace(request.kernel, embedded=embedded_files(read_config(config), self._cache))
        key = kernel.key(config)
        return KernelOrder(
            key=key, kernel=kernel, config=config_file, tree=request.tree.path, place=self._at.place(key)
        )

    def _tree(self, request: _Request) -> Path:
        return self._at.patched(request.tree, request.build.patches)

    def _config(self, request: _Request) -> Path:
        """Return the file of a resolved configuration. Each layer is a result of its own, kept like every other."""
        base = request.build.base
        layers = self._without_modules(request)
        key = key_of(
            "kernel-config",
            resolved.VERSION,
            request.tree.identity,
            request.kernel.patches_key,
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
        return self._at.configured(request.kernel, request.tools, request.tree, configure)

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
