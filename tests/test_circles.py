"""No file of the package needs itself through others: not at import, not in a function, not for an annotation."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.conftest import REPOSITORY

PYTHON = REPOSITORY / "python"


def module_of(path: Path) -> str:
    words = path.relative_to(PYTHON).with_suffix("").parts
    return ".".join(words[:-1] if words[-1] == "__init__" else words)


MODULES = {module_of(path): path for path in sorted((PYTHON / "bootlab").rglob("*.py"))}
# It names what the API gives out, and loads that at its first use.
del MODULES["bootlab"]


def needs(name: str) -> set[str]:
    """Return the modules that a file imports from, a package only for what it defines itself."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bootlab"):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in MODULES else str(node.module))
    return found & set(MODULES) - {name}


def circles(graph: dict[str, set[str]]) -> list[str]:
    """Return the names that are left when those that need nothing more are taken away, again and again."""
    left = {name: set(needed) for name, needed in graph.items()}
    for direction in (left, _turned(left)):
        while free := {name for name in left if not direction[name] & set(left)}:
            for name in free:
                del left[name]
    return sorted(left)


def _turned(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    return {name: {other for other, needed in graph.items() if name in needed} for name in graph}


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}, "e": set()}
    assert circles(graph) == ["b", "c"]
    assert circles({"a": {"b"}, "b": set()}) == []


def test_no_file_needs_itself_through_others() -> None:
    assert circles({name: needs(name) for name in MODULES}) == []
