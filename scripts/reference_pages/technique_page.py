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

{count} techniques, in the order in which they are listed and tried. A boot decides whether one helps; a published gain
belongs to the machine beside it. All are tried. One that costs security, function or run time (the running system is
slower, or takes more power or memory) is *stacked* only when it is named, with `--also ID`, or when each of its costs is
let in, with `--allow security`, `--allow function` or `--allow runtime`.

To write one: [add a technique](../how-to/add-a-technique.md). What the verdicts mean: [verdicts](../explanation/verdicts.md).

"""


def render() -> str:
    """Return the page."""
    rows = [
        (
            f"[`{t.id}`](#{t.id})",
            t.stage,
            ", ".join(t.risk.kinds),
            "only when asked" if t.risk.off_by_default else "yes",
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
    lines.append(f"* **Proof of effect**: {_PROOFS[technique.proof]}")
    if technique.requires:
        lines.append(f"* **Requires**: {', '.join(technique.requires)}")
    if technique.conflicts:
        lines.append(f"* **Excludes**: {', '.join(f'`{c}`' for c in technique.conflicts)}")
    if technique.late:
        lines.append("* **Tried again at the end of `stack`**: its sign may turn once others are stacked")
    lines += [f"* **Published**: {p.gain}, {p.machine} ({p.source})" for p in technique.published]
    lines += [f"* **Reference**: {r}" for r in technique.references]
    return "\n".join(" ".join(line.split()) if line.startswith("*") else line for line in lines) + "\n"
