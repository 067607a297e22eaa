# SPDX-License-Identifier: MIT
"""Answers about Kconfig symbols under one configuration: why a value cannot be had, what hangs on a symbol."""

from __future__ import annotations

import difflib
from typing import Literal, TypeAlias

import msgspec

from bootlab.kernelsource.configuration import Configuration
from bootlab.kernelsource.expression import (
    ANY,
    LEVELS,
    TRUE,
    Constant,
    Expression,
    Ref,
    TristateRange,
    conjuncts,
    evaluate,
    requires,
    symbols,
    written,
)
from bootlab.kernelsource.kconfig import Kconfig
from bootlab.kernelsource.symbol import SelectClause, Symbol

Kind: TypeAlias = Literal[
    "no such symbol", "type", "unmet", "unknown", "no prompt", "selected", "modules off", "choice", "range"
]


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """Why a symbol does not take a value. `values`: the symbols that matter, with what they are now."""

    kind: Kind
    text: str
    expression: str = ""
    values: tuple[tuple[str, str], ...] = ()


class Dependent(msgspec.Struct, frozen=True, kw_only=True):
    """A symbol that cannot stay as it is when another one changes."""

    symbol: str
    value: str
    through: str
    """The dependency that it loses."""


class Advisor:
    """Kconfig files with a configuration beside them."""

    def __init__(self, kconfig: Kconfig, configuration: Configuration) -> None:
        """Take a tree's symbols and their values."""
        self.kconfig = kconfig
        self.configuration = configuration
        self._named: dict[str, list[str]] | None = None

    def value(self, symbol: str) -> str | None:
        """Return what a symbol is, None when the configuration does not tell; "" for one that the tree does not have.

        That one is off, and yet not equal to n: the kernel's tool compares texts, and its text is its name.
        """
        if symbol not in self.kconfig.symbols:
            return self.configuration.values.get(symbol, "")
        return self.configuration.value(symbol)

    def known(self, expression: Expression) -> TristateRange:
        """Evaluate an expression under the configuration."""
        return evaluate(expression, self.value)

    def visible(self, symbol: str) -> TristateRange:
        """Tell whether a person may set a symbol, and up to which value (kernel: sym_calc_visibility)."""
        found = self.kconfig.symbols.get(symbol)
        if found is None:
            return TristateRange(0, 0)
        return self._for_type(found, self.known(found.visible))

    def _for_type(self, symbol: Symbol, known: TristateRange) -> TristateRange:
        if symbol.type == "tristate" and self.value("MODULES") not in {"n", ""}:
            return known
        return TristateRange(2 if known.low == 1 else known.low, 2 if known.high == 1 else known.high)

    def forced(self, symbol: str) -> TristateRange:
        """Tell the value below which selects do not let a symbol go."""
        low = high = 0
        for selection in self.kconfig.selected.get(symbol, ()):
            if not selection.weak:
                one = self.known(selection.condition)
                low, high = max(low, one.low), max(high, one.high)
        found = self.kconfig.symbols.get(symbol)
        return ANY if found is None else self._for_type(found, TristateRange(low, high))

    def selected_by(self, symbol: str, *, active: bool = False) -> list[SelectClause]:
        """Return what selects a symbol; `active`: only what does or may do so now."""
        found = [s for s in self.kconfig.selected.get(symbol, ()) if not s.weak]
        return [s for s in found if self.known(s.condition).high > 0] if active else found

    def turned_on_by(self, symbol: str) -> frozenset[str]:
        """Return the symbols whose select or in whose default's condition lies why a symbol may be on now."""
        found = self.kconfig.symbols.get(symbol)
        defaults = [default for definition in found.definitions for default in definition.defaults] if found else []
        named = {name for one in defaults for part in (one.condition, one.value) for name in symbols(part)}
        return frozenset({s.by for s in self.selected_by(symbol, active=True)} | named) - {symbol}

    def why_not(self, symbol: str, value: str) -> tuple[Reason, ...]:
        """Tell what stands against `symbol=value`; nothing when nothing known does.

        A reason of kind `unknown` may or may not stand against it: only the kernel's own tool can say.
        """
        name = symbol.removeprefix("CONFIG_")
        found = self.kconfig.symbols.get(name)
        if found is None:
            near = difflib.get_close_matches(name, self.kconfig.symbols, 3, 0.8)
            text = f"{name} is not in this tree's Kconfig files" + (f"; near it: {', '.join(near)}" if near else "")
            return (Reason(kind="no such symbol", text=text),)
        if found.type in {"bool", "tristate"}:
            return self._why_not_level(found, value)
        return self._why_not_text(found, value)

    def _why_not_level(self, symbol: Symbol, value: str) -> tuple[Reason, ...]:
        if value not in LEVELS:
            return (Reason(kind="type", text=f"{symbol.name} is a {symbol.type}: y{_M[symbol.type]} or n"),)
        if value == "m" and symbol.type == "bool":
            return (Reason(kind="type", text=f"{symbol.name} is a bool: it cannot be a module"),)
        level = LEVELS[value]
        reasons: list[Reason] = []
        if value == "m" and self.value("MODULES") in {"n", ""}:
            reasons.append(Reason(kind="modules off", text="MODULES is n", values=(("MODULES", "n"),)))
        reasons += self._selecting(symbol, level)
        forced = self.forced(symbol.name)
        if level and forced.low < level:
            reasons += self._not_visible(symbol, level)
        elif not level and not symbol.prompt and not reasons:
            reasons += self._no_prompt(symbol, level)
        if level < 2 and symbol.choice is not None and self.value(symbol.name) == "y":
            others = ", ".join(m for m in self.kconfig.choices[symbol.choice].members if m != symbol.name)
            reasons.append(Reason(kind="choice", text=f"one of a choice: set another member instead ({others})"))
        return tuple(reasons)

    def _selecting(self, symbol: Symbol, level: int) -> list[Reason]:
        out = []
        for selection in self.selected_by(symbol.name, active=True):
            known = self._for_type(symbol, self.known(selection.condition))
            if known.high > level:
                sure = known.low > level
                out.append(
                    Reason(
                        kind="selected" if sure else "unknown",
                        text=f"{selection.by} {'selects' if sure else 'may select'} it",
                        expression=written(selection.condition),
                        values=self.values_in(selection.condition),
                    )
                )
        return out

    def _not_visible(self, symbol: Symbol, level: int) -> list[Reason]:
        if not symbol.prompt:
            return self._no_prompt(symbol, level)
        known = self.visible(symbol.name)
        if known.low >= level:
            return []
        asked = [d for d in symbol.definitions if d.prompt is not None]
        return [
            reason
            for definition in asked
            for reason in self._unmet(definition.depends, definition.prompt_if, symbol, level)
        ]

    def _unmet(self, depends: Expression, prompt_if: Expression, symbol: Symbol, level: int) -> list[Reason]:
        out = []
        for part in dict.fromkeys((*conjuncts(depends), *conjuncts(prompt_if))):
            known = self._for_type(symbol, self.known(part))
            if known.low >= level:
                continue
            sure = known.high < level
            limited = " (it allows m at most)" if sure and known.high == 1 else ""
            verb = "needs" if sure else "may lack (not known)"
            out.append(
                Reason(
                    kind="unmet" if sure else "unknown",
                    text=f"{symbol.name} {verb} {written(part)}{limited}",
                    expression=written(part),
                    values=self.values_in(part),
                )
            )
        return out

    def _no_prompt(self, symbol: Symbol, level: int) -> list[Reason]:
        for definition in symbol.definitions:
            for default in definition.defaults:
                if self.known(default.condition).low and self.known(default.value).low >= level > 0:
                    return []
        by = [s.by for s in self.selected_by(symbol.name)]
        way = f"set what selects it: {_some(by)}" if by and level else "defaults and selects alone give its value"
        text = f"{symbol.name} has no prompt; {way}"
        return [Reason(kind="no prompt", text=text, values=tuple((s, self._shown(s)) for s in by[:20]))]

    def _why_not_text(self, symbol: Symbol, value: str) -> tuple[Reason, ...]:
        if symbol.type in {"int", "hex"}:
            try:
                number = int(value, 16 if symbol.type == "hex" else 10)
            except ValueError:
                return (Reason(kind="type", text=f"{symbol.name} is {symbol.type}: {value!r} is not such a number"),)
            for definition in symbol.definitions:
                for limits in definition.ranges:
                    low, high = self._number(limits.low), self._number(limits.high)
                    if self.known(limits.condition).low and low is not None and high is not None:
                        if not low <= number <= high:
                            said = f"{written(limits.low)} to {written(limits.high)}"
                            return (Reason(kind="range", text=f"{symbol.name} goes from {said}"),)
                        break
        return tuple(self._not_visible(symbol, 1))

    def _number(self, expression: Expression) -> int | None:
        text = None
        if isinstance(expression, Constant):
            text = expression.text
        elif isinstance(expression, Ref):
            text = self.value(expression.name)
        try:
            return int(text or "", 0)
        except ValueError:
            return None

    def chosen_instead(self, symbol: str) -> str:
        """Return the member that is set of the choice that a symbol belongs to; "" without one, or for itself."""
        found = self.kconfig.symbols.get(symbol)
        if found is None or found.choice is None or self.value(symbol) == "y":
            return ""
        return next((m for m in self.kconfig.choices[found.choice].members if self.value(m) == "y"), "")

    def may_be(self, symbol: str, value: str) -> tuple[Literal["yes", "no", "unknown"], tuple[Reason, ...]]:
        """Tell whether a person may set a symbol to n, m or y in this configuration, and what stands against it."""
        reasons = self.why_not(symbol, value)
        found = self.kconfig.symbols.get(symbol)
        if found is not None and found.prompt and not reasons and self.visible(symbol).high == 0:
            reasons = tuple(self._not_visible(found, 1))
        if any(reason.kind != "unknown" for reason in reasons):
            return "no", reasons
        return ("unknown", reasons) if reasons else ("yes", ())

    def values_in(self, expression: Expression) -> tuple[tuple[str, str], ...]:
        """Return the symbols of an expression with their values."""
        return tuple((name, self._shown(name)) for name in dict.fromkeys(symbols(expression)))

    def _shown(self, symbol: str) -> str:
        value = self.value(symbol)
        return "unknown" if value is None else value or "not in this tree"

    def dependents(self, symbol: str, value: str = "n") -> list[Dependent]:
        """Return what is on now and could not stay so if `symbol` became `value` (n, or m from y), near ones first.

        Without a value in the configuration a symbol is no dependent: nothing is known to be lost.
        """
        lowered = {symbol: value}
        out: list[Dependent] = []
        queue = [symbol]
        while queue:
            near = queue.pop(0)
            for name in self._naming(near):
                found = self.kconfig.symbols[name]
                now = self.value(name)
                if name in lowered or (now not in {"y", "m"} and found.type in {"bool", "tristate"}) or now is None:
                    continue
                if found.type not in {"bool", "tristate"}:
                    continue
                kept = self._for_type(found, evaluate(found.depends, lambda s: lowered.get(s) or self.value(s)))
                if kept.high >= LEVELS[now] or self._for_type(found, self.known(found.depends)).high < LEVELS[now]:
                    continue
                lowered[name] = "nmy"[kept.high]
                part = next((p for p in conjuncts(found.depends) if near in symbols(p)), TRUE)
                out.append(Dependent(symbol=name, value=now, through=written(part)))
                queue.append(name)
        return out

    def requiring(self, symbol: str) -> list[str]:
        """Return the symbols that cannot be on without `symbol`, whatever else is set; direct ones only."""
        return [
            name
            for name in self._naming(symbol)
            if requires(self.kconfig.symbols[name].depends, symbol, lambda _: None)
        ]

    def _naming(self, symbol: str) -> list[str]:
        if self._named is None:
            self._named = {}
            for name, found in self.kconfig.symbols.items():
                for used in dict.fromkeys(symbols(found.depends)):
                    self._named.setdefault(used, []).append(name)
        return self._named.get(symbol, [])


_M = {"tristate": ", m", "bool": ""}


def _some(names: list[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
