# SPDX-License-Identifier: MIT
"""`build-system/`: the hand-over as files: of each build system its folder, and a patch for each change."""

from __future__ import annotations

import shutil
from pathlib import Path

from bootlab.deliver import evidence
from bootlab.deliver.evidence import HandedChange, HandOver
from bootlab.deliver.languages import LANGUAGES
from bootlab.deliver.patch import Blob, mail
from bootlab.deliver.pieces import pieces_of
from bootlab.deliver.unit import ChangeFiles, Language, Text
from bootlab.errors import cannot_write
from bootlab.model.contrast import NOTHING
from bootlab.model.figures import ms
from bootlab.model.sample import Spread
from bootlab.model.tree import Entry

FOLDER = "build-system"
_PATCHES = "patches"


def write(over: HandOver, place: Path) -> Path:
    """Write the hand-over into a folder of the result, in place of one that is there. Raise EnvironmentFault."""
    folder = place / FOLDER
    pieces = pieces_of(over)
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        said = [f"# {over.name}: the changes for your build system\n", _summary(over), *_given_up(over)]
        for language in LANGUAGES:
            units = [
                language.unit(f"{number:02}-{handed.slug}", own)
                for number, (handed, own) in enumerate(zip(over.changes, pieces, strict=True), 1)
            ]
            said.append(_language(folder, over, language, units))
        (folder / "README.md").write_text("\n".join(said), encoding="utf-8")
        evidence.save(over, folder)
    except OSError as fault:
        raise cannot_write(f"{folder} cannot be written", fault, place) from fault
    return folder


def evidence_text(handed: HandedChange, clock: str) -> str:
    """Return what proves a change, what it costs and what it risks, as the body of its commit."""
    lines = []
    if handed.before is not None and handed.after is not None:
        shared = f" (together with {', '.join(i for i in handed.step if i != handed.change.id)})"
        lines.append(
            f"Goal: {_spread(handed.before)} -> {_spread(handed.after)}, {clock} clock"
            f"{shared if len(handed.step) > 1 else ''}."
        )
    if handed.cost_ns is not None:
        lines.append(f"The result without this change alone: {ms(handed.cost_ns)} ms later.")
    lines += [f"Shown active by: {handed.proof}."] if handed.proof else []
    lines += [f"Cost: {handed.cost}."] if handed.cost else []
    lines += [f"Risk, {kind}: {getattr(handed.risk, kind)}." for kind in handed.risk.kinds]
    return "".join(f"{' '.join(line.split()).replace('..', '.')}\n" for line in lines)


def _spread(several: Spread) -> str:
    if several.boots == 1:
        return f"{ms(several.median_ns)} ms (1 boot)"
    return f"{ms(several.median_ns)} ms ({several.boots} boots, {ms(several.first_ns)} to {ms(several.last_ns)})"


def _summary(over: HandOver) -> str:
    """Return the table of the changes and how to look whether a build has them."""
    rows = ["| | change | what it is | goal before | after |", "|---:|---|---|---:|---:|"]
    for number, handed in enumerate(over.changes, 1):
        times = [f"{ms(side.median_ns)} ms" if side is not None else "" for side in (handed.before, handed.after)]
        rows.append(f"| {number} | `{handed.change.id}` | {handed.title.replace('|', '/')} | {times[0]} | {times[1]} |")
    whole = ""
    if over.base_ns is not None and over.final_ns is not None:
        whole = f"From {ms(over.base_ns)} to {ms(over.final_ns)} ms on the {over.clock} clock.\n"
    return f"""\
{whole}
{chr(10).join(rows)}

Changes that were taken in one step share its times. Each folder below is complete; `{_PATCHES}/` in it holds the same
as one patch a change, with its evidence, for `git am`. Look at your new build with

    bootlab verify BUILD --hand-over .
"""


def _given_up(over: HandOver) -> list[str]:
    """Return what checks say of the result and of the base, where that differs."""
    if not over.contrasts:
        return []
    rows = (f"* {one.kind}, {one.subject}: {one.before or NOTHING} → {one.after or NOTHING}" for one in over.contrasts)
    said = "Checks say of the base and of the result (the kernel's own words, and kernel-hardening-checker's):"
    return ["## Security and function, before and after\n", f"{said}\n", *(" ".join(row.split()) for row in rows), ""]


def _language(folder: Path, over: HandOver, language: Language, units: list[ChangeFiles]) -> str:
    """Write what one build system gets; return its section of the page."""
    home = folder / language.name
    state: dict[str, Blob] = {}
    count = sum(1 for unit in units if unit.files or unit.lines)
    left = [
        f"* `{handed.change.id}`: {'; '.join(unit.unsaid)}"
        for handed, unit in zip(over.changes, units, strict=True)
        if unit.unsaid
    ]
    number = 0
    for handed, unit in zip(over.changes, units, strict=True):
        fresh = _with_heads(language, _blobs(unit, state, language)) if unit.files or unit.lines else {}
        fresh = {path: blob for path, blob in fresh.items() if state.get(path) != blob}
        if not fresh:
            continue
        number += 1
        body = evidence_text(handed, over.clock) + "".join(f"Not in this patch: {text}.\n" for text in unit.unsaid)
        files = {path: (state.get(path), blob) for path, blob in fresh.items()}
        text = mail(f"boot: {handed.change.id}: {handed.title}", body, over.made, files, f"{number}/{count}")
        patches = home.with_name(f"{home.name}.{_PATCHES}") if "/" in language.name else home / _PATCHES
        patches.mkdir(parents=True, exist_ok=True)
        (patches / f"{number:04}-{handed.slug}.patch").write_text(text, encoding="utf-8", newline="\n")
        state |= fresh
    for path, blob in state.items():
        _write(home / path, blob)
    if not number:
        return f"## {language.title}\n\nIt has words for none of these changes.\n"
    section = [f"## {language.title}\n", f"`{language.name}/` has {number} of {len(units)} changes.\n", language.use]
    section += ["Not said here, and left to you:\n", *left, ""] if left else []
    return "\n".join(section)


def _with_heads(language: Language, fresh: dict[str, Blob]) -> dict[str, Blob]:
    """Add the files that the folder needs as soon as it has any: those without lines of a change's own."""
    fixed = {path: head for path, head in language.heads.items() if path in _FIXED}
    return {path: Blob(head.encode()) for path, head in fixed.items()} | fresh


_FIXED = frozenset({"conf/layer.conf", "external.desc", "external.mk", "Config.in"})
"""Files by which a build system knows a folder; no change adds a line to them."""


def _blobs(unit: ChangeFiles, state: dict[str, Blob], language: Language) -> dict[str, Blob]:
    fresh = {path: _blob(file) for path, file in unit.files.items()}
    for path, lines in unit.lines.items():
        old = state[path].data.decode() if path in state else language.heads.get(path, "")
        there = set(old.splitlines())
        # A line that every change asks for (an overlay's place) stands once; in scripts each line counts.
        repeats = path.endswith((".sh", ".bbclass"))
        added = [line for line in lines if repeats or line not in there]
        text = old + "".join(f"{line}\n" for line in added)
        fresh[path] = Blob(text.encode(), "100755" if path in language.scripts else "100644")
    return fresh


def _blob(file: Text | Entry) -> Blob:
    if isinstance(file, Text):
        return Blob(file.text.encode(), "100755" if file.mode & 0o100 else "100644")
    if file.kind == "symlink":
        return Blob((file.target or "").encode(), "120000")
    data = file.text.encode() if file.text is not None else Path(file.source or "").read_bytes()
    return Blob(data, "100755" if file.mode & 0o100 else "100644")


def _write(path: Path, blob: Blob) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if blob.mode == "120000":
        path.symlink_to(blob.data.decode())
        return
    path.write_bytes(blob.data)
    path.chmod(0o755 if blob.mode == "100755" else 0o644)
