#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What bootlab says of boot times of real boards that others have published: verdicts, false alarms, forecasts.

Reads the tables in `benchmarks/published` (docs/explanation/published-boards.md names where each comes from):

* verdicts: each stage of a Raspberry Pi 4's optimisation beside the stage before it, ten boots each, by the rules of
  `bootlab compare`.
* nulls: the boots of one stage parted into five and five in every way: how often the rules call the halves different.
* models: `bootlab board model` fitted to before-and-after times of boards, each boot forecast from the others; and the
  forecast of a faster card from the boots of a slower one.

The result is the same in every run.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from bootlab.analysis import board_model
from bootlab.analysis.noisy import oddities
from bootlab.analysis.noisy.judgement import ALPHA, judge_apart
from bootlab.analysis.smallest import smallest_that_matters
from bootlab.views.board_model_text import read_boots

FOLDER = Path(__file__).resolve().parent / "published"
RESULTS = FOLDER / "results.json"
QUANTITIES = ("total", "kernel", "userspace", "target")
STEPS = (
    ("headless/kernel/stage0-baseline", "headless/kernel/stage1-without-kmodprobe"),
    ("headless/kernel/stage1-without-kmodprobe", "headless/kernel/stage2-vchiq-removed"),
    ("headless/kernel/stage2-vchiq-removed", "headless/kernel/stage3-usb-pcie-disabled"),
    ("headless/userspace/0-default", "headless/userspace/1-without-cloud-init"),
    ("headless/userspace/1-without-cloud-init", "headless/userspace/2-network-manager-alternatives"),
    ("headless/userspace/2-network-manager-alternatives", "headless/userspace/3-optional-services"),
    ("interactive/0-baseline", "interactive/1-tracing-disabled-kernel"),
    ("interactive/1-tracing-disabled-kernel", "interactive/2-userspace-cloudinit"),
)
"""Which stages of the Pi's repository follow each other."""
MODELS = (
    "am335x-card-copy",
    "am335x-fast-card-copy",
    "am335x-card-user-space",
    "am335x-fast-card-user-space",
    "raspberry-pi-3-console",
)


def series() -> dict[str, dict[str, list[int]]]:
    """Return the Pi's times by stage and quantity, nanoseconds, in the order of the boots."""
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    with (FOLDER / "raspberry-pi-4.csv").open(encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            for name in QUANTITIES:
                found[row["series"]][name].append(int(row[f"{name}_ms"]) * 1_000_000)
    return found


def verdicts(times: dict[str, dict[str, list[int]]]) -> list[dict[str, Any]]:
    rows = []
    for base, new in STEPS:
        smallest = smallest_that_matters(round(median(times[base]["total"])), exact=False)
        for name in QUANTITIES:
            old, values = times[base][name], times[new][name]
            # The parts of a boot are judged together at the rate of the whole, as `bootlab compare` does.
            alpha = ALPHA if name == "total" else ALPHA / (len(QUANTITIES) - 1)
            judged = judge_apart(old, values, smallest_ns=smallest, alpha=alpha)
            rows.append(
                {
                    "base": base,
                    "new": new,
                    "quantity": name,
                    "base_ms": median(old) / 1e6,
                    "new_ms": median(values) / 1e6,
                    "change_ms": -judged.saved_ns / 1e6,
                    "interval_ms": [-end / 1e6 for end in reversed(judged.interval_ns)],
                    "verdict": judged.verdict.value,
                }
            )
    return rows


def nulls(times: dict[str, dict[str, list[int]]]) -> dict[str, Any]:
    """Part the boots of each stage in all 126 ways into five and five: both halves are the same system."""
    called = experiments = 0
    for name, quantity in itertools.product(times, QUANTITIES):
        values = times[name][quantity]
        for chosen in itertools.combinations(range(1, len(values)), len(values) // 2):
            one = [values[place] for place in chosen]
            other = [value for place, value in enumerate(values) if place not in chosen]
            called += judge_apart(one, other, smallest_ns=1).verdict in {"faster", "slower"}
            experiments += 1
    return {"nominal_rate": ALPHA, "experiments": experiments, "called_different": called}


def odd(times: dict[str, dict[str, list[int]]]) -> list[dict[str, Any]]:
    rows = []
    for name, of in times.items():
        far = [(one.boot, one.value_ns / 1e6) for one in oddities.outliers(of["total"])]
        drift = oddities.drift(of["total"])
        rows.append(
            {
                "series": name,
                "outliers": far,
                "warm_up": oddities.warm_up(of["total"]),
                "drift_ms_a_boot": None if drift is None else drift.per_boot_ns / 1e6,
            }
        )
    return rows


def models() -> list[dict[str, Any]]:
    rows = []
    for name in MODELS:
        model = board_model.fit(read_boots(FOLDER / f"{name}.csv"))
        rows.append(
            {
                "table": name,
                "ns": dict(zip(board_model.TERMS, model.ns, strict=True)),
                "used": model.used,
                "left_out": {one.name: one.error for one in model.left_out},
                "worst_error": model.worst_error,
            }
        )
    return rows


def other_card() -> dict[str, Any]:
    """Forecast the faster card's boots: the slower one's model, less what the copies say that a byte is cheaper."""

    def fitted(name: str) -> board_model.BoardModel:
        return board_model.fit(read_boots(FOLDER / f"{name}.csv"))

    slow, copies = fitted("am335x-card-user-space"), [fitted(f"am335x-{card}-copy") for card in ("card", "fast-card")]
    cheaper_ns = [before - after for before, after in zip(copies[0].ns, copies[1].ns, strict=True)]
    errors = {}
    for boot in read_boots(FOLDER / "am335x-fast-card-user-space.csv"):
        told = slow.forecast(boot).forecast_ns
        told -= sum(ns * amount for ns, amount in zip(cheaper_ns, boot.amounts, strict=True))
        assert boot.measured_ns is not None
        errors[boot.name] = told / boot.measured_ns - 1
    return {"errors": errors, "worst_error": max(map(abs, errors.values()))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT.json", type=Path, nargs="?", default=RESULTS)
    asked = parser.parse_args()
    times = series()
    found: dict[str, Any] = {
        "format": "published-boards",
        "version": 1,
        "verdicts": verdicts(times),
        "nulls": nulls(times),
        "odd": odd(times),
        "models": models(),
        "other_card": other_card(),
    }
    out = asked.out
    out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for row in found["verdicts"]:
        print(
            f"{row['new']:50} {row['quantity']:10} {row['base_ms']:9.1f} {row['new_ms']:9.1f} "
            f"{row['change_ms']:+9.1f} {row['interval_ms']} {row['verdict']}"
        )
    for name in ("nulls", "odd", "models", "other_card"):
        print(name, json.dumps(found[name]))


if __name__ == "__main__":
    main()
