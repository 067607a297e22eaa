# SPDX-License-Identifier: MIT
"""`bootlab boot --board --place` and `bootlab try --board --place` with several places: all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.cli.screen import out, print_json, say

if TYPE_CHECKING:
    from bootlab.api.places import PlaceRun
    from bootlab.cli.options import Kept


def places_of(board: Path, place: Sequence[str] | None) -> list[str]:
    """Return the places that `--place` names, those with a tag too; none where it was not given. Raise BootlabError."""
    if not place:
        return []
    from bootlab.api.places import places_named  # noqa: PLC0415 - `--help` must not wait for it

    return places_named(board, place)


def boot_places(board: Path, system_file: Path | None, asked: Kept, places: Sequence[str], *, boots: int | None) -> int:
    """Boot the boards of all places at once, each so often; return the exit code of the first that failed."""
    from bootlab.api.history import side_of  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.api.places import at_once, recordings_of  # noqa: PLC0415
    from bootlab.views.run import places_text  # noqa: PLC0415

    words = ["boot", *([str(system_file)] if system_file else []), *_common(board, asked)]
    found = at_once([*words, *([] if boots is None else ["--repeat", str(boots)])], places)
    if asked.as_json:
        return _as_json(found)
    made = {one.place: recordings_of(one) for one in found}
    out().print(places_text.boots_view({place: side_of(place, boots) for place, boots in made.items()}))
    for place, recordings in made.items():
        for line in places_text.ends(place, recordings):
            say(line)
    return _ended(found)


def try_places(
    board: Path,
    system_file: Path | None,
    ids: Sequence[str],
    asked: Kept,
    places: Sequence[str],
    *,
    blocks: int,
    seed: int,
) -> int:
    """Try techniques on the boards of all places at once; return the exit code of the first that failed."""
    from bootlab.api import Results  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.api.places import at_once  # noqa: PLC0415
    from bootlab.views.run import places_text  # noqa: PLC0415

    words = ["try", *([str(system_file)] if system_file else []), *ids, *_common(board, asked)]
    found = at_once([*words, "--blocks", str(blocks), "--seed", str(seed)], places)
    if asked.as_json:
        return _as_json(found)
    kept = {one.place: Results.open(one.value("run"), store=asked.store) for one in found if one.value("run")}
    out().print(places_text.trials_view({place: results.trials for place, results in kept.items()}))
    for place, results in kept.items():
        say(f"{place}: {results.run.results}")
    return _ended(found)


def _common(board: Path, asked: Kept) -> list[str]:
    return ["--board", str(board), "--store", str(asked.store)]


def _as_json(found: Sequence[PlaceRun]) -> int:
    print_json({"format": "bootlab-places", "version": 1, "places": found})
    return _first_code(found)


def _ended(found: Sequence[PlaceRun]) -> int:
    from bootlab.views.run.places_text import APART  # noqa: PLC0415

    for one in found:
        if one.error:
            say(f"{one.place}: {one.error}")
    say(APART)
    return _first_code(found)


def _first_code(found: Sequence[PlaceRun]) -> int:
    return next((one.exit_code for one in found if one.exit_code), 0)
