# SPDX-License-Identifier: MIT
"""Delay experiments: a delay of the kernel's source shortened by a generated patch, booted with and without."""

from __future__ import annotations

import shlex

from bootlab.builders.artefacts import configure_system_kernel
from bootlab.builders.cache import Cache
from bootlab.builders.kbuild import KernelBuilder
from bootlab.errors import UserError
from bootlab.experiments.kernel_source import KernelSource
from bootlab.kernelsource.configuration import parse_config
from bootlab.kernelsource.delay_patch import DelayPatch, delay_patch
from bootlab.model.change import Change
from bootlab.model.kernel_change import AddKernelPatch
from bootlab.model.source_build import KernelPatch
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.built import images_differ

DELAY_RISK = (
    "hardware must confirm it: an emulated device is ready at once, a real one may need the whole delay, and fail "
    "rarely or only when cold; code that may not sleep hangs or warns when it does"
)


def patch_of(
    cache: Cache, system: SystemDescription, function: str, to_ns: int, *, sleep: bool = False, only: int | None = None
) -> DelayPatch:
    """Find a function (`NAME` or `FILE:NAME`) in the source that a system's kernel is built from, and patch its delays.

    Raise UserError where it is not found, several files define it, or it has no such delay.
    """
    if system.kernel.build is None:
        config: dict[str, str] = {}
    else:
        config = parse_config(configure_system_kernel(system, cache, KernelBuilder(cache)))
    file, _, name = function.rpartition(":")
    definitions = [
        definition
        for definition in KernelSource(cache, system, config).definitions(name)
        if file in {"", definition.file}
    ]
    if not definitions:
        raise UserError(
            f"no file of the kernel's source defines a function {function[:120]!r}",
            hint="the name as a trace shows it, without what the compiler adds (.isra.0), or FILE:NAME",
        )
    if len(definitions) > 1:
        places = ", ".join(f"{definition.file}:{name}" for definition in definitions[:8])
        raise UserError(
            f"this kernel may contain any of {len(definitions)} definitions of {name}()", hint=f"name one: {places}"
        )
    (definition,) = definitions
    made = delay_patch(
        definition.text, file=definition.file, function=name, line=definition.line, to_ns=to_ns, sleep=sleep, only=only
    )
    try:
        made.text.encode()
    except UnicodeEncodeError as fault:
        raise UserError(
            f"{definition.file} is not UTF-8 near {name}()",
            hint="write the patch by hand, and name it in kernel.patches",
        ) from fault
    return made


class DelayPatched(Technique):
    """One generated patch as a technique, so that it is tried and judged as every other."""

    id = "delay"
    title = "Delay shortened by a patch"
    stage = "kernel"
    what = "Builds the kernel with a generated patch of one function's delays."
    why = "A fixed delay is often longer than the device needs."
    when_not = "The device needs the whole delay."
    cost = "A patch to keep until it is upstream."
    risk = Risk(function=DELAY_RISK)
    proof = "recording"
    builds = True
    references = ("Documentation/timers/timers-howto.rst",)

    def __init__(self, patch: DelayPatch) -> None:
        """Take the patch."""
        self.patch = patch
        self.patch_name = f"delay-{patch.function}.patch"

    def command(self, system: SystemDescription) -> str:
        """Return the command that does the same again."""
        patch = self.patch
        words = [
            "bootlab delay",
            shlex.quote(system.path or "SYSTEM.toml"),
            shlex.quote(f"{patch.file}:{patch.function}"),
        ]
        words.append(f"--to {patch.to_ns}ns")
        words += ["--sleep"] * patch.sleep
        words += [f"--call {patch.only}"] * (patch.only is not None)
        return " ".join(words)

    def applies(self, context: Context) -> Applies:
        """Yes: the patch was made for this system's source."""
        del context
        replaced = ", ".join(f"{one.before} -> {one.after}" for one in self.patch.replaced)
        return Applies.yes(f"{self.patch.function}() waits", f"{self.patch.file}: {replaced}")

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the kernel with the patch."""
        del context
        op = AddKernelPatch(KernelPatch(name=self.patch_name, text=self.patch.text))
        return (Change(technique=self.id, ops=(op,), label=self.patch.function, kind="manual"),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the image that booted, which is another one, and by the patch that it was built with."""
        old, new = before.recording.meta.kernel_patches, after.recording.meta.kernel_patches
        if new.count(self.patch_name) <= old.count(self.patch_name):
            return Effect(False, f"the kernel that booted was not built with {self.patch_name}")
        image = images_differ(before, after)
        if not image.shown:
            return image
        replaced = ", ".join(f"{change.before} -> {change.after}" for change in self.patch.replaced)
        return Effect(True, f"built with {self.patch_name} ({replaced}); {image.evidence}")
