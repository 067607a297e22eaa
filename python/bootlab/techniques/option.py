# SPDX-License-Identifier: MIT
"""Techniques that only set options of the kernel's configuration: each is a row of facts, the rest is shared."""

from __future__ import annotations

from dataclasses import dataclass

from bootlab.model.change import Change
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Proof
from bootlab.techniques.built import built_with
from bootlab.techniques.evidence import KernelLog, appeared
from bootlab.techniques.missing import NO_CONFIGURATION
from bootlab.techniques.row import TechniqueRow

Options = tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class OptionTechnique(TechniqueRow):
    """A row of the tables in `bootlab.techniques.options`: builds the kernel with every option of `sets`.

    Options are named without `CONFIG_`, values as a `.config` writes them. `because` is the reason that it applies.
    `earlier`: a version, and the options that kernels before it have in place of `sets`; a configuration that states
    one of both decides, else the version. `only_if`: options without which there is nothing to change. `expert`: the
    options can only be changed with CONFIG_EXPERT. `held_by`: options that select one of `sets`; those that are on
    are switched off with it, since it would stay otherwise. `gone`: a kernel message that a kernel with the options
    does not print; where the base printed it, its absence belongs to the proof. `says`: a message that only a kernel
    with the options prints, where they do anything: without it nothing is proved. `ends_with`: functions that do much
    less where this one of `sets` changes (see `ends`).
    """

    sets: Options
    because: str
    earlier: tuple[tuple[int, ...], Options] | None = None
    only_if: tuple[str, ...] = ()
    expert: bool = False
    held_by: tuple[str, ...] = ()
    gone: str = ""
    says: str = ""
    ends_with: tuple[tuple[str, str], ...] = ()
    proof: Proof = "recording"
    builds: bool = True

    def wanted(self, context: Context) -> Options:
        """Return `sets`, or what this kernel's version has in its place."""
        if self.earlier is None:
            return self.sets
        version, before = self.earlier
        # Both may be there: the other one without a question of its own.
        stated = [way for way, other in ((before, self.sets), (self.sets, before)) if _states(context, way, other)]
        if len(stated) == 1:
            return stated[0]
        return before if context.kernel_version < version else self.sets

    def pending(self, context: Context) -> Options:
        """Return those options that have another value now."""
        return tuple(pair for pair in self.wanted(context) if value_of(context, pair[0]) != pair[1])

    def applies(self, context: Context) -> Applies:
        """Yes when an option has another value in the configuration."""
        if not context.config:
            return NO_CONFIGURATION
        for option in self.only_if:
            if not context.enabled(option):
                return Applies.no(
                    "what it is about is not in this kernel", f"CONFIG_{option} is not set", options=(option,)
                )
        pending = self.pending(context)
        if not pending:
            first, _ = self.wanted(context)[0]
            return Applies.no("it is set already", stated(context, first), options=(first,))
        words = [stated(context, option) for option, _ in pending]
        more = f" and {len(words) - 3} more" if len(words) > 3 else ""
        held = ", ".join(f"CONFIG_{name}" for name in self._holding(context))
        more += f"; selected by {held}, which would go too" if held else ""
        shown = tuple(option for option, _ in pending[:3])
        return Applies.yes(self.because, ", ".join(words[:3]) + more, options=shown)

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose what differs, what holds it off, and CONFIG_EXPERT where the kernel hides the options without it."""
        pending = self.pending(context)
        if not pending:
            return ()
        # An empty text is two quotes in a `.config`; as it is read, it is empty.
        pending = tuple((name, value or '""') for name, value in pending)
        pending = (*((name, "n") for name in self._holding(context)), *pending)
        return (Change(technique=self.id, ops=(SetKernelOptions(with_expert(context, pending, needed=self.expert)),)),)

    def ends_here(self, context: Context) -> tuple[str, ...]:
        """Add what one of the options ends, where that has another value now."""
        pending = {option for option, _ in self.pending(context)}
        return (*self.ends, *(function for function, option in self.ends_with if option in pending))

    def _holding(self, context: Context) -> tuple[str, ...]:
        return tuple(name for name in self.held_by if value_of(context, name) in {"y", "m"})

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the configurations that both booted images were built with, and by what the kernel says."""
        effect = built_with(before, after, self.proved_by(after))
        if not effect.shown:
            return effect
        configs = before.recording.kernel_config, after.recording.kernel_config
        went = [name for name in self.held_by if _on(configs[0], name) and not _on(configs[1], name)]
        built = effect.evidence + (f"; off too: {', '.join(f'CONFIG_{name}' for name in went)}" if went else "")
        old, new = KernelLog.pair(before, after)
        if self.says and not (said := appeared(before, after, self.says)).shown:
            return Effect(False, f"{built}; but {said.evidence}")
        was, still = (old.line(self.gone), new.line(self.gone)) if self.gone else ("", "")
        if was and still:
            return Effect(False, f"{built}; but the kernel still prints: {still}")
        said_now = f"; now in the log: {new.line(self.says)}" if self.says else ""
        return Effect(True, built + said_now + (f"; gone from the log: {was}" if was else ""))

    def proved_by(self, after: Evidence) -> Options:
        """Return the options, with their values, that the kernel which booted must have."""
        if self.earlier is None:
            return self.sets
        # An option that is off may be one that this version does not have: what is on tells the version.
        ways = sorted((self.sets, self.earlier[1]), key=lambda way: way[0][1] != "y")
        config = after.recording.kernel_config
        return next((way for way in ways if all(config.get(f"CONFIG_{n}") == v for n, v in way)), ways[-1])


def _states(context: Context, way: Options, other: Options) -> bool:
    """Tell whether the configuration names an option that only this way has."""
    own = {name for name, _ in way} - {name for name, _ in other}
    return any(f"CONFIG_{name}" in context.config for name in own)


def _on(config: dict[str, str], option: str) -> bool:
    return config.get(f"CONFIG_{option}") in {"y", "m"}


def value_of(context: Context, option: str) -> str:
    """Return an option's value; `n` for one that the configuration does not have."""
    return context.config.get(f"CONFIG_{option}", "n")


def stated(context: Context, option: str) -> str:
    """Return an option as a `.config` states it."""
    value = value_of(context, option)
    return f"CONFIG_{option} is not set" if value == "n" else f"CONFIG_{option}={value}"


def with_expert(context: Context, options: Options, *, needed: bool) -> Options:
    """Add CONFIG_EXPERT in front where it is needed and off."""
    if needed and value_of(context, "EXPERT") != "y":
        return (("EXPERT", "y"), *options)
    return options
