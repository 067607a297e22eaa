# SPDX-License-Identifier: MIT
"""Man pages: the program's and one for each verb, made of what `--help` says. Their form: man(7), man-pages(7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bootlab.cli.verb_list import ABOUT, GROUPS
from reference_pages.cli_page import ENVIRONMENT, commands
from reference_pages.exit_code_page import meanings


def pages(version: str) -> dict[str, str]:
    """Return each page's text by its file's name: `bootlab.1`, `bootlab-boot.1`, `bootlab-board-compare.1`."""
    written = {"bootlab.1": _program(version)}
    for path, command, context in commands():
        name = f"bootlab-{path.replace(' ', '-')}"
        written[f"{name}.1"] = _verb(name, path, command, context, version)
    return written


def _program(version: str) -> str:
    parts = [_head("bootlab", ABOUT.rstrip("."), version), ".SH SYNOPSIS\n.B bootlab\n.I VERB\n[\\fIOPTION\\fR...]\n"]
    for title, verbs in GROUPS.items():
        parts.append(f".SH {_quoted(title.upper())}\n")
        parts += [f".TP\n.BR bootlab-{_text(verb)} (1)\n{_line(place[2])}\n" for verb, place in verbs.items()]
    parts.append(".SH ENVIRONMENT\n")
    parts += [_entry(name, meaning) for name, meaning in ENVIRONMENT.items()]
    parts.append(".SH EXIT STATUS\n")
    parts += [_entry(code, meaning.replace(", below", "; see the reference")) for code, meaning in meanings()]
    return "".join(parts)


def _verb(name: str, path: str, command: Any, context: Any, version: str) -> str:
    first, *further = [" ".join(part.split()) for part in (command.help or "").split("\n\n")]
    parts = [_head(name, command.get_short_help_str(100).rstrip("."), version)]
    usage = " ".join(command.collect_usage_pieces(context))
    parts.append(f".SH SYNOPSIS\n.B bootlab {_text(path)}\n{_line(usage)}\n.SH DESCRIPTION\n{_line(first)}\n")
    parts += [f".PP\n{_line(part)}\n" for part in further if part]
    for title, rows in _rows(command, context):
        parts.append(f".SH {_quoted(title)}\n")
        parts += [_entry(term, meaning) for term, meaning in rows]
    parts.append(".SH SEE ALSO\n.BR bootlab (1)\n")
    return "".join(parts)


def _rows(command: Any, context: Any) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    records: dict[str, list[tuple[str, str]]] = {"ARGUMENTS": [], "OPTIONS": []}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            records["ARGUMENTS" if parameter.param_type_name == "argument" else "OPTIONS"].append(record)
    if getattr(command, "commands", None):
        records["VERBS"] = [(verb, inner.get_short_help_str(100)) for verb, inner in command.commands.items()]
    return ((title, rows) for title, rows in records.items() if rows)


def _head(name: str, about: str, version: str) -> str:
    return (
        f".TH {_quoted(name.upper())} 1 {_quoted('')} {_quoted(f'bootlab {version}')} {_quoted('User commands')}\n"
        f".SH NAME\n{_text(name)} \\- {_text(about)}\n"
    )


def _entry(term: str, meaning: str) -> str:
    return f".TP\n.B {_text(term)}\n{_line(' '.join(meaning.split()))}\n"


def _quoted(text: str) -> str:
    return '"' + _text(text).replace('"', "\\(dq") + '"'


def _line(text: str) -> str:
    """Return a line of text that no formatter takes for a request."""
    escaped = _text(text)
    return "\\&" + escaped if escaped.startswith((".", "'")) else escaped or "\\&"


def _text(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...").replace("`", "")
