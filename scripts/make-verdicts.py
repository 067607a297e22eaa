#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write benchmarks/verdicts-seen.md: what each technique of the catalogue achieved on real systems.

Usage: make-verdicts.py [--keep] RESULTS.json...   (results of runs; or folders, searched for runs/*/results.json)

If a variant was tried more than once on a system, the latest run counts. Only exact runs count. With --keep, rows
already on the page stay as they are, except those whose technique, system and machine are in the given results: they
are written anew.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from bootlab.errors import BootlabError
from bootlab.model import figures
from bootlab.model.launch import Launch
from bootlab.model.verdict import Trial, Verdict
from bootlab.recordings.recorded_command import launch_in
from bootlab.results import file as results_file
from bootlab.techniques import all_techniques
from bootlab.views.markdown_text import plain
from bootlab.views.shown_text import one_line

PAGE = Path(__file__).resolve().parent.parent / "benchmarks/verdicts-seen.md"
HEAD = """# Verdicts seen

What each technique of the catalogue achieved on the systems it was tried on. `scripts/make-verdicts.py` writes this
page from stored results of exact runs. The page shows that a technique works, from proposal to proof. It does not
show what the technique gains on your system: boot it to find out.

There is one row for each technique and system. If a technique has several variants, the row shows the best one and
counts the verdicts of all. Techniques that no run has tried yet are listed at the end; only tests with recordings
cover them.

A system with a folder in `examples/` is that example. The other systems were made for the purpose; the column
*machine* says what they ran on.

"""
COLUMNS = (
    "| technique | system | machine | verdicts | best, ms saved | proof or reason |",
    "|---|---|---|---|--:|---|",
)
MISSING = "## Not tried on a system yet"
# A row's first cells: they are all that is read back.
_ROW = re.compile(r"\| `([^`|]+)` \| ((?:[^\\|]|\\.)*) \| ((?:[^\\|]|\\.)*) \| ")


def main(arguments: list[str], page: Path = PAGE) -> int:
    """Read results, write the page."""
    keep = "--keep" in arguments
    arguments = [argument for argument in arguments if argument != "--keep"]
    if not arguments:
        sys.stderr.write(__doc__ or "")
        return 2
    try:
        rows = _rows_of(page) if keep else {}
    except (OSError, ValueError) as error:
        sys.stderr.write(f"nothing written: {error}\n")
        return 2
    seen: dict[tuple[str, str, str], dict[str, tuple[str, Trial]]] = {}
    for path in sorted(file for argument in arguments for file in _files(Path(argument))):
        try:
            results = results_file.load(path)
        except BootlabError as error:
            sys.stderr.write(f"left out: {error}\n")
            continue
        if results.mode != "exact":
            continue
        machine = _machine(results.base.launch or launch_in(results.base.command))
        for trial in results.trials:
            if trial.verdict is Verdict.NOT_BOOTED:
                continue
            variants = seen.setdefault((trial.change.technique, results.system_name, machine), {})
            if variants.get(trial.change.id, ("",))[0] <= results.started:
                variants[trial.change.id] = (results.started, trial)
    for (technique, system, machine), variants in seen.items():
        row = _row(technique, system, machine, [trial for _, trial in variants.values()])
        rows[_key(row)] = row
    ids = [technique.id for technique in all_techniques()]
    for technique in sorted({key[0] for key in rows} - set(ids)):
        sys.stderr.write(f"left out: the catalogue has no technique {technique}\n")
    tried = {technique for technique, _, _ in rows}
    missing = [f"`{name}`" for name in ids if name not in tried]
    shown = [row for name in ids for key, row in sorted(rows.items()) if key[0] == name]
    text = HEAD + "\n".join([*COLUMNS, *shown]) + f"\n\n{MISSING}\n\n" + (", ".join(missing) or "None.") + "\n"
    page.write_text(text, encoding="utf-8")
    sys.stderr.write(f"{len(tried & set(ids))} of {len(ids)} techniques have a verdict; wrote {page}\n")
    return 0


def _files(path: Path) -> list[Path]:
    return sorted(path.glob("runs/*/results.json")) if path.is_dir() else [path]


def _rows_of(page: Path) -> dict[tuple[str, str, str], str]:
    """Return the rows of a page that was written before, by technique, system and machine; each row as it stands."""
    head, found, rest = page.read_text(encoding="utf-8").partition("\n".join(COLUMNS) + "\n")
    table, ends, _ = rest.partition(f"\n{MISSING}\n")
    if not (head and found and ends):
        raise ValueError(f"{page} is not a page of verdicts")
    return {_key(row): row for row in table.splitlines() if row}


def _key(row: str) -> tuple[str, str, str]:
    found = _ROW.match(row)
    if not found:
        raise ValueError(f"a row cannot be read: {row[:100]}")
    technique, *names = found.groups()
    system, machine = (re.sub(r"\\(.)", r"\1", name) for name in names)
    return technique, system, machine


def _machine(launch: Launch | None) -> str:
    """Return architecture and machine type; a dash where they are not known."""
    return figures.ABSENT if launch is None else f"{launch.arch} {launch.machine}"


def _row(name: str, system: str, machine: str, trials: list[Trial]) -> str:
    count = {verdict: sum(trial.verdict is verdict for trial in trials) for verdict in Verdict}
    words = ", ".join(f"{n} {verdict.value}" for verdict, n in count.items() if n)
    shown = [trial for trial in trials if trial.effect is not None and trial.effect.shown] or trials
    best = max(shown, key=lambda trial: trial.saved_ns if trial.saved_ns is not None else -(1 << 62))
    saved = figures.signed_ms(best.saved_ns) if best.saved_ns is not None else figures.ABSENT
    proved = best.effect is not None and best.effect.shown and best.verdict is not Verdict.BROKEN
    proof = best.effect.evidence if best.effect is not None and proved else best.reason
    return f"| `{name}` | {plain(system)} | {plain(machine)} | {words} | {saved} | {plain(one_line(proof, 160))} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
