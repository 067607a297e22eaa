"""The floor plan holds: no import circle, and files that a person reads at a time.

`docs/architecture.md` says which room imports which (tests/test_docs.py); the crates have a test of their own.
"""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "python" / "bootlab"
MAX_LINES = 400
# Larger than they should be, until somebody divides them.
TO_DIVIDE = {"crates/boottrace/src/facts/boot/axis.rs", "crates/boottrace/src/log/prefix.rs"}


def modules() -> dict[str, Path]:
    """Return every module of the package by its dotted name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> set[str]:
    """Return the modules that a file imports, in functions too, but not for types alone."""
    named: set[str] = set()
    left: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            named |= (inside & known.keys()) or {node.module}
        left += ast.iter_child_nodes(node)
    return named & known.keys()


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Return one circle, empty when there is none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_no_two_modules_import_each_other() -> None:
    known = modules()
    assert circle({name: imports(path, known) - {name} for name, path in known.items()}) == []


def room(name: str, known: dict[str, Path]) -> str:
    """Return the folder that a module lies in, at most two below the package; the module itself beside folders."""
    parts = name.split(".")[:3]
    place = PACKAGE.parent.joinpath(*parts)
    return ".".join(parts) if place.is_dir() or (name in known and len(parts) == 2) else ".".join(parts[:2])


def test_no_two_rooms_import_each_other() -> None:
    known = modules()
    graph: dict[str, set[str]] = {}
    for name, path in known.items():
        here = room(name, known)
        for other in imports(path, known):
            there = room(other, known)
            # A room and the rooms inside it are one house.
            if not f"{there}.".startswith(f"{here}.") and not f"{here}.".startswith(f"{there}."):
                graph.setdefault(here, set()).add(there)
    assert circle(graph) == []


def test_a_circle_is_found() -> None:
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == {"a", "b", "c"}


def test_files_are_short() -> None:
    sources = [*PACKAGE.rglob("*.py"), *(REPOSITORY / "crates").glob("*/src/**/*.rs")]
    long = {
        str(path.relative_to(REPOSITORY))
        for path in sources
        if len(path.read_text(encoding="utf-8").splitlines()) > MAX_LINES
    }
    assert long <= TO_DIVIDE, f"divide by noun: files may have {MAX_LINES} lines"
