"""The floor plan holds: no file needs itself through others, and files that a person reads at a time.

`docs/architecture.md` says which room imports which (tests/test_docs.py); the crates have a test of their own.
"""

from __future__ import annotations

import ast
import functools
import graphlib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "python" / "bootlab"
MAX_LINES = 400


def modules() -> dict[str, Path]:
    """Return every module of the package by its dotted name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    # It names what the API gives out, and loads that at its first use.
    del found["bootlab"]
    return found


def imports(path: Path, known: dict[str, Path]) -> set[str]:
    """Return the modules that a file imports, in functions and for types too; a package for what it defines itself."""
    named: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            named |= {inner if inner in known else str(node.module) for inner in inside}
    return named & known.keys()


@functools.cache
def needs() -> dict[str, set[str]]:
    """Return what each module of the package imports of it."""
    known = modules()
    return {name: imports(path, known) - {name} for name, path in known.items()}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Return one circle, empty when there is none."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_no_two_modules_import_each_other() -> None:
    assert circle(needs()) == []


def room(name: str, known: dict[str, Path]) -> str:
    """Return the folder that a module lies in, at most two below the package; the module itself beside folders."""
    parts = name.split(".")[:3]
    place = PACKAGE.parent.joinpath(*parts)
    return ".".join(parts) if place.is_dir() or (name in known and len(parts) == 2) else ".".join(parts[:2])


def test_no_two_rooms_import_each_other() -> None:
    known = modules()
    graph: dict[str, set[str]] = {}
    for name, used in needs().items():
        here = room(name, known)
        for other in used:
            there = room(other, known)
            # A room and the rooms inside it are one house.
            if not f"{there}.".startswith(f"{here}.") and not f"{here}.".startswith(f"{there}."):
                graph.setdefault(here, set()).add(there)
    assert circle(graph) == []


def test_a_circle_is_found() -> None:
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == {"a", "b", "c"}


def test_what_is_imported_is_found(tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text("import a\nfrom b import c, d\ndef f():\n    from e import g\n    import other\n")
    known = dict.fromkeys(("a", "b", "b.c", "e.g"), file)
    assert imports(file, known) == {"a", "b", "b.c", "e.g"}


def test_files_are_short() -> None:
    folders = {"crates": "*/src/**/*.rs", "qemu-plugin": "**/*.[ch]", "guest": "**/*.c", "benchmarks": "*.py"}
    sources = [
        *PACKAGE.rglob("*.py"),
        *(file for name, form in folders.items() for file in (REPOSITORY / name).glob(form)),
    ]
    long = {
        str(path.relative_to(REPOSITORY))
        for path in sources
        if len(path.read_text(encoding="utf-8").splitlines()) > MAX_LINES
    }
    assert not long, f"divide by noun: files may have {MAX_LINES} lines"
