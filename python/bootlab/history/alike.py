# SPDX-License-Identifier: MIT
"""Which boots of two sides may stand beside each other: first boots apart from later ones, sums of the same parts."""

from __future__ import annotations

import msgspec

from bootlab.errors import UserError
from bootlab.history.boot_times import FIRST_SHOWN, TOTAL, WHOLE, Side
from bootlab.model import figures


def kept_apart(side: Side, *, first_boot: bool) -> tuple[Side, tuple[str, ...]]:
    """Return a side without its system's first boots, or with `first_boot` those only; and what was left out, in words.

    A first boot makes keys, grows file systems and fills caches: it says nothing about the later ones. Where every boot
    is a first one (each from a new image), all stay. A boot of which nothing tells counts as a later one. Raise
    UserError where `first_boot` leaves none.
    """
    firsts = tuple(boot for boot in side.boots if boot.first)
    others = tuple(boot for boot in side.boots if not boot.first)
    if first_boot:
        if not firsts:
            raise UserError(
                f"{side.name}: no boot is shown to be its system's first one",
                hint="give the journal too (`journalctl -b -o json`), or `systemd-analyze blame`: they show it",
            )
        if not others:
            return side, ()
        kept, left, what = firsts, others, "a later boot, or not known to be a first one,"
    elif firsts and others:
        kept, left, what = others, firsts, f"a first boot (shown by {firsts[0].facts.get(FIRST_SHOWN, '')[:80]})"
    else:
        return side, ()
    count, of = len(left), len(side.boots)
    are = "is" if count == 1 else "are each"
    more = "" if first_boot else "; --first-boot judges first boots"
    said = f"{side.name}: {count} of {figures.counted(of, 'boot')} {are} {what} and left out{more}"
    return msgspec.structs.replace(side, boots=kept), (said,)


def why_not_alike(base: Side, new: Side, name: str) -> str:
    """Say why a quantity of two sides must not be compared; "" where it may."""
    kinds = [_only({boot.first for boot in side.boots if boot.ok}) for side in (base, new)]
    if None not in kinds and kinds[0] is not kinds[1]:
        first, later = (base, new) if kinds[0] else (new, base)
        return f"the boots of {first.name} are first boots, those of {later.name} later ones"
    wholes = {boot.facts.get(WHOLE, "") for side in (base, new) for boot in side.boots if boot.ok}
    if name == TOTAL and len(wholes) > 1:
        ends = "; ".join(sorted(whole or "up to the first use" for whole in wholes))
        return f"the whole boot does not mean the same in all of them: {ends}"
    return ""


def _only(kinds: set[bool | None]) -> bool | None:
    return next(iter(kinds)) if len(kinds) == 1 else None
