# SPDX-License-Identifier: MIT
"""The floor plan holds: no file needs itself through others, and files that a person reads at a time.

`docs/architecture.md` says which room imports which; the crates have a test of their own.
"""

from __future__ import annotations

import ast
import functools
import graphlib
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = REPOSITORY / "python" / "bootlab"
MAX_LINES = 400
SENTENCE_CHARS, SENTENCE_SPACES = 50, 6
"""A text of this length and as many spaces is a sentence that two files do not write alike by chance."""

LICENCE = "SPDX-License-Identifier: "
"""The one line that every file has, and that is not counted."""


def modules() -> dict[str, Path]:
    """Return every module of the package by its dotted name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    # It names what the API gives out, and loads that at its first use.
    del found["bootlab"]
    return found


def statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Return statements and those inside them; an expression imports nothing, and most of a tree is expressions."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from statements(getattr(node, part, ()))


def imports(path: Path, known: dict[str, Path]) -> set[str]:
    """Return the modules that a file imports, in functions and for types too; a package for what it defines itself."""
    named: set[str] = set()
    for node in statements(ast.parse(path.read_text(encoding="utf-8")).body):
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


def rows_of_layers(page: str) -> list[tuple[str, str]]:
    """Return each layer of the page with what it says that the layer imports, in the page's order."""
    section = page.split("## Layers")[1].split("\n## ", maxsplit=1)[0]
    rows = re.findall(r"^\* `(\w+)`: .*?\n  Imports ([^.]*)\.$", section, re.MULTILINE | re.DOTALL)
    return [(layer, " ".join(stated.split())) for layer, stated in rows]


def test_the_map_names_every_room_once() -> None:
    page = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = re.findall(
        r"^ {4}(?:what is \w+|what boots|who asks|beside it|) +((?:\w+ {2})*\w+)(?= {3}|$)", page, re.MULTILINE
    )
    rooms = [room for line in drawn for room in line.split()]
    assert sorted([*rooms, "data"]) == sorted(layer for layer, _ in rows_of_layers(page))


def test_the_page_fits_a_terminal() -> None:
    page = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if len(line) > 100] == []


def test_layers_import_as_the_architecture_says() -> None:
    rows = rows_of_layers((REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8"))
    layers = [layer for layer, _ in rows]
    there = {p.stem for p in PACKAGE.iterdir() if p.is_dir() or p.suffix == ".py"} - {
        "__init__",
        "__main__",
        "__pycache__",
        "py",
    }
    there -= {p for p in there if p.startswith("_core")}
    assert set(layers) == there
    found: dict[str, set[str]] = {layer: set() for layer in layers}
    for name, used in needs().items():
        layer = name.split(".")[1]
        if layer in layers:
            found[layer] |= {other.split(".")[1] for other in used} & set(layers) - {layer}
    for number, (layer, stated) in enumerate(rows):
        assert found[layer] <= set(layers[:number]), (
            f"{layer} imports from below: {found[layer] - set(layers[:number])}"
        )
        wanted = ", ".join(f"`{name}`" for name in layers if name in found[layer]) or "nothing"
        assert stated == wanted, f"docs/architecture.md, what {layer} imports: {wanted}"


def sentences(path: Path) -> Iterator[str]:
    """Return the long texts of a file that are sentences; not what documents the code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    for node in texts:
        long = len(node.value) >= SENTENCE_CHARS and node.value.count(" ") >= SENTENCE_SPACES
        if long and id(node) not in documents:
            yield node.value


def test_a_sentence_stands_in_one_place() -> None:
    places: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for sentence in sentences(path):
            places.setdefault(sentence, set()).add(str(path.relative_to(PACKAGE)))
    twice = {sentence: sorted(files) for sentence, files in places.items() if len(files) > 1}
    assert not twice, "name it once, and import the name"


def test_a_sentence_is_found_and_a_docstring_is_not(tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    said = "the kernel of this system is not built: its file names an image"
    file.write_text(f'"""{said} ."""\nA = "short"\nB = f"{said}{{A}}"\n')
    assert list(sentences(file)) == [said]


def test_a_circle_is_found() -> None:
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == {"a", "b", "c"}


def test_what_is_imported_is_found(tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text(
        "import a\nfrom b import c, d\ndef f():\n    from e import g\n    import other\n"
        "try:\n    pass\nexcept OSError:\n    import h\nelse:\n    import i\nfinally:\n    import j\n"
        "match a:\n    case 1:\n        import k\nclass C:\n    if a:\n        pass\n    else:\n        import l\n"
    )
    known = dict.fromkeys(("a", "b", "b.c", "e.g", *"hijkl"), file)
    assert imports(file, known) == set(known)


def test_files_are_short() -> None:
    folders = {"crates": "*/src/**/*.rs", "qemu-plugin": "**/*.[ch]", "guest": "**/*.c", "benchmarks": "*.py"}
    sources = [
        *PACKAGE.rglob("*.py"),
        *(file for name, form in folders.items() for file in (REPOSITORY / name).glob(form)),
    ]
    long = {
        str(path.relative_to(REPOSITORY))
        for path in sources
        if len([line for line in path.read_text(encoding="utf-8").splitlines() if LICENCE not in line]) > MAX_LINES
    }
    assert not long, f"divide by noun: files may have {MAX_LINES} lines"


def test_a_public_class_has_a_name_of_its_own() -> None:
    places: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for name in re.findall(r"^class ([A-Z]\w*)", path.read_text(encoding="utf-8"), re.MULTILINE):
            places.setdefault(name, []).append(str(path.relative_to(PACKAGE)))
    twice = {name: files for name, files in places.items() if len(files) > 1}
    assert not twice


def test_what_a_machine_wrote_is_not_kept():
    """Outputs and logs that somebody made while he worked, and paths of his machine, stay out of the repository."""
    if shutil.which("git") is None or not (REPOSITORY / ".git").exists():
        pytest.skip("this is no git checkout")
    listed = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    suffixes = {"", ".md", ".toml", ".txt", ".yml", ".yaml", ".lock"}
    assert [name for name in listed.split() if "/" not in name and Path(name).suffix not in suffixes] == []
