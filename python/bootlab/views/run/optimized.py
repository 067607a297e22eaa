# SPDX-License-Identifier: MIT
"""What an optimisation adds to the tables of a run: the waterfall, what to undo for debugging, options that stayed."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from bootlab import techniques
from bootlab.errors import UserError
from bootlab.model.change_text import change_text
from bootlab.model.comparison import Row, Table
from bootlab.results.document import RunDocument, StackStepRow

TABLES = (
    Table(
        title="Waterfall: from the base to the result, one boot each",
        columns=("title", "saved_ns", "goal_ns", "of_base", "risk", "words", "what"),
        group="bar",
    ),
    Table(title="What the kept changes cost and risk", columns=("title", "risk", "price"), group="cost"),
    Table(
        title="Security and function, before and after: what differs",
        columns=("title", "before", "after", "words"),
        group="contrast",
    ),
    Table(title="What to undo for debugging", columns=("title", "lost"), group="undo"),
    Table(title="Kernel options whose code never ran and that stayed", columns=("title", "words"), group="option"),
    Table(title="Files, modules and applets that had to stay", columns=("title", "words"), group="part"),
    Table(title="Asked of a boot: does it still work?", columns=("title", "words"), group="question"),
)


_FALLS_SHORT = "with these and the changes before them alone it does not reach its goal"


def rows(results: RunDocument) -> list[Row]:
    """Return the rows of these tables; none for a run that is no optimisation."""
    base_ns = results.base.goal_ns
    left_out = {} if results.stack is None else {row.change_id: row for row in results.stack.leave_one_out}
    what = {} if results.stack is None else {change.id: change for change in results.stack.changes}
    proofs = {} if results.stack is None else proofs_of(results.stack.steps)
    found: list[Row] = []
    for number, bar in enumerate(results.waterfall, 1):
        risks = [results.risk_of(one.partition(":")[0]) for one in bar.changes]
        kinds = dict.fromkeys(kind for risk in risks for kind in risk.kinds)
        texts = {one: change_text(what[one]) for one in bar.changes if one in what}
        words = [said for one in bar.changes if (said := proofs.get(one) or texts.get(one, ""))]
        costs = [row.cost_ns for one in bar.changes if (row := left_out.get(one)) and row.cost_ns is not None]
        if len(costs) == 1 and bar.saved_ns is not None and bar.differs(costs[0]):
            words.append(_last(bar.saved_ns, costs[0], bar.partner))
        if bar.after_ns is None:
            words.insert(0, _FALLS_SHORT)
        found.append(
            Row(
                id=f"bar {number}",
                title=" + ".join(bar.changes),
                key=bar.key,
                ok=bar.after_ns is not None,
                reason="" if bar.after_ns is not None else _FALLS_SHORT,
                values={
                    "group": "bar",
                    "number": number,
                    "saved_ns": bar.saved_ns,
                    "base_ns": bar.before_ns,
                    "goal_ns": bar.after_ns,
                    "of_base": bar.after_ns / base_ns if bar.after_ns is not None and base_ns else None,
                    "risk": _flags(tuple(kinds)),
                    "what": "; ".join(texts.values()),
                    "words": "; ".join(words),
                },
            )
        )
    if results.waterfall:
        ids = dict.fromkeys(change for bar in results.waterfall for change in bar.changes)
        lost = ((one, results.risk_of(one.partition(":")[0]).debuggability) for one in ids)
        found += [made for one in ids if (made := _cost(one, results)).values["price"]]
        found += [Row(id=f"undo {one}", title=one, values={"group": "undo", "lost": why}) for one, why in lost if why]
    found += [
        Row(id=f"option {name}", title=f"CONFIG_{name}", reason=why, values={"group": "option", "words": why})
        for name, why in results.options_kept.items()
    ]
    found += [
        Row(id=f"part {name}", title=name, reason=why, values={"group": "part", "words": why})
        for name, why in results.parts_kept.items()
    ]
    found += [
        Row(
            id=f"{one.kind} {one.subject}",
            title=f"{one.kind}: {one.subject}",
            ok=not one.refused,
            values={"group": "contrast", "before": one.before, "after": one.after, "words": one.leave},
        )
        for one in results.contrasts
    ]
    found += [
        Row(
            id=f"question {number}",
            title=one.what,
            key=one.key,
            ok=not one.broken,
            reason=one.broken,
            values={"group": "question", "words": one.broken or "it works"},
        )
        for number, one in enumerate(results.questions, 1)
    ]
    return found


def proofs_of(steps: Iterable[StackStepRow]) -> dict[str, str]:
    """Return what proved that each change was active in a boot, by its id; of several proofs the last."""
    found: dict[str, str] = {}
    for step in steps:
        found |= step.each or {step.change_id: step.evidence}
    return found


def _last(saved_ns: int, cost_ns: int, partner: tuple[str, ...]) -> str:
    """Say that a change is worth more, or less, in the result than where it was taken, and because of which other."""
    if cost_ns > saved_ns:
        with_it = ", ".join(partner) or "later changes"
        return f"without it the result comes {cost_ns / 1e6:.3f} ms later: it saves more together with {with_it}"
    others = f"{', '.join(partner)} saves" if partner else "other changes save"
    return f"without it the result comes only {cost_ns / 1e6:.3f} ms later: {others} part of the same"


def _cost(change_id: str, results: RunDocument) -> Row:
    """Return what a kept change costs: the catalogue's words, and what is lost for good by kind."""
    name = change_id.partition(":")[0]
    risk = results.risk_of(name)
    lost = [f"{_KINDS[kind]}: {getattr(risk, kind)}" for kind in risk.kinds]
    with suppress(UserError):
        lost.insert(0, techniques.get(name).cost)
    return Row(
        id=f"cost {change_id}",
        title=change_id,
        values={
            "group": "cost",
            "risk": _flags(risk.kinds),
            "price": " ".join(map(_sentence, lost)).replace("`", ""),
        },
    )


_KINDS = {"security": "Security", "function": "Function", "runtime": "Run time", "debuggability": "Debugging"}


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _flags(kinds: tuple[str, ...]) -> str:
    return "".join({"security": "S", "function": "F", "runtime": "R", "debuggability": "d"}[kind] for kind in kinds)
