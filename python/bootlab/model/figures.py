# SPDX-License-Identifier: MIT
"""Numbers as text, the same in every report: milliseconds with three places, grouped counts, signed differences."""

from __future__ import annotations

import math

from bootlab.model.sample import Spread

ABSENT = "—"
MINUS = "\u2212"
"""The true minus sign, as wide as a plus sign."""


_PLACES = 3


def places(range_ns: int | None) -> int:
    """Return how many decimal places a time in milliseconds has whose values range so far: three where none is known.

    The last digit is one behind the first of the range: of 23 ms whole milliseconds are told, of 2.3 ms tenths.
    """
    if not range_ns:
        return _PLACES
    return min(_PLACES, max(0, 1 - math.floor(math.log10(abs(range_ns) / 1e6))))


def ms(ns: int | None, range_ns: int | None = None) -> str:
    """`1234.567` for nanoseconds; a dash for None. Rounded half to even; `range_ns`: see :func:`places`."""
    return ABSENT if ns is None else f"{ns / 1e6:.{places(range_ns)}f}".replace("-", MINUS)


def grouped_ms(ns: int | None, range_ns: int | None = None) -> str:
    """`1 234.567`, grouped as :func:`count` does: for tables of a page, which mix both."""
    shown = ABSENT if ns is None else f"{ns / 1e6:,.{places(range_ns)}f}"
    return shown.replace(",", "\u202f").replace("-", MINUS)


def signed_ms(ns: int | None, range_ns: int | None = None, *, grouped: bool = False) -> str:
    """`+12.345`; a loss has the true minus sign (U+2212). A dash for None. `grouped`: by thousands, for pages."""
    if ns is None:
        return ABSENT
    digits = places(range_ns)
    shown = f"{ns / 1e6:+,.{digits}f}".replace(",", "\u202f" if grouped else "")
    return f"{0:.{digits}f}" if not round(ns / 1e6, digits) else shown.replace("-", "\u2212")


def interval_ms(interval_ns: tuple[int, int], between: str = " to ") -> str:
    """`+12 to +31`: the ends of an interval of a difference, to the digits that its width carries."""
    width_ns = interval_ns[1] - interval_ns[0]
    return between.join(signed_ms(end, width_ns) for end in interval_ns)


def ends_ms(ends_ns: tuple[float, float], *, signed: bool = False, grouped: bool = False) -> str:
    """`2 050 to 2 082`: a modelled time at both ends, to the digits that its width carries; one where both read alike.

    `signed`: of a difference. `grouped`: by thousands, for pages.
    """
    low_ns, high_ns = (round(end_ns) for end_ns in ends_ns)
    width_ns = high_ns - low_ns
    plain = grouped_ms if grouped else ms
    shown = [signed_ms(end, width_ns, grouped=grouped) if signed else plain(end, width_ns) for end in (low_ns, high_ns)]
    return " to ".join(dict.fromkeys(shown))


def spread_ms(one_ns: int | None, spread: Spread | None, range_ns: int | None = None) -> str:
    """`1234.567 (1233.100 to 1236.020 in 21 boots)`: median and range under dithers, or the one boot.

    `range_ns`: how far noisy boots lie apart, see :func:`places`; None of exact ones.
    """
    if spread is None:
        return ms(one_ns, range_ns)
    first, last = ms(spread.first_ns, range_ns), ms(spread.last_ns, range_ns)
    return f"{ms(spread.median_ns, range_ns)} ({first} to {last} in {counted(spread.boots, 'boot')})"


def boots(spread: Spread | None) -> str:
    """How many boots stand behind a time."""
    return "1" if spread is None else count(spread.boots)


def percent(part: int | None, whole: int | None) -> str:
    """`32.5 %`, with the true minus sign; a dash when one is missing or the whole is nought."""
    if part is None or not whole:
        return ABSENT
    share = round(100 * part / whole, 1)
    # Nought has no sign.
    return f"{share or 0:.1f} %".replace("-", MINUS)


_TOLD_APART = 1.1


def times_as_fast(before: int | None, after: int | None) -> str:
    """`2.6 times as fast`, comma, minus 61.9 %: what became of a time; of less than a tenth the percentage alone.

    A slower one is `1.3 times as long, +30.0 %`. A dash when one is missing or not above nought.
    """
    return ", ".join(part for part in times_and_percentage(before, after) if part)


def times_and_percentage(before: int | None, after: int | None) -> tuple[str, str]:
    """Return what :func:`times_as_fast` says in two parts; the second is empty where one says it all."""
    if not before or not after or before < 0 or after < 0:
        return ABSENT, ""
    percentage = f"{100 * (after - before) / before:+.1f} %".replace("-", "\u2212")
    if before / after >= _TOLD_APART:
        return f"{before / after:.1f} times as fast", percentage
    if after / before >= _TOLD_APART:
        return f"{after / before:.1f} times as long", percentage
    return ("as fast as before" if percentage[1:] == "0.0 %" else percentage), ""


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


def lasted(seconds: float) -> str:
    """`45 s`, `2 min 05 s`, `3 h 07 min`: how long a person waits."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return (
        f"{whole // 60} min {whole % 60:02d} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    )


def chance(probability: float) -> str:
    """`8 of 1000 cases` for 0.0079; below one in a thousand `less than 1 of 1000 cases`."""
    thousandths = round(probability * 1000)
    return f"{thousandths} of 1000 cases" if thousandths else "less than 1 of 1000 cases"
