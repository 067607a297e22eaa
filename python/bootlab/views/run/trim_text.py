"""A trimmed tree for people: what stays and what goes, by reason, and what it brought. Terminal and Markdown."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.model import figures
from bootlab.model.trim import Agreement, Trimmed, TrimmedFile
from bootlab.views.markdown_text import code_cell, plain
from bootlab.views.shown_text import one_line
from bootlab.views.text_table import cell, spaced, text_table

_FOLDERS = 12
_SHOWN = 5


class Sum(msgspec.Struct, frozen=True):
    """Names with one reason, or in one folder, and their bytes."""

    name: str
    names: int
    size_bytes: int
    example: str


def by_reason(files: Iterable[TrimmedFile]) -> list[Sum]:
    """Add files up by their reason, most bytes first."""
    return _added((file.reason, file) for file in files)


def by_folder(files: Iterable[TrimmedFile], depth: int = 3) -> list[Sum]:
    """Add files up by the folders that they are in, at most so many deep, most bytes first."""
    return _added(("/".join(file.path.split("/")[:-1][: depth + 1]) or "/", file) for file in files)


def _added(pairs: Iterable[tuple[str, TrimmedFile]]) -> list[Sum]:
    groups: dict[str, list[TrimmedFile]] = {}
    for name, file in pairs:
        groups.setdefault(name, []).append(file)
    sums = []
    for name, some in groups.items():
        largest = max(some, key=lambda file: (file.size_bytes, file.path))
        example = f"{largest.path} ({largest.detail})" if largest.detail else largest.path
        sums.append(Sum(name, len(some), sum(file.size_bytes for file in some), example))
    return sorted(sums, key=lambda one: (-one.size_bytes, one.name))


def terminal(found: Trimmed, *, every_file: bool = False) -> RenderableType:
    """Return the result for a terminal; with `every_file` each name with its reason."""
    sizes = text_table("The tree", "", ">before", ">after", ">left")
    for name, before, after, left in _rows(found):
        sizes.add_row(name, before, after, left)
    parts: list[RenderableType] = [Text(headline(found), "bold"), sizes, _methods(found)]
    parts.append(_sums("What stays, by reason", by_reason(found.kept)))
    parts.append(_sums("What goes, by folder", by_folder(found.dropped)[:_FOLDERS]))
    parts += [Text(text, "yellow" if "broken" in text else "") for text in rounds(found)]
    if every_file:
        table = text_table("Every name", "name", "stays", ">bytes", "~why")
        for file in found.files:
            table.add_row(
                cell(file.path), "yes" if file.kept else "no", figures.count(file.size_bytes), cell(_why(file))
            )
        parts.append(table)
    return Group(*spaced(parts))


def markdown(found: Trimmed) -> str:
    """Return a page in Markdown: sizes, methods, reasons, and every name that was put back."""
    rows = ["|  | before | after | left |", "|---|---:|---:|---:|"]
    rows += ["| " + " | ".join(plain(text) for text in row) + " |" for row in _rows(found)]
    parts = [plain(headline(found)), "\n".join(rows)]
    if found.methods:
        lines = ["| method | files seen | not seen, though another method did |", "|---|---:|---|"]
        for state in found.methods:
            agreed = _agreement(found, state.name)
            seen = figures.count(agreed.seen) if agreed else figures.ABSENT
            lines.append(f"| {state.name} | {seen} | {plain(_missed(agreed) if agreed else state.text, 600)} |")
        parts.append("\n".join(lines))
    for title, name, sums in (
        ("stays because", "reason", by_reason(found.kept)),
        ("goes", "folder", by_folder(found.dropped)[:_FOLDERS]),
    ):
        lines = [f"| {title} | names | size | the largest |", "|---|---:|---:|---|"]
        lines += [
            f"| {code_cell(one.name) if name == 'folder' else plain(one.name)} | {figures.count(one.names)} "
            f"| {figures.size(one.size_bytes)} | {plain(one.example, 200)} |"
            for one in sums
        ]
        parts.append("\n".join(lines))
    parts.append("\n".join(f"* {plain(text, 400)}" for text in rounds(found)))
    return "\n\n".join(part for part in parts if part) + "\n"


def headline(found: Trimmed) -> str:
    """Say in one line what became of the tree."""
    left = figures.percent(found.after.file_bytes, found.before.file_bytes)
    state = "it passes its check" if found.checked else "it reaches its goal, and no [check] says more"
    state = state if found.passed else "not booted"
    return (
        f"{one_line(found.system, 80)}: {figures.size(found.before.file_bytes)} in {found.before.files} files "
        f"-> {figures.size(found.after.file_bytes)} in {found.after.files} files ({left}); {state}"
    )


def rounds(found: Trimmed) -> list[str]:
    """Say of each trimmed tree that was booted what came of it, and what was put back and why."""
    said = []
    for number, one in enumerate(found.rounds, start=1):
        if not one.broken:
            said.append(f"round {number}: without {one.dropped} names the system works")
            continue
        said.append(f"round {number}: without {one.dropped} names it is broken: {one_line(one.broken, 200)}")
        said += [f"  put back {one_line(back.path, 120)}: {one_line(back.why, 200)}" for back in one.put_back]
    return said


def _rows(found: Trimmed) -> list[tuple[str, str, str, str]]:
    before, after = found.before, found.after
    rows = [
        ("files, links, folders", str(before.names), str(after.names), figures.percent(after.names, before.names)),
        (
            "bytes of files",
            figures.size(before.file_bytes),
            figures.size(after.file_bytes),
            figures.percent(after.file_bytes, before.file_bytes),
        ),
    ]
    if after.image_bytes is not None:
        left = figures.percent(after.image_bytes, before.image_bytes)
        rows.append(("packed", figures.size(before.image_bytes), figures.size(after.image_bytes), left))
    if after.goal_ns is not None:
        left = figures.percent(after.goal_ns, before.goal_ns)
        rows.append((f"goal, ms ({found.clock})", figures.ms(before.goal_ns), figures.ms(after.goal_ns), left))
    return rows


def _methods(found: Trimmed) -> RenderableType:
    table = text_table("How accesses were seen", "method", ">files", "~not seen by it")
    for state in found.methods:
        agreed = _agreement(found, state.name)
        table.add_row(
            state.name,
            figures.count(agreed.seen) if agreed else figures.ABSENT,
            cell(_missed(agreed) if agreed else f"does not work here: {state.text}", limit=400),
        )
    return table


def _agreement(found: Trimmed, method: str) -> Agreement | None:
    return next((one for one in found.agreements if one.method == method), None)


def _missed(agreed: Agreement) -> str:
    if not agreed.missed:
        return "nothing that another method saw"
    causes: dict[str, list[str]] = {}
    for one in agreed.missed:
        causes.setdefault(one.why, []).append(one.path)
    return "; ".join(
        f"{len(paths)}: {why} ({', '.join(paths[:_SHOWN])}{' …' if len(paths) > _SHOWN else ''})"
        for why, paths in causes.items()
    )


def _sums(title: str, sums: list[Sum]) -> RenderableType:
    table = text_table(title, "", ">names", ">size", "~the largest")
    for one in sums:
        table.add_row(cell(one.name), figures.count(one.names), figures.size(one.size_bytes), cell(one.example))
    return table


def _why(file: TrimmedFile) -> str:
    return f"{file.reason}: {file.detail}" if file.detail else file.reason
