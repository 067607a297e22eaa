#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the typed views of the core's documents, python/bootlab/logs, from the core's own types (their JSON Schema).

With --check: says which are stale, and fails when one is. Behaviour that a view has stands in `logs/readings.py`.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from bootlab import _core

FOLDER = Path(__file__).resolve().parents[1] / "python" / "bootlab" / "logs"
MODULES: dict[str, tuple[str, tuple[str, ...]]] = {
    "line": ("Lines of a boot log with what their prefixes say", ("LogLine",)),
    "initcalls": ("Initcalls, by the kernel's own account of them", ("LogInitcall",)),
    "kernel": ("What a kernel's lines state, before anything is concluded from them", ("KernelFacts",)),
    "firmware": ("What firmware and boot loader say", ("FirmwareFacts",)),
    "costs": ("What takes time in a boot", ("Cost",)),
    "course": ("The course of a boot: its events, what lies between them, how it ended", (
        "Axis", "LogStage", "Interval", "BlindSpot", "Failure", "BootEnd", "StartupAccount", "FirstBoot",
        "CriticalPath", "DeferredProbes", "LargeGap", "Outcome", "BootStart")),
    "user": ("What programs of user space printed", ("UserLine",)),
    "protection": ("What a kernel says of its protections", ("Protection",)),
    "boot": ("One boot out of a log", ("LogBoot", "NotABoot")),
    "trace": ("A function, event or sample trace", ("CallTrace",)),
    "reports": ("Reports of other tools: unit times, bootchart archives, `kd`, `show_delta`", (
        "UnitReport", "Chart", "KdReport", "DeltaReport")),
    "application": ("What an application did, by its system calls: what strace's log becomes", ("ApplicationProfile",)),
    "document": ("Everything that one input told", ("Document",)),
    "told": ("What is said of a document: sentences, costs in words, tables", ("Told",)),
    "rows": ("Quantities and budgets of a comparison", ("LogRow", "LogBudgetResult", "Thresholds")),
    "compared": ("Boots, traces and reports beside their like", ("LogComparison",)),
}  # fmt: skip
"""Module, what it holds, and its types; what they use stands with the first that does."""

NAMES = {
    "Architecture": "LogArchitecture",
    "Boot": "LogBoot",
    "Budget": "LogBudget",
    "BudgetResult": "LogBudgetResult",
    "CommandLine": "LogCommandLine",
    "Comparison": "LogComparison",
    "Console": "LogConsole",
    "FileRead": "LoaderRead",
    "Goal": "LogGoal",
    "Initcall": "LogInitcall",
    "Line": "LogLine",
    "Processors": "LogProcessors",
    "Program": "LoaderProgram",
    "Row": "LogRow",
    "Sample": "LogSample",
    "Sign": "LogSign",
    "Stage": "LogStage",
    "Unit": "LogUnit",
}
"""Types of the core whose names other rooms use for another thing, and what Python calls them."""

ELSEWHERE = {"Service": "bootlab.model.service", "Loading": "bootlab.model.recording"}
"""Types that layers below this one have too; a test holds their fields to the core's."""

READINGS = {
    "LogInitcall": "initcall_reading", "KernelFacts": "readings", "LogBoot": "readings", "CallTrace": "readings",
    "Process": "readings", "ApplicationProfile": "readings", "LogComparison": "readings",
}  # fmt: skip
"""Views with behaviour: the module of the class that has it, which is named after the view."""

MORE = {
    "ApplicationProfile": (
        ("faults", "list[Faults]", "Page faults of processes, which only a trace knows."),
        ("read", "list[ReadFile]", "Files of the tree that were read up to the goal, of a diagnostic boot."),
        ("loading", "list[Loading]", "What the dynamic loader counted in that boot."),
    )
}
"""Fields that Python adds: lists of types of `logs/beyond.py` and of ELSEWHERE."""

WIDER = {("CallTrace", "source"): "str"}
"""Fields that Python fills too, with more than the core's words: a tracer that only a diagnostic boot runs."""

_WIDTH = 120


class Types:
    """All types of the core's documents by name."""

    def __init__(self) -> None:
        """Read them from the core."""
        self.all: dict[str, dict[str, Any]] = {}
        for name, text in _core.document_schemas():
            schema = json.loads(
                re.sub(r'("\$ref": *"#/\$defs/)(\w+)"', lambda found: f'{found[1]}{named(found[2])}"', text)
            )
            self.all |= {named(inner): value for inner, value in schema.pop("$defs", {}).items()}
            self.all[named(name)] = schema
        self.tags: dict[str, tuple[str, str]] = {}
        for variant in self.all.get("Part", {}).get("oneOf", ()):
            self.tags[_name_of(variant["$ref"])] = ("kind", variant["properties"]["kind"]["const"])

    def homes(self) -> dict[str, str]:
        """Return the module of each type."""
        found: dict[str, str] = {}
        for module, (_, heads) in MODULES.items():
            for head in heads:
                self._claim(head, module, found)
        return found

    def _claim(self, name: str, module: str, found: dict[str, str]) -> None:
        if name in found or name in ELSEWHERE:
            return
        # Set first: a type may hold itself.
        found[name] = module
        for used in self.uses(name):
            self._claim(used, module, found)

    def uses(self, name: str) -> list[str]:
        """Return the types that a type names, in the order in which it does."""
        named = re.findall(r'"\$ref": "#/\$defs/(\w+)"', json.dumps(self.all[name]))
        return list(dict.fromkeys(named))


def named(core: str) -> str:
    """Return what Python calls a type of the core."""
    return NAMES.get(core, core)


def _behaviour(name: str) -> str:
    core = next((core for core, ours in NAMES.items() if ours == name), name)
    return f"Of{core}"


def _name_of(reference: str) -> str:
    return reference.rpartition("/")[2]


def words_of(schema: dict[str, Any]) -> list[str] | None:
    """Return the words that an enumeration may have; None for a type that is none."""
    if "enum" in schema:
        return list(schema["enum"])
    if "const" in schema:
        return [schema["const"]]
    variants = schema.get("oneOf", ())
    parts = [words_of(variant) for variant in variants]
    return [word for part in parts for word in part or ()] if parts and all(parts) else None


def type_of(schema: dict[str, Any]) -> str:  # noqa: PLR0911 - one for each form of a schema
    """Return a schema as Python writes its type."""
    if "$ref" in schema:
        return _name_of(schema["$ref"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(one) for one in schema["anyOf"]))
    if (words := words_of(schema)) is not None:
        return f"Literal[{', '.join(json.dumps(word) for word in words)}]"
    if "oneOf" in schema:
        return "dict[str, int]"
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(type_of(schema | {"type": one}) for one in kind)
    if kind == "array":
        if "prefixItems" in schema:
            return f"tuple[{', '.join(type_of(one) for one in schema['prefixItems'])}]"
        return f"list[{type_of(schema.get('items', {}))}]"
    if kind == "object":
        return f"dict[str, {type_of(schema.get('additionalProperties', {}))}]"
    return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}.get(kind, "object")


def plain(text: str) -> str:
    """Return a comment of the core as Python's documentation writes it."""
    text = re.sub(r"\[`([\w:]+)`\]", lambda found: f"`{found[1].rpartition('::')[2]}`", text)
    return " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''")


def docstring(text: str, indent: str) -> list[str]:
    """Return a docstring in lines: one sentence first, the rest below it."""
    text = plain(text)
    if len(text) + len(indent) + 6 <= _WIDTH:
        return [f'{indent}"""{text}"""']
    first, dot, rest = text.partition(". ")
    if not dot or len(first) + len(indent) + 6 > _WIDTH:
        lines = textwrap.wrap(text, _WIDTH - len(indent) - 3)
        return [f'{indent}"""{lines[0]}', *(indent + line for line in lines[1:]), f'{indent}"""']
    wrapped = textwrap.wrap(rest[:1].upper() + rest[1:], _WIDTH - len(indent))
    return [f'{indent}"""{first.rstrip(":.")}.', "", *(indent + line for line in wrapped), f'{indent}"""']


class Writer:
    """Writes one module."""

    def __init__(self, types: Types, module: str) -> None:
        """Take the types, and choose those of the module."""
        self.types = types
        self.module = module
        self.homes = types.homes()
        self.own = self._ordered([name for name, home in self.homes.items() if home == module])

    def _ordered(self, names: list[str]) -> list[str]:
        """Put what is used first."""
        found: list[str] = []

        def visit(name: str) -> None:
            if name in found or name not in names:
                return
            for used in self.types.uses(name):
                if used != name:
                    visit(used)
            found.append(name)

        for name in names:
            visit(name)
        return found

    def text(self) -> str:
        """Return the module."""
        title = MODULES[self.module][0]
        body = [line for name in self.own for line in self._type(name)]
        head = [
            "# SPDX-License-Identifier: MIT",
            f'"""{title}.',
            "",
            "Typed views of the core's JSON. Times are nanoseconds of the clock beside them.",
            "Written by scripts/make-core-views.py from the types of crates/boottrace. Do not edit.",
            '"""',
            "",
            "from __future__ import annotations",
            "",
            *self._imports("\n".join(body)),
        ]
        return "\n".join([*head, *body]).rstrip() + "\n"

    def _imports(self, body: str) -> list[str]:
        lines = ["from typing import Literal", ""] if "Literal[" in body else []
        lines += ["import msgspec", ""] if "msgspec." in body else []
        used: dict[str, set[str]] = {}
        for name in self.own:
            for other in self.types.uses(name):
                home = ELSEWHERE.get(other) or f"bootlab.logs.{self.homes[other]}"
                if self.homes.get(other) != self.module:
                    used.setdefault(home, set()).add(other)
            for _, kind, _ in MORE.get(name, ()):
                for other in re.findall(r"[A-Z]\w+", kind):
                    used.setdefault(ELSEWHERE.get(other, "bootlab.logs.beyond"), set()).add(other)
            if name in READINGS:
                used.setdefault(f"bootlab.logs.{READINGS[name]}", set()).add(_behaviour(name))
        lines += [f"from {home} import {', '.join(sorted(names))}" for home, names in sorted(used.items())]
        return [*lines, ""] if used else lines

    def _type(self, name: str) -> list[str]:
        schema = self.types.all[name]
        if "properties" in schema:
            return ["", *self._struct(name, schema), ""]
        words = words_of(schema)
        kind = type_of({key: value for key, value in schema.items() if key != "$ref"}) if words else self._union(name)
        doc = plain(schema.get("description", ""))
        return [f"{name} = {kind}", *(docstring(doc, "") if doc else []), ""]

    def _union(self, name: str) -> str:
        schema = self.types.all[name]
        named = [_name_of(variant["$ref"]) for variant in schema.get("oneOf", ()) if "$ref" in variant]
        return " | ".join(named) if named else type_of(schema)

    def _struct(self, name: str, schema: dict[str, Any]) -> list[str]:
        bases = [_behaviour(name)] if name in READINGS else []
        options = ["frozen=True", "kw_only=True"]
        if tag := self.types.tags.get(name):
            options += [f'tag_field="{tag[0]}"', f'tag="{tag[1]}"']
        lines = [f"class {name}({', '.join([*bases, 'msgspec.Struct', *options])}):"]
        lines += docstring(schema.get("description", name), "    ")
        lines.append("")
        for field, value in schema["properties"].items():
            wider = WIDER.get((name, field))
            lines += self._field(field, value, required=field in schema.get("required", ()), wider=wider)
        for field, kind, doc in MORE.get(name, ()):
            lines += [f"    {field}: {kind} = []", *docstring(doc, "    ")]
        return lines

    def _field(self, field: str, schema: dict[str, Any], *, required: bool, wider: str | None) -> list[str]:
        kind, default = wider or type_of(schema), self._default(schema, required=required)
        written = f"{field}_" if field in {"from", "class", "in"} else field
        if written != field:
            given = f", default={default}" if default else ""
            default = f'msgspec.field(name="{field}"{given})'
        lines = [f"    {written}: {kind}" + (f" = {default}" if default else "")]
        return lines + (docstring(schema["description"], "    ") if "description" in schema else [])

    def _default(self, schema: dict[str, Any], *, required: bool) -> str:  # noqa: PLR0911 - one for each kind
        """Return what a field is where it is left out; lists and all that is optional may be left out in tests too."""
        kind = type_of(schema)
        if "None" in kind.split(" | "):
            return "None"
        if kind.startswith("list["):
            return "[]"
        if kind.startswith("dict[") and not required:
            return "{}"
        if kind == "bool" and not required:
            return "False"
        if "$ref" in schema and self._all_optional(_name_of(schema["$ref"])):
            return f"{kind}()"
        if required:
            return ""
        if "default" in schema:
            return json.dumps(schema["default"])
        # What the core leaves out where it is nothing.
        return {"int": "0", "float": "0.0", "str": '""'}.get(kind, "")

    def _all_optional(self, name: str) -> bool:
        schema = self.types.all[name]
        if "properties" not in schema:
            return False
        required = schema.get("required", ())
        return all(self._default(value, required=field in required) for field, value in schema["properties"].items())


def modules() -> dict[str, str]:
    """Return the text of each module by its name."""
    types = Types()
    texts = {name: Writer(types, name).text() for name in MODULES}
    return {name: _formatted(text) for name, text in texts.items()}


def _formatted(text: str) -> str:
    """Lay a module out as the project's formatter does."""
    command = [sys.executable, "-m", "ruff", "format", "--config", str(FOLDER.parents[2] / "pyproject.toml"), "-"]
    return subprocess.run(command, input=text, capture_output=True, check=True, text=True).stdout


def main(arguments: list[str] | None = None) -> int:
    """Write or check every module; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a module is stale")
    check = parser.parse_args(arguments).check
    stale = []
    for name, text in modules().items():
        path = FOLDER / f"{name}.py"
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path)
        if not check:
            path.write_text(text, encoding="utf-8")
    for path in stale:
        sys.stderr.write(f"{path}: {'stale: run scripts/make-core-views.py' if check else 'written'}\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
