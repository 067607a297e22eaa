# SPDX-License-Identifier: MIT
"""Do the methods agree? Each against all files that any of them saw in the same boot, with each difference's cause."""

from __future__ import annotations

from collections.abc import Mapping

from bootlab.model.accesses import Access, Accesses, Method
from bootlab.model.tree import Entry, FileTree
from bootlab.model.tree_links import follow
from bootlab.model.trim import Agreement, Missed

_Seen = dict[str, list[Access]]


def agreements(tree: FileTree, accesses: Accesses) -> tuple[Agreement, ...]:
    """Compare the methods that worked, over the regular files of the tree. One method alone agrees with itself."""
    entries = tree.as_dict()
    by_method = {state.name: _files(entries, accesses, state.name) for state in accesses.methods if state.works}
    relative = _relative(entries, accesses)
    everything = sorted({path for seen in by_method.values() for path in seen})
    return tuple(
        Agreement(
            method=method,
            seen=len(seen),
            missed=tuple(
                _missed(path, method, by_method, entries, relative) for path in everything if path not in seen
            ),
        )
        for method, seen in by_method.items()
    )


def _files(entries: Mapping[str, Entry], accesses: Accesses, method: Method) -> _Seen:
    seen: _Seen = {}
    for access in accesses.by(method):
        if not access.path.startswith("/"):
            continue
        way = follow(entries, access.path)
        if way.entry is not None and way.entry.kind == "file":
            seen.setdefault(way.path, []).append(access)
    return seen


def _missed(
    path: str, method: Method, by_method: Mapping[Method, _Seen], entries: Mapping[str, Entry], relative: frozenset[str]
) -> Missed:
    kinds = {access.kind for seen in by_method.values() for access in seen.get(path, ())}
    why = ""
    if kinds == {"named"} and method != "tracing":
        why = "only its name was given to a system call (stat, access), or a link to it was"
    elif kinds <= {"named", "opened"} and method == "atime":
        why = "it was opened and not read"
    elif method == "tracing" and path in relative:
        why = "it was named without its folder"
    elif method != "atime" and _only_atime(path, by_method):
        why = "it was read before the agent watched"
        if entries[path].linked:
            why = "it is another name of a file that was read"
    return Missed(path=path, why=why or "no cause is known", explained=bool(why))


def _relative(entries: Mapping[str, Entry], accesses: Accesses) -> frozenset[str]:
    """Return the files that names without a folder may have meant, also through links."""
    ends = {a.path.removeprefix("./") for a in accesses.by("tracing") if not a.path.startswith("/")}
    return frozenset(
        follow(entries, path).path
        for path in entries
        if path.rpartition("/")[2] in ends or any("/" in end and path.endswith(f"/{end}") for end in ends)
    )


def _only_atime(path: str, by_method: Mapping[Method, _Seen]) -> bool:
    return all((path in seen) == (method == "atime") for method, seen in by_method.items())
