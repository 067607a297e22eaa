# SPDX-License-Identifier: MIT
"""The tables of a run that hold no trials: stages, what is modelled, the catalogue's answers."""

from __future__ import annotations

from collections.abc import Sequence

from bootlab.model import figures
from bootlab.model.comparison import Column, Comparison, Row, Table, Value
from bootlab.model.modelled import ModelledRow, both_ends
from bootlab.model.timeline import ALL_STAGES, INITRD
from bootlab.results.document import BootSummary, RunDocument
from bootlab.techniques.base import Answer
from bootlab.views.run.tables import risk_flags


def stages(results: RunDocument) -> Comparison:
    """Return how long each stage takes in the base and, if there is one, in the stacked system."""
    first = "boot" if results.kind == "boot" else "base"
    boots = {"base": (first, results.base)} | ({"final": ("stacked", results.final)} if results.final else {})
    columns = [Column(key="title", title="stage")]
    whole = results.base.whole
    values: dict[str, dict[str, Value]] = {name: {} for name in (*_names([boot for _, boot in boots.values()]), whole)}
    for key, (title, boot) in boots.items():
        columns += [
            Column(key=f"{key}_ns", title=title, kind="ms", under=f"{boot.clock} ms", unsure=f"{key}_unsure_ns"),
            Column(key=f"{key}_share", title="share", kind="percent"),
            Column(key=f"{key}_insns", title="instructions", kind="count"),
        ]
        took = {stage.name: (stage.duration_ns, boot.stage_insns(stage)) for stage in boot.stages}
        for name, row in values.items():
            length, insns = (boot.goal_ns, boot.goal_insns) if name == whole else took.get(name, (None, None))
            share = length / boot.goal_ns if length is not None and boot.goal_ns else None
            row |= {f"{key}_ns": length, f"{key}_share": share, f"{key}_insns": insns}
            row |= {f"{key}_unsure_ns": boot.unsure_ns}
    if results.final is not None and results.comparable:
        columns.append(Column(key="saved_ns", title="saved", kind="signed-ms", under="ms"))
        for name, row in values.items():
            # A stage that the stacked boot has not is all saved.
            row["saved_ns"] = _less(row["base_ns"], row["final_ns"] if name == whole else row["final_ns"] or 0)
    rows = [Row(id=name, title=name, values=row) for name, row in values.items()]
    return _alone("Stages", results, columns, rows)


def _names(boots: Sequence[BootSummary]) -> list[str]:
    known = [name for name, _, _ in ALL_STAGES]
    known.insert(known.index("user space"), INITRD)
    named = dict.fromkeys(stage.name for boot in boots for stage in boot.stages)
    return sorted(named, key=lambda name: known.index(name) if name in known else len(known))


def _less(before: Value, after: Value) -> int | None:
    return before - after if isinstance(before, int) and isinstance(after, int) else None


def loads(results: RunDocument) -> Comparison | None:
    """Return what the boot loader of each boot loaded, in what time; None where none was seen to load anything."""
    boots = {"base": results.base} | ({"final": results.final} if results.final else {})
    titles = {"base": "boot" if results.kind == "boot" else "base", "final": "stacked"}
    rows = [
        Row(
            id=f"{key} {number}",
            title=load.name,
            values={
                "boot": titles[key],
                "size_bytes": load.size_bytes,
                "took_ns": load.duration_ns,
                "unsure_ns": boot.unsure_ns,
                "rate": load.bytes_per_s,
                "source": load.source,
            },
        )
        for key, boot in boots.items()
        for number, load in enumerate(boot.timeline.loads if boot.timeline else ())
    ]
    if not rows:
        return None
    columns = [
        *([Column(key="boot", title="boot")] if results.final else []),
        Column(key="title", title="loaded"),
        Column(key="size_bytes", title="bytes", kind="count"),
        Column(key="took_ns", title="took", kind="ms", under=f"{results.base.clock} ms", unsure="unsure_ns"),
        Column(key="rate", title="rate", kind="rate", under="MB/s"),
        Column(key="source", title="seen by", wide=True),
    ]
    return _alone("Loaded by the boot loader", results, columns, rows)


def forecast(results: RunDocument) -> Comparison | None:
    """Return what each stage would take on a board's processor, at both ends; None where none was modelled."""
    costing = results.costing
    if costing is None:
        return None
    columns = [
        Column(key="title", title="stage"),
        Column(key="exact_ns", title="exact", kind="ms", under="virtual ms"),
        _forecast_column("forecast", "forecast"),
        _forecast_column("computed", "computed"),
        Column(key="waited_ns", title="waited", kind="ms", under="virtual ms"),
        _forecast_column("printed", "printed"),
        _forecast_column("loaded", "loaded"),
        Column(key="instructions", title="instructions", kind="count"),
    ]
    rows = []
    for stage in costing.shown:
        parts = {"forecast": stage.forecast_ns, "computed": stage.computed_ns}
        parts |= {"printed": stage.printed_ns, "loaded": stage.loaded_ns}
        values: dict[str, Value] = {"exact_ns": stage.exact_ns, "waited_ns": stage.waited_ns}
        values["instructions"] = stage.instructions
        for name, ns in parts.items():
            shown = ns.high or name in {"forecast", "computed"}
            values |= {f"{name}_least_ns": round(ns.low) if shown else None}
            values |= {f"{name}_most_ns": round(ns.high) if shown else None}
        rows.append(Row(id=stage.name, title=stage.name, values=values))
    return _alone(f"Forecast for {costing.title} ({costing.not_in_it})", results, columns, rows)


def _forecast_column(name: str, title: str) -> Column:
    return Column(key=f"{name}_least_ns", title=title, kind="ms", under="modelled, ms", ends=f"{name}_most_ns")


def modelled(results: RunDocument) -> Comparison | None:
    """Return what a board would add to each boot, by simple models; None where nothing is modelled."""
    model = results.modelled
    if model is None or not model.rows:
        return None
    columns = [
        Column(key="title", title="boot"),
        Column(key="console_bytes", title="console", kind="count", under="characters"),
        _modelled_column("console", f"{figures.count(model.baud)} baud"),
        Column(key="image_bytes", title="images", kind="count", under="bytes"),
    ]
    if model.bandwidth_bytes_per_s:
        rate = f"{model.bandwidth_bytes_per_s / 1e6:g} MB/s"
        columns.append(_modelled_column("image", rate))
    rows = [Row(id=row.subject, title=row.subject, values=_modelled_row(row)) for row in model.rows]
    return _alone("Modelled costs on hardware", results, columns, rows)


def _modelled_column(what: str, rate: str) -> Column:
    return Column(key=f"{what}_least_ns", title=f"at {rate}", kind="ms", under="modelled, ms", ends=f"{what}_most_ns")


def _modelled_row(row: ModelledRow) -> dict[str, Value]:
    return {
        "console_bytes": row.console_bytes,
        "image_bytes": row.image_bytes,
        **both_ends("console", row.console),
        **both_ends("image", row.images),
    }


def techniques(results: RunDocument) -> Comparison:
    """Return every technique of the catalogue: does it apply here, and why."""
    order = {Answer.YES: 0, Answer.UNKNOWN: 1, Answer.NO: 2}
    keys = {"title": "technique", "applies": "applies", "stage": "stage", "risk": "risk", "reason": "reason",
            "evidence": "evidence", "what": "what it does"}  # fmt: skip
    columns = [Column(key=key, title=title, wide=key in {"stage", "what"}) for key, title in keys.items()]
    rows = [
        Row(
            id=t.id,
            title=t.id,
            proved=t.answer is not Answer.NO,
            reason=t.reason,
            values={
                "applies": t.answer.value,
                "stage": t.stage,
                "risk": risk_flags(t.risk),
                "evidence": t.evidence,
                "what": t.title,
            },
        )
        for t in sorted(results.techniques, key=lambda t: (order[t.answer], t.id))
    ]
    return _alone("Techniques", results, columns, rows)


def _alone(title: str, results: RunDocument, columns: Sequence[Column], rows: Sequence[Row]) -> Comparison:
    """Return a comparison of one table that shows all it has."""
    return Comparison(
        kind=title.lower(),
        system=results.system_name,
        clock=results.base.clock,
        columns=tuple(columns),
        tables=(Table(title=title, columns=tuple(column.key for column in columns)),),
        rows=tuple(rows),
    )
