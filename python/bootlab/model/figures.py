"""Numbers as text, the same in every report: milliseconds with three places, grouped counts, signed differences."""

from __future__ import annotations

from bootlab.model.sample import Spread

ABSENT = "—"
_MINUS = "\u2212"
"""The true minus sign, as wide as a plus sign."""


def ms(ns: int | None) -> str:
    """`1234.567` for nanoseconds; a dash for None. Rounded to the microsecond, half to even."""
    return ABSENT if ns is None else f"{ns / 1e6:.3f}".replace("-", _MINUS)


def grouped_ms(ns: int | None) -> str:
    """`1 234.567`, grouped as :func:`count` does: for tables of a page, which mix both."""
    return ABSENT if ns is None else f"{ns / 1e6:,.3f}".replace(",", "\u202f").replace("-", _MINUS)


def signed_ms(ns: int | None, *, grouped: bool = False) -> str:
    """`+12.345`; a loss has the true minus sign (U+2212). A dash for None. `grouped`: by thousands, for pages."""
    if ns is None:
        return ABSENT
    shown = f"{ns / 1e6:+,.3f}".replace(",", "\u202f" if grouped else "")
    return "0.000" if round(ns / 1e3) == 0 else shown.replace("-", "\u2212")


def spread_ms(one_ns: int | None, spread: Spread | None) -> str:
    """`1234.567 (1233.100 to 1236.020 in 21 boots)`: median and range under dithers, or the one boot."""
    if spread is None:
        return ms(one_ns)
    return f"{ms(spread.median_ns)} ({ms(spread.first_ns)} to {ms(spread.last_ns)} in {spread.boots} boots)"


def boots(spread: Spread | None) -> str:
    """How many boots stand behind a time."""
    return "1" if spread is None else count(spread.boots)


def percent(part: int | None, whole: int | None) -> str:
    """`32.5 %`; a dash when one is missing or the whole is nought."""
    return ABSENT if part is None or not whole else f"{100 * part / whole:.1f} %"


_TOLD_APART = 1.1


def times_as_fast(before: int | None, after: int | None) -> str:
    """`2.6 times as fast`, comma, minus 61.9 %: what became of a time; of less than a tenth the percentage alone.

    A slower one is `1.3 times as long, +30.0 %`. A dash when one is missing or not above nought.
    """
    if not before or not after or before < 0 or after < 0:
        return ABSENT
    percentage = f"{100 * (after - before) / before:+.1f} %".replace("-", "\u2212")
    if before / after >= _TOLD_APART:
        return f"{before / after:.1f} times as fast, {percentage}"
    if after / before >= _TOLD_APART:
        return f"{after / before:.1f} times as long, {percentage}"
    return "as fast as before" if percentage[1:] == "0.0 %" else percentage


def count(number: int | None) -> str:
    """`1 234 567` grouped by narrow no-break spaces; a dash for None."""
    return ABSENT if number is None else f"{number:,}".replace(",", "\u202f")


def counted(number: int, noun: str) -> str:
    """`1 line`, `4 492 lines`."""
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def size(number_bytes: int | None) -> str:
    """`8.3 MiB` for people; a dash for None."""
    if number_bytes is None:
        return ABSENT
    value = float(number_bytes)
    for unit in ("B", "KiB", "MiB"):
        if abs(value) < 1024:
            return f"{number_bytes} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"
