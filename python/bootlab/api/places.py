# SPDX-License-Identifier: MIT
"""Several labgrid places at once: a process of bootlab for each, because labgrid is used from one thread."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import IO, Any

import msgspec

from bootlab.errors import UserError
from bootlab.model.recording import Recording
from bootlab.recordings import recording_dir
from bootlab.systemfile.board import BoardFile, load_board


class PlaceRun(msgspec.Struct, frozen=True, kw_only=True):
    """What bootlab did at one place. `documents`: the JSON that it printed; `error`: why it ended early, "" if not."""

    place: str
    documents: tuple[dict[str, Any], ...]
    exit_code: int
    error: str = ""

    def value(self, key: str) -> Any:
        """Return what the first document that has a key says; None where none has it."""
        return next((one[key] for one in self.documents if key in one), None)


def at_place(file: BoardFile, place: str) -> BoardFile:
    """Return a board's file for another place of the same coordinator, the board named after it. Raise UserError."""
    board = file.board
    if board.labgrid is None:
        raise UserError(f"{board.name} is not a labgrid board", hint="--place goes with [labgrid] in the board's file")
    if board.labgrid.config is not None:
        raise UserError(
            f"labgrid.config names the place of {board.name} itself",
            hint="leave config out: labgrid-client switches the place's power, or [power] has commands ($LG_PLACE)",
        )
    there = msgspec.structs.replace(board.labgrid, place=place, reserve=())
    # Boots of two boards are no series of one: each is called after its place.
    return msgspec.structs.replace(file, board=msgspec.structs.replace(board, name=place, labgrid=there))


def places_named(board: Path, words: Sequence[str]) -> list[str]:
    """Return the places that words name: by name, or by tags (`board=camera`) all that have them. Raise BootlabError.

    A place that a name and a tag both name is one place.
    """
    if not any("=" in word for word in words):
        return [*words]
    from bootlab.boards.labgrid_tags import places_with, tags_of

    file = load_board(board)
    # Refuses a board's file that serves no other place, before anybody is asked.
    at_place(file, "")
    coordinator = file.board.labgrid.coordinator if file.board.labgrid is not None else None
    asked = [(word, tags_of(word) if "=" in word else None) for word in words]
    found = [[word] if tags is None else places_with(tags, coordinator) for word, tags in asked]
    named = [word for word, tags in asked if tags is None]
    return named + [name for name in dict.fromkeys(chain.from_iterable(found)) if name not in named]


def at_once(words: Sequence[str], places: Sequence[str]) -> list[PlaceRun]:
    """Run bootlab with these words at every place at once, each with `--place` and `--json`; return what it printed.

    Whoever stops this stops all of them, and waits until their boards are off. Raise UserError for a place that is
    named twice.
    """
    if len({*places}) < len(places):
        raise UserError("a place is named twice", hint="a board boots once at a time")
    setpriv = shutil.which("setpriv")
    # Who is killed runs no code: the kernel tells the others, and their guards switch the boards off.
    guard = [setpriv, "--pdeathsig", "INT", "--"] if setpriv else []
    command = [*guard, sys.executable, "-m", "bootlab.cli", *words, "--json", "--place"]
    with ExitStack() as opened:
        # Files, not pipes: nobody reads while the boards boot.
        logs = [opened.enter_context(tempfile.TemporaryFile()) for _ in range(2 * len(places))]
        outputs, errors = logs[::2], logs[1::2]
        running: list[subprocess.Popen[bytes]] = []
        try:
            for place, output, error in zip(places, outputs, errors, strict=True):
                started = subprocess.Popen([*command, place], stdin=subprocess.DEVNULL, stdout=output, stderr=error)
                running.append(started)
            codes = [one.wait() for one in running]
        except BaseException:
            _stop(running)
            raise
        made = zip(places, outputs, errors, codes, strict=True)
        return [_run_of(place, _text(output), _text(error), code) for place, output, error, code in made]


def _stop(running: Sequence[subprocess.Popen[bytes]]) -> None:
    for one in running:
        if one.poll() is None:
            one.send_signal(signal.SIGINT)
    for one in running:
        one.wait()


def _text(file: IO[bytes]) -> str:
    file.seek(0, os.SEEK_SET)
    return file.read().decode("utf-8", "replace")


def _run_of(place: str, said: str, error: str, code: int) -> PlaceRun:
    documents = _documents(said)
    told = next((str(one["error"]) for one in documents if "error" in one), "")
    if code and not documents:
        told = next(iter(error.strip().splitlines()[-1:]), f"bootlab ended with {code}")
    return PlaceRun(place=place, documents=documents, exit_code=code, error=told)


def _documents(said: str) -> tuple[dict[str, Any], ...]:
    """Return the JSON documents that stand one behind the other."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while (at := len(said) - len(said[at:].lstrip())) < len(said):
        try:
            value, at = decoder.raw_decode(said, at)
        except ValueError:
            break
        if isinstance(value, dict):
            found.append(value)
    return tuple(found)


def recordings_of(run: PlaceRun) -> list[Recording]:
    """Return the boots that were made at a place, in their order."""
    boots = run.value("boots")
    paths = [one.get("recording") for one in boots] if isinstance(boots, list) else [run.value("recording")]
    return [recording_dir.load(Path(path)) for path in paths if path]
