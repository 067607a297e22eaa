# SPDX-License-Identifier: MIT
# ruff: noqa: E501 - a row of a Markdown table is one line
"""`techniques.md`: the catalogue."""

from __future__ import annotations

from bootlab.techniques.base import Technique
from bootlab.techniques.registry import BUILT_IN
from reference_pages.markdown import table

_PROOFS = {
    "recording": "marks, artefact sizes or the console of the two timing boots",
    "kernel-log": "a line of the kernel's log",
    "diagnosis": "a diagnostic boot",
}
_INTRODUCTION = """\
# Techniques

{count} techniques, in the order in which bootlab lists and tries them. A boot decides whether one helps your system. A published gain is from the
machine named with it. Some techniques cost security, function or run time (the running system is slower, or needs more power or memory). bootlab
tries these too, but *stacks* them only if you name them with `--also ID`, or allow each kind of cost with `--allow security`, `--allow function` or
`--allow runtime`.

To write one: [add a technique](../how-to/add-a-technique.md). [Verdicts](../explanation/verdicts.md) explains what the verdicts mean.

"""


def render() -> str:
    """Return the page."""
    rows = [
        (
            f"[`{t.id}`](#{t.id})",
            t.stage,
            ", ".join(t.risk.kinds),
            "only if allowed" if t.risk.off_by_default else "yes",
            t.title,
        )
        for t in BUILT_IN
    ]
    head = ("id", "stage", "costs", "stacked", "what")
    parts = [_INTRODUCTION.format(count=len(BUILT_IN)), table(head, rows)]
    parts += [_section(t) for t in BUILT_IN]
    return "".join(parts)


def _section(technique: Technique) -> str:
    lines = [f"\n## {technique.id}\n", f"{technique.title}. {technique.what}\n"]
    lines.append(f"* **Why it helps**: {technique.why}")
    lines.append(f"* **When it does not**: {technique.when_not}")
    lines.append(f"* **Cost**: {technique.cost}")
    lines += [f"* **Risk, {kind}**: {getattr(technique.risk, kind)}" for kind in technique.risk.kinds]
    lines.append(
        f"* **Kernels**: {technique.kernels}; **architectures**: {', '.join(technique.architectures) or 'any'}"
    )
    if technique.builds:
        lines.append("* **Needs a kernel build**: the system must name the kernel's source")
    if technique.stage == "loader":
        source = ", which names the `source` to build" if getattr(technique, "needs_build", True) else ""
        lines.append(f"* **Needs a boot loader**: the system file has a table `[loader]`{source}")
    lines.append(f"* **Proof of effect**: {_PROOFS[technique.proof]}")
    if technique.requires:
        lines.append(f"* **Requires**: {', '.join(technique.requires)}")
    if technique.conflicts:
        lines.append(f"* **Excludes**: {', '.join(f'`{c}`' for c in technique.conflicts)}")
    if technique.hidden_by:
        lines.append(f"* **Not tried beside**: {', '.join(f'`{c}`' for c in technique.hidden_by)}")
    if technique.late:
        lines.append("* **Tried again at the end of `stack`**: it may help or hurt depending on what else is stacked")
    lines += [f"* **Published**: {p.gain}, {p.machine} ({p.source})" for p in technique.published]
    lines += [f"* **Reference**: {r}" for r in technique.references]
    return "\n".join(" ".join(line.split()) if line.startswith("*") else line for line in lines) + "\n"
