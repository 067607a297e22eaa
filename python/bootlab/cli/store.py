# SPDX-License-Identifier: MIT
"""`bootlab store`: what the store and the build cache hold, and what of it is old."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from bootlab.cli.ages import DryRunOption, seconds_of
from bootlab.cli.options import Option
from bootlab.cli.session import Kept, out, print_json, say
from bootlab.errors import UserError

if TYPE_CHECKING:
    from bootlab.api.stored import Old


def store(
    *,
    prune: Annotated[
        str | None,
        Option(metavar="AGE", help="Remove runs older than this, and recordings as old that no other run names: 90d."),
    ] = None,
    prune_cache: Annotated[
        str | None,
        Option(metavar="AGE", help="Remove built files that nobody used for so long; they are made again when needed."),
    ] = None,
    dry_run: DryRunOption = False,
    asked: Kept,
) -> None:
    """Show how large the store and the build cache are, and remove what is old.

    Ages are written as 90d, 6 weeks or 1 year. Nothing younger than a day goes. The history is not touched: bootlab
    history prune.

    Example: bootlab store --prune 90d --prune-cache 6weeks --dry-run
    """
    from bootlab.api import stored  # noqa: PLC0415 - `--help` must not wait for it

    ages = [None if text is None else seconds_of(text) for text in (prune, prune_cache)]
    if dry_run and ages == [None, None]:
        raise UserError("--dry-run: nothing was asked to go", hint="bootlab store --prune 90d --dry-run")
    if ages != [None, None]:
        gone = stored.prune(asked.store, runs_s=ages[0], cache_s=ages[1], dry=dry_run)
        if asked.as_json:
            print_json({"format": "bootlab-store", "version": 1, "dry_run": dry_run, "pruned": _rows(gone)})
        else:
            _tell(gone, dry_run=dry_run)
        return
    found = stored.contents(asked.store)
    if asked.as_json:
        print_json({"format": "bootlab-store", "version": 1, "contents": found})
        return
    from bootlab.views.store_text import contents_view  # noqa: PLC0415

    out().print(contents_view(found.store, found.in_store, found.cache, found.in_cache))


def _rows(gone: tuple[Old, ...]) -> list[dict[str, object]]:
    return [
        {"kind": one.kind, "path": str(one.path), "bytes": one.bytes, "seconds": round(one.seconds)} for one in gone
    ]


def _tell(gone: tuple[Old, ...], *, dry_run: bool) -> None:
    from bootlab.model import figures  # noqa: PLC0415

    nouns = {"run": "run", "recording": "recording", "built": "built file or folder"}
    for kind, noun in nouns.items():
        if those := [one for one in gone if one.kind == kind]:
            many = figures.count(len(those))
            plural = noun if len(those) == 1 else "built files and folders" if kind == "built" else f"{noun}s"
            size = figures.size(sum(one.bytes for one in those))
            say(f"{many} {plural} would be removed, {size}" if dry_run else f"{many} {plural} removed, {size} freed")
    if not gone:
        say("nothing is that old")
