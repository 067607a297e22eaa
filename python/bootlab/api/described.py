"""A system file made by looking at what people have, and by a first boot of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab.api.results import default_store
from bootlab.builders.cache import Cache, default_folder
from bootlab.errors import BootlabError, cannot_write
from bootlab.model.recording import Recording
from bootlab.sources.look import Looker, merged
from bootlab.systemfile import load
from bootlab.systemfile.goals import from_boot
from bootlab.systemfile.loader import default_unpack_dir
from bootlab.systemfile.proposal import Proposal, propose
from bootlab.systemfile.written import written
from bootlab.targets.failure_hint import hint_for

if TYPE_CHECKING:
    from bootlab.experiments.bench import Observer
    from bootlab.sources.facts import Found


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """What was written. `recording`: of the first boot; None when there was none. `trouble`: why it showed no goal."""

    path: Path
    proposal: Proposal
    recording: Recording | None = None
    trouble: str = ""


def describe(
    sources: list[Path],
    path: Path,
    *,
    boot: bool = True,
    store: Path | None = None,
    cache: Path | None = None,
    observer: Observer | None = None,
) -> Described:
    """Look at sources, write a system file, boot it once, and write goal and marks that the boot showed.

    What is taken out of images goes into a folder beside the file. Raise UserError for sources that do not boot;
    a boot that fails is no error: the file says so.
    """
    kept = Cache(cache if cache is not None else default_folder())
    looker = Looker(path.with_suffix(".files"), kept, default_unpack_dir())
    found = merged([looker.look(source) for source in sources])
    proposal = propose(found, path.stem)
    _write(path, proposal)
    if not boot:
        return Described(path=path, proposal=proposal)
    return _booted(path, proposal, found, store or default_store(), kept, observer)


def _booted(
    path: Path, proposal: Proposal, found: Found, store: Path, cache: Cache, observer: Observer | None
) -> Described:
    from bootlab.experiments import first_boot
    from bootlab.experiments.bench import bench_for

    system = load(path)
    try:
        with bench_for(system, store, cache, jobs=1, observer=observer) as bench:
            recording = first_boot.first_boot(bench, system)
    except BootlabError as error:
        trouble = f"{error.message}; {error.hint}" if error.hint else error.message
        return _in_trouble(path, proposal, trouble, None)
    goals = from_boot(first_boot.lines_of(recording), found.root) if first_boot.went_well(recording) else None
    if goals is None:
        trouble = f"{recording.meta.reason}: {hint_for(recording, system)}"
        return _in_trouble(path, proposal, trouble, recording)
    notes = (*proposal.notes, *first_boot.notes(recording))
    proposal = msgspec.structs.replace(proposal, goals=goals, notes=notes)
    _write(path, proposal)
    return Described(path=path, proposal=proposal, recording=recording)


def _in_trouble(path: Path, proposal: Proposal, trouble: str, recording: Recording | None) -> Described:
    note = f"the first boot did not get to a quiet console: {trouble}"
    _write(path, msgspec.structs.replace(proposal, notes=(note, *proposal.notes)))
    return Described(path=path, proposal=proposal, recording=recording, trouble=trouble)


def _write(path: Path, proposal: Proposal) -> None:
    try:
        path.write_text(written(proposal, path.parent), encoding="utf-8")
    except OSError as error:
        raise cannot_write(f"{path} cannot be written", error, path.parent) from error
