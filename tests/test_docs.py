# SPDX-License-Identifier: MIT
"""The documentation says what the code does: pages are current, complete, and their links and commands exist."""

from __future__ import annotations

import ast
import doctest
import re
import runpy
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bootlab.cli.__main__ import app
from bootlab.cli.program import make_app
from bootlab.model.recording import Outcome
from bootlab.model.timeline import ALL_STAGES
from bootlab.model.verdict import Verdict
from bootlab.techniques.registry import BUILT_IN

REPOSITORY = Path(__file__).resolve().parents[1]
REFERENCE = REPOSITORY / "docs" / "reference"
GENERATOR = REPOSITORY / "scripts" / "make-reference.py"
PAGES = sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")])
COMMANDS = typer.main.get_command(app).commands


def page(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


@pytest.fixture(scope="module")
def generate():
    """Return the generator's entry: pages are made in this process, which has loaded the catalogue already."""
    folder = str(GENERATOR.parent)
    sys.path.insert(0, folder)
    try:
        return runpy.run_path(str(GENERATOR))["main"]
    finally:
        sys.path.remove(folder)


def blocks(path: Path, *languages: str) -> list[str]:
    found = re.findall(r"^```(\w+)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [text for language, text in found if language in languages]


def test_generated_pages_are_current(generate, capsys) -> None:
    assert generate(["--check"]) == 0, capsys.readouterr().out


def test_a_stale_page_is_noticed(generate, capsys, tmp_path: Path) -> None:
    assert generate(["--folder", str(tmp_path)]) == 0
    capsys.readouterr()
    (tmp_path / "cli.md").write_text("old", encoding="utf-8")
    assert generate(["--check", "--folder", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "cli.md" in said
    assert said.count("stale:") == 1


def test_every_verb_is_documented() -> None:
    text = page("cli.md")
    guides = "".join(p.read_text(encoding="utf-8") for p in PAGES if p.parent != REFERENCE)
    for verb in COMMANDS:
        assert f"\n## bootlab {verb}\n" in text
        assert f"bootlab {verb}" in guides, f"no page outside the reference tells what `bootlab {verb}` is for"


def test_every_verb_gives_an_example_that_it_accepts() -> None:
    for verb, command in COMMANDS.items():
        example = re.search(r"Example: (bootlab .*)", command.help or "")
        assert example, f"`bootlab {verb} --help` has no example"
        assert not unknown_words(example[1])


def test_every_technique_is_documented() -> None:
    text = page("techniques.md")
    for technique in BUILT_IN:
        assert f"\n## {technique.id}\n" in text


def test_every_error_and_exit_code_is_documented() -> None:
    text = page("exit-codes.md")
    sources = "".join(p.read_text(encoding="utf-8") for p in (REPOSITORY / "python").rglob("*.py"))
    names = {"BootlabError"}
    classes = re.findall(r"^class (\w+)\((\w+)\):", sources, re.MULTILINE)
    while grown := {name for name, base in classes if base in names} - names:
        names |= grown
    assert {"SystemFileError", "ToolMissing", "MeasurementError"} <= names
    for name in names:
        assert re.search(rf"`[\w.]*\b{name}`", text), name
    for outcome in Outcome:
        assert f"| `{outcome.value}` | `{outcome.exit_code}` |" in text
    for code in {int(c) for c in re.findall(r"\bexit_code = (\d+)", sources)}:
        assert f"`{code}`" in text


def test_every_format_is_documented() -> None:
    text = page("formats.md")
    folders = (REPOSITORY / "python", REPOSITORY / "crates")
    sources = [p for f in folders for p in (*f.rglob("*.py"), *f.rglob("*/src/**/*.rs"))]
    formats = {m for p in sources for m in re.findall(r'"(bootlab-[a-z]+)"', p.read_text(encoding="utf-8"))}
    # Names of programs are no formats.
    formats -= {"bootlab-agent", "bootlab-calibrate", "bootlab-devices"}
    assert "bootlab-results" in formats
    for name in formats:
        assert f"`{name}`" in text, name


# CELF boot-up time definition of terms: the eight classic events, and the mark that stands for each.
EVENTS = (
    ("power-on", "power-on"),
    ("firmware start", "firmware"),
    ("kernel decompression start", "decompression"),
    ("kernel start", "start-kernel"),
    ("user-space start", "user-space"),
    ("RC scripts start", "rc-scripts"),
    ("application start", "application"),
    ("first available use", "goal"),
)


def test_words_of_the_model_are_in_the_glossary() -> None:
    text = page("glossary.md")
    for stage, start, end in ALL_STAGES:
        assert f"| {stage} | `{start}` | `{end}` |" in text
    for event, mark in EVENTS:
        assert f"| {event} | `{mark}`" in text
    verdicts = (REPOSITORY / "docs" / "explanation" / "verdicts.md").read_text(encoding="utf-8")
    for verdict in Verdict:
        assert f"*{verdict.value}*" in text
        assert f"| *{verdict.value}* |" in verdicts


def anchors(path: Path) -> set[str]:
    found = set()
    for title in re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", title.lower())
        found.add(plain.replace(" ", "-"))
    return found


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_relative_links_resolve(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        assert found.exists(), f"{target} does not exist"
        if anchor:
            assert anchor in anchors(found), f"{target}: there is no such heading"


def unknown_words(line: str) -> str:
    """Say which word of a `bootlab …` line does not exist, or "" when all do."""
    words = re.split(r"[#|>]", line, maxsplit=1)[0].split()
    if len(words) < 2 or words[1] in {"VERB", "--install-completion", "--version", "--help"}:
        return ""
    command = COMMANDS.get(words[1])
    if command is None:
        return words[1]
    for word in words[2:3]:
        # A verb of verbs, such as `bootlab timers stress`.
        command = getattr(command, "commands", {}).get(word, command)
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    return next((w for w in words[2:] if w.startswith("--") and w not in known | {"--help", "--"}), "")


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_commands_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    shell = [line.removeprefix("$ ").strip() for b in blocks(path, "sh", "console") for line in b.splitlines()]
    inline = re.findall(r"`((?:bootlab|make) [^`]*)`", path.read_text(encoding="utf-8"))
    for line in [*shell, *inline]:
        if line.startswith("bootlab ") and path.name not in {"out-of-scope.md", "CHANGELOG.md"}:
            assert not unknown_words(line), line
        if line.startswith("make ") and path.parent != REFERENCE:
            assert line.split()[1] in targets, line


def test_the_documentation_names_the_packages_that_are_installed() -> None:
    script = (REPOSITORY / "scripts" / "setup-debian.sh").read_text(encoding="utf-8")
    page = (REPOSITORY / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| ([^|]*) \|$", page, re.MULTILINE))
    groups = dict(re.findall(r'^(\w+)="([^"$]+)"$', script, re.MULTILINE))
    assert set(rows) == set(groups) | {"lint"}
    for group, packages in groups.items():
        for package in packages.replace("|", " ").split():
            assert f"`{package}`" in rows[group], (group, package)


def test_the_index_leads_to_every_page() -> None:
    index = REPOSITORY / "docs" / "index.md"
    linked = {
        (index.parent / target).resolve() for target in re.findall(r"\]\(([^)#\s]+)", index.read_text(encoding="utf-8"))
    }
    pages = set((REPOSITORY / "docs").rglob("*.md")) - {index}
    assert not pages - linked


@pytest.mark.parametrize("path", [p for p in PAGES if blocks(p, "python")], ids=name_of)
def test_python_examples_compile_and_import(path: Path) -> None:
    for block in blocks(path, "python"):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bootlab"):
                exec(compile(ast.unparse(node), str(path), "exec"), {})


@pytest.mark.parametrize("path", [p for p in PAGES if blocks(p, "pycon")], ids=name_of)
def test_python_sessions_hold(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY)
    done = doctest.testfile(str(path), module_relative=False, encoding="utf-8")
    assert done.attempted > 0
    assert done.failed == 0


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_no_path_of_one_machine(path: Path) -> None:
    assert not re.search(r"(?<![\w.])/(?:work|root|tmp|home)/", path.read_text(encoding="utf-8"))


def test_every_page_has_its_place_on_the_site() -> None:
    """Else `make docs` fails, which `make check` does not run."""
    navigation = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    placed = re.findall(r"([\w/-]+\.md)$", navigation, re.MULTILINE)
    there = [str(path.relative_to(REPOSITORY / "docs")) for path in (REPOSITORY / "docs").rglob("*.md")]
    assert sorted(placed) == sorted(there)


def test_the_tutorial_shows_what_stack_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tutorial = (REPOSITORY / "docs" / "tutorial.md").read_text(encoding="utf-8")
    section = tutorial.split("## 6. ")[1].split("\n## ")[0]
    words = next(line for line in section.splitlines() if line.startswith("bootlab stack tests/replay")).split()[1:]
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(REPOSITORY)
    done = CliRunner().invoke(make_app(["stack"]), [*words, "--store", str(tmp_path)])
    assert done.exit_code == 0, done.output
    printed = [line.rstrip() for line in done.output.splitlines()]
    shown = [line for block in re.findall(r"^```text\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
             for line in block.splitlines() if line and line != "..."]  # fmt: skip
    assert len(shown) >= 15
    assert [line for line in shown if line not in printed] == []
