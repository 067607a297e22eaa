# SPDX-License-Identifier: MIT
"""A trimmed tree as a comparison: the tree as it is, each round, how accesses were seen, what stays and what goes."""

from __future__ import annotations

from collections.abc import Iterable

from bootlab.model import figures
from bootlab.model.comparison import Column, Comparison, Row, Table, Value
from bootlab.model.trim import Agreement, Round, TreeSize, Trimmed, TrimmedFile

_FOLDERS = 12
_DEPTH = 3
_SHOWN = 5

_COLUMNS = (
    Column(key="title", title="tree"),
    Column(key="names", title="names", kind="count"),
    Column(key="files", title="files", kind="count"),
    Column(key="file_bytes", title="bytes of files", kind="bytes"),
    Column(key="left", title="left", kind="percent"),
    Column(key="image_bytes", title="packed", kind="bytes"),
    Column(key="goal_ns", title="goal", kind="ms", under="ms"),
    Column(key="method", title="method"),
    Column(key="seen", title="files seen", kind="count"),
    Column(key="missed", title="not seen by it"),
    Column(key="because", title="stays because"),
    Column(key="folder", title="goes"),
    Column(key="names_of", title="names", kind="count"),
    Column(key="bytes_of", title="size", kind="bytes"),
    Column(key="largest", title="the largest"),
    Column(key="path", title="name"),
    Column(key="stays", title="stays"),
    Column(key="why", title="why"),
)
_TABLES = (
    Table(columns=("title", "names", "files", "file_bytes", "left", "image_bytes", "goal_ns"), group="tree"),
    Table(title="How accesses were seen", columns=("method", "seen", "missed"), group="method"),
    Table(title="What stays, by reason", columns=("because", "names_of", "bytes_of", "largest"), group="reason"),
    Table(title="What goes, by folder", columns=("folder", "names_of", "bytes_of", "largest"), group="folder"),
)
_EVERY_NAME = Table(title="Every name", columns=("path", "stays", "bytes_of", "why"), group="name")


def trim_table(found: Trimmed, *, every_file: bool = False) -> Comparison:
    """Return what became of a tree. `every_file`: also each name with its reason."""
    rows = [
        *_trees(found),
        *(_method(found, state.name, state.text) for state in found.methods),
        *_sums("reason", "because", ((file.reason, file) for file in found.kept)),
        *_sums("folder", "folder", ((_folder(file), file) for file in found.dropped))[:_FOLDERS],
    ]
    if every_file:
        rows += [_name(file) for file in found.files]
    shown = {row.values["group"] for row in rows}
    return Comparison(
        kind="trim",
        system=found.system,
        clock=found.clock,
        headline=_headline(found),
        footnote="\n".join(_told(found)),
        facts={"passed": found.passed, "checked": found.checked, "folder": found.folder},
        columns=_COLUMNS,
        tables=tuple(table for table in (*_TABLES, _EVERY_NAME) if table.group in shown),
        rows=tuple(rows),
    )


def _headline(found: Trimmed) -> str:
    left = figures.percent(found.after.file_bytes, found.before.file_bytes)
    return (
        f"{found.system}: {figures.size(found.before.file_bytes)} in {found.before.files} files "
        f"-> {figures.size(found.after.file_bytes)} in {found.after.files} files ({left}); {_state(found)}"
    )


def _state(found: Trimmed) -> str:
    if not found.passed:
        return "not booted"
    return "it passes its check" if found.checked else "it reaches its goal; there is no [check]"


def _told(found: Trimmed) -> list[str]:
    """Say of each trimmed tree that was booted what came of it, and what was put back and why."""
    said = [f"The trimmed system: {_state(found)}. Goal: on the {found.clock} clock."]
    for number, one in enumerate(found.rounds, start=1):
        if not one.broken:
            said.append(f"Round {number}: without {one.dropped} names the system works.")
        else:
            said.append(f"Round {number}: without {one.dropped} names it is broken: {one.broken[:200]}")
        said += [f"Put back {back.path[:120]}: {back.why[:200]}" for back in one.put_back]
    return said


def _trees(found: Trimmed) -> list[Row]:
    rows = [_tree("as-it-is", "as it is", found.before, found.before)]
    rows += [_broken(number, one, found) for number, one in enumerate(found.rounds, start=1) if one.broken]
    last = found.rounds[-1].key if found.rounds else ""
    return [*rows, _tree("trimmed", "trimmed", found.after, found.before, key=last)]


def _tree(row_id: str, title: str, size: TreeSize, first: TreeSize, *, key: str = "") -> Row:
    values: dict[str, Value] = {
        "group": "tree",
        "names": size.names,
        "files": size.files,
        "file_bytes": size.file_bytes,
        "left": size.file_bytes / first.file_bytes if first.file_bytes else None,
        "image_bytes": size.image_bytes,
        "goal_ns": size.goal_ns,
    }
    return Row(id=row_id, title=title, key=key, values=values)


def _broken(number: int, one: Round, found: Trimmed) -> Row:
    values: dict[str, Value] = {"group": "tree", "names": found.before.names - one.dropped}
    return Row(id=f"round-{number}", title=f"round {number}", ok=False, reason=one.broken, key=one.key, values=values)


def _method(found: Trimmed, name: str, text: str) -> Row:
    agreed = next((one for one in found.agreements if one.method == name), None)
    values: dict[str, Value] = {
        "group": "method",
        "method": name,
        "seen": agreed.seen if agreed else None,
        "missed": _missed(agreed) if agreed else f"does not work here: {text}",
    }
    return Row(id=name, title=name, values=values)


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


def _folder(file: TrimmedFile) -> str:
    return "/".join(file.path.split("/")[:-1][: _DEPTH + 1]) or "/"


def _sums(group: str, key: str, pairs: Iterable[tuple[str, TrimmedFile]]) -> list[Row]:
    """Add files up by a word each, most bytes first."""
    groups: dict[str, list[TrimmedFile]] = {}
    for name, file in pairs:
        groups.setdefault(name, []).append(file)
    rows = []
    for name, some in groups.items():
        largest = max(some, key=lambda file: (file.size_bytes, file.path))
        values: dict[str, Value] = {
            "group": group,
            key: name,
            "names_of": len(some),
            "bytes_of": sum(file.size_bytes for file in some),
            "largest": f"{largest.path} ({largest.detail})" if largest.detail else largest.path,
        }
        rows.append(Row(id=f"{group} {name}", title=name, values=values))
    return sorted(rows, key=lambda row: (-(row.ns("bytes_of") or 0), row.title))


def _name(file: TrimmedFile) -> Row:
    values: dict[str, Value] = {
        "group": "name",
        "path": file.path,
        "stays": "yes" if file.kept else "no",
        "bytes_of": file.size_bytes,
        "why": f"{file.reason}: {file.detail}" if file.detail else file.reason,
    }
    return Row(id=file.path, title=file.path, values=values)
