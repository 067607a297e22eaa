# SPDX-License-Identifier: MIT
"""The ladder: every technique's time and size against the base, sorted, with its proof and what others published.

The form is the table "Most successful techniques" of Bootlin's boot-time training: technique, time, size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bootlab.experiments import ladder_media
from bootlab.model import figures
from bootlab.model.change_text import change_text
from bootlab.model.comparison import Column, Comparison, Row, Table, Value
from bootlab.model.costs import Between
from bootlab.model.modelled import DEFAULT_BANDWIDTH, LOADED, both_ends, load_ends_ns
from bootlab.model.verdict import Trial, Verdict
from bootlab.techniques.base import Technique

PUBLISHED_ON = "BeagleBone"
"""Of what was published, the training's own board stands beside each row."""

STAGES = ("image", "kernel", "initramfs", "storage")
"""The stages of the techniques that a ladder tries when none is named."""

# Of these techniques it is asked which medium they are good for: they pack the images, and change little else.
_PACKING_STAGES = frozenset({"image", "initramfs"})

# What has no time to show.
_LOST = frozenset({Verdict.BROKEN, Verdict.NOT_BOOTED})

_COLUMNS = (
    Column(key="title", title="technique"),
    Column(key="id", title="change"),
    # A ladder shows what the time became: a saving is a minus, as in the training's table.
    Column(key="time_ns", title="time", kind="signed-ms", under="ms"),
    Column(key="image_change", title="image"),
    Column(key="stage", title="stage"),
    Column(key="verdict", title="verdict"),
    Column(key="published", title=f"published ({PUBLISHED_ON})"),
    Column(key="load_least_ns", title="load", kind="ms", under="modelled, ms", ends="load_most_ns"),
    Column(key="decompression_ns", title="decompression", kind="ms", under="ms"),
    Column(key="kernel_ns", title="kernel", kind="ms", under="ms"),
    Column(key="proof", title="proof"),
    Column(key="decision", title="on the board"),
    Column(key="least_ns", title="saved there, at least", kind="signed-ms", under="board's ms"),
    Column(key="most_ns", title="at most", kind="signed-ms", under="board's ms"),
    Column(key="turns", title="pays"),
    *ladder_media.COLUMNS,
)
# Nobody reads eleven columns at once.
_TABLES = (
    Table(columns=("title", "time_ns", "image_change", "stage", "verdict", "published"), group=ladder_media.CHANGE),
    Table(
        title="Stages with the change, and proof",
        columns=("id", "load_least_ns", "decompression_ns", "kernel_ns", "proof"),
        group=ladder_media.CHANGE,
    ),
)

_BOARD_TABLE = Table(
    title="On the board whose costs were given",
    columns=("id", "decision", "least_ns", "most_ns", "turns"),
    group=ladder_media.CHANGE,
)


def ladder(
    system: str,
    clock: str,
    base: tuple[int | None, Mapping[str, int]],
    trials: tuple[Trial, ...],
    technique: Callable[[str], Technique],
    *,
    bandwidth_bytes_per_s: int = DEFAULT_BANDWIDTH,
) -> Comparison:
    """Sort trials into a ladder: proved ones by the time they save, then those without proof, then what has no time.

    `base`: the goal's time in nanoseconds and the sizes of the artefacts. `technique` gives the catalogue's entry of an
    id. The image whose size stands in the table is the kernel, or what holds the tree where no kernel changed.
    """
    base_ns, base_bytes = base
    image = _image(base_bytes, trials)
    rows = [
        _row(trial, technique(trial.change.technique), image, base_bytes.get(image), bandwidth_bytes_per_s)
        for trial in trials
    ]
    rows.sort(key=_order)
    base_load = _load(base_bytes, bandwidth_bytes_per_s)
    base_loads = figures.ABSENT if base_load is None else base_load.text(1e6)
    proved = sum(row.proved and row.ok for row in rows)
    media = ladder_media.rows(_loaded_bytes(base_bytes), _packings(trials, technique, _loaded_bytes(base_bytes)))
    tables = (*_TABLES, _BOARD_TABLE) if any(trial.board is not None for trial in trials) else _TABLES
    name = "image" if image == "kernel" else image
    return Comparison(
        kind="ladder",
        system=system,
        clock=clock,
        headline=(
            f"{system}: {proved} proved rows, base {figures.ms(base_ns)} {clock} ms, "
            f"{name} {figures.size(base_bytes.get(image))}"
        ),
        footnote=(
            "Each row is the base with one change, booted from power-on to the goal. Times are on the "
            f"{clock} clock; a minus is a gain. A time is the difference of the medians of the boots that the verdict "
            "rests on, in exact mode under dithers. A row called same is not a gain, whatever its time. Gains do not "
            "add up: `bootlab stack` finds out how much they save together. The times do not include the loading of "
            "the images, which takes time on a board. It is modelled in a column of its own, as the bytes of kernel "
            f"and initramfs over {bandwidth_bytes_per_s / 1e6:g} MB/s (base: {base_loads} ms), as wide as the model "
            "was off on boards of known rates. "
            f"Published figures are from another board.{' ' + ladder_media.NOTE if media else ''}"
        ),
        facts={
            "image": image,
            "base_ns": base_ns,
            "base_image_bytes": base_bytes.get(image),
            **both_ends("base_load", base_load),
            "bandwidth_bytes_per_s": bandwidth_bytes_per_s,
        },
        columns=_COLUMNS,
        tables=(*tables, ladder_media.TABLE) if media else tables,
        rows=(*rows, *media),
    )


def _packings(
    trials: tuple[Trial, ...], technique: Callable[[str], Technique], base_bytes: int | None
) -> list[ladder_media.Packing]:
    """Return the proved changes that pack the images in another way, with what is loaded then."""
    packings = []
    for trial in trials:
        loaded, saved_ns = _loaded_bytes(trial.artefact_bytes), trial.saved_ns
        proved = trial.verdict not in _LOST and trial.effect is not None and trial.effect.shown
        packs = technique(trial.change.technique).stage in _PACKING_STAGES
        if proved and packs and loaded is not None and loaded != base_bytes and saved_ns is not None:
            packings.append(ladder_media.Packing(name=trial.change.id, loaded_bytes=loaded, time_ns=-saved_ns))
    return packings


def _image(base: Mapping[str, int], trials: tuple[Trial, ...]) -> str:
    changed = {name for trial in trials for name, size in trial.artefact_bytes.items() if size != base.get(name)}
    return next((name for name in ("initramfs", "root") if name in changed and "kernel" not in changed), "kernel")


def _order(row: Row) -> tuple[int, int, int, str]:
    group = 2 if not row.ok else (0 if row.proved else 1)
    return group, -(row.ns("saved_ns") or 0), -(row.ns("image_saved_bytes") or 0), row.id


def _loaded_bytes(artefact_bytes: Mapping[str, int]) -> int | None:
    loaded = [size for name, size in artefact_bytes.items() if name in LOADED]
    return sum(loaded) if loaded else None


def _load(artefact_bytes: Mapping[str, int], bandwidth_bytes_per_s: int) -> Between | None:
    loaded = _loaded_bytes(artefact_bytes)
    return None if loaded is None else load_ends_ns(loaded, bandwidth_bytes_per_s)


def _row(trial: Trial, technique: Technique, part: str, base_bytes: int | None, bandwidth_bytes_per_s: int) -> Row:
    image = trial.artefact_bytes.get(part)
    saved_bytes = base_bytes - image if base_bytes is not None and image is not None else None
    published = next((p.gain for p in technique.published if PUBLISHED_ON in p.machine and p.about(trial.change)), "")
    lost = trial.verdict in _LOST
    proved = not lost and trial.effect is not None and trial.effect.shown
    after = {delta.stage: delta.after_ns for delta in trial.stages}
    saved_ns = None if lost else trial.saved_ns
    values: dict[str, Value] = {
        "group": ladder_media.CHANGE,
        "what": change_text(trial.change),
        "saved_ns": saved_ns,
        "time_ns": None if saved_ns is None else -saved_ns,
        "base_ns": trial.base_ns,
        "image_bytes": image,
        "image_saved_bytes": saved_bytes,
        "image_change": _size_change(image, saved_bytes),
        "stage": _main_stage(trial),
        "published": published,
        "costs": " ".join(technique.risk.kinds),
        **both_ends("load", _load(trial.artefact_bytes, bandwidth_bytes_per_s)),
        "decompression_ns": after.get("decompression"),
        "kernel_ns": after.get("kernel"),
    }
    if trial.board is not None:
        least_ns, most_ns = trial.board.saved_ns
        values |= {"decision": trial.board.verdict.value, "least_ns": least_ns, "most_ns": most_ns}
        values["turns"] = trial.board.turns_text(trial.change.id)
    return Row(
        id=trial.change.id,
        title=f"{technique.title} ({trial.change.id})",
        ok=not lost,
        proved=proved,
        verdict=trial.verdict.value,
        reason=trial.reason if lost else "",
        proof=trial.reason if lost or trial.effect is None else trial.effect.evidence,
        key=trial.key or "",
        values=values,
    )


def _size_change(image: int | None, saved: int | None) -> str:
    if not saved or image is None:
        return ""
    sign = "\u2212" if saved > 0 else "+"
    return f"{sign}{figures.size(abs(saved))} ({sign}{figures.percent(abs(saved), image + saved)})"


def _main_stage(trial: Trial) -> str:
    known = [(d.stage, (d.before_ns or 0) - (d.after_ns or 0)) for d in trial.stages]
    largest = max(known, key=lambda pair: abs(pair[1]), default=("", 0))
    return largest[0] if largest[1] else ""
