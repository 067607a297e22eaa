"""The ladder: every technique's time and size against the base, sorted, with its proof and what others published.

The form is the table "Most successful techniques" of Bootlin's boot-time training: technique, time, size.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from bootlab.model.verdict import Trial, Verdict
from bootlab.report.change_text import change_text
from bootlab.report.modelled import DEFAULT_BANDWIDTH, load_ns
from bootlab.report.results import Results
from bootlab.techniques.base import Technique

PUBLISHED_ON = "BeagleBone"
"""Of what was published, the training's own board stands beside each row."""


# What a boot loader reads whole; a root file system is read as it is used.
_LOADED = ("kernel", "initramfs")

# What has no time to show.
_LOST = (Verdict.BROKEN.value, Verdict.NOT_BOOTED.value)


class Rung(msgspec.Struct, frozen=True, kw_only=True):
    """One variant against the base. Times in nanoseconds of the run's clock, sizes in bytes; None: not known.

    `stage` is the stage of the boot in which most was saved (or lost). `proved`: the recording shows that the change
    was active. `published`: the same technique on a BeagleBone. `load_ns` is modelled: the bytes of kernel and
    initramfs over the ladder's bandwidth; `decompression_ns` and `kernel_ns` are the stages' lengths with the change.
    """

    change: str
    title: str
    what: str
    verdict: str
    proved: bool
    proof: str
    saved_ns: int | None = None
    base_ns: int | None = None
    image_bytes: int | None = None
    image_saved_bytes: int | None = None
    stage: str = ""
    published: str = ""
    costs: tuple[str, ...] = ()
    load_ns: int | None = None
    decompression_ns: int | None = None
    kernel_ns: int | None = None


class Ladder(msgspec.Struct, frozen=True, kw_only=True):
    """All rungs of one system: proved ones by the time they save, then those without proof, then what has no time.

    `image`: the artefact whose size stands in the table: the kernel, or what holds the tree where no kernel changed.
    """

    format: str = "bootlab-ladder"
    version: int = 1
    system: str
    clock: str
    image: str = "kernel"
    base_ns: int | None
    base_image_bytes: int | None
    base_load_ns: int | None = None
    bandwidth_bytes_per_s: int = DEFAULT_BANDWIDTH
    rungs: tuple[Rung, ...] = ()

    @property
    def proved(self) -> tuple[Rung, ...]:
        """Return the rungs whose effect was shown and whose system still works."""
        return tuple(rung for rung in self.rungs if rung.proved and rung.verdict not in _LOST)


def ladder(
    results: Results, technique: Callable[[str], Technique], *, bandwidth_bytes_per_s: int = DEFAULT_BANDWIDTH
) -> Ladder:
    """Sort the trials of a run into a ladder. `technique` gives the catalogue's entry of an id."""
    image = _image(results)
    base_bytes = results.base.artefact_bytes.get(image)
    speed = bandwidth_bytes_per_s
    rungs = [_rung(trial, technique(trial.change.technique), image, base_bytes, speed) for trial in results.trials]
    rungs.sort(key=_order)
    return Ladder(
        system=results.system_name,
        clock=results.base.clock,
        image=image,
        base_ns=results.base.goal_ns,
        base_image_bytes=base_bytes,
        base_load_ns=_load_ns(results.base.artefact_bytes, speed),
        bandwidth_bytes_per_s=speed,
        rungs=tuple(rungs),
    )


def _image(results: Results) -> str:
    base = results.base.artefact_bytes
    changed = {
        name for trial in results.trials for name, size in trial.artefact_bytes.items() if size != base.get(name)
    }
    return next((name for name in ("initramfs", "root") if name in changed and "kernel" not in changed), "kernel")


def _order(rung: Rung) -> tuple[int, int, int, str]:
    group = 2 if rung.verdict in _LOST else (0 if rung.proved else 1)
    return group, -(rung.saved_ns or 0), -(rung.image_saved_bytes or 0), rung.change


def _load_ns(artefact_bytes: dict[str, int], bandwidth_bytes_per_s: int) -> int | None:
    loaded = [size for name, size in artefact_bytes.items() if name in _LOADED]
    return load_ns(sum(loaded), bandwidth_bytes_per_s) if loaded else None


def _rung(trial: Trial, technique: Technique, part: str, base_bytes: int | None, bandwidth_bytes_per_s: int) -> Rung:
    image = trial.artefact_bytes.get(part)
    saved_bytes = base_bytes - image if base_bytes is not None and image is not None else None
    published = next((p.gain for p in technique.published if PUBLISHED_ON in p.machine and p.about(trial.change)), "")
    risk = technique.risk
    lost = trial.verdict.value in _LOST
    after = {delta.stage: delta.after_ns for delta in trial.stages}
    return Rung(
        change=trial.change.id,
        title=technique.title,
        what=change_text(trial.change),
        verdict=trial.verdict.value,
        proved=trial.effect is not None and trial.effect.shown,
        proof=trial.reason if lost or trial.effect is None else trial.effect.evidence,
        saved_ns=None if lost else trial.saved_ns,
        base_ns=trial.base_ns,
        image_bytes=image,
        image_saved_bytes=saved_bytes,
        stage=_main_stage(trial),
        published=published,
        load_ns=_load_ns(trial.artefact_bytes, bandwidth_bytes_per_s),
        decompression_ns=after.get("decompression"),
        kernel_ns=after.get("kernel"),
        costs=risk.kinds,
    )


def _main_stage(trial: Trial) -> str:
    known = [(d.stage, (d.before_ns or 0) - (d.after_ns or 0)) for d in trial.stages]
    largest = max(known, key=lambda pair: abs(pair[1]), default=("", 0))
    return largest[0] if largest[1] else ""
