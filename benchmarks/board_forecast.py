#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boot times of three ARM boards forecast by the model of a board's time, from public figures; nothing is fitted.

    python benchmarks/board_forecast.py

Loading: the rate of each medium is that of the gzip row alone; the other rows of the same table are forecast.

Unpacking on the TI AM335x (Cortex-A8, 1 GHz): what the five compressors' times to user space would be, given the gzip
boot of the same card. The unpacking rates are those that Michael Opdenacker measured on a Cortex-A9 of the same clock
(linux-arm-kernel, 16 February 2012: "ARM: add xz kernel compression support"); LZ4 from LZO's by the ratios in the
patch that added it to the kernel (Kyungsik Lee, 2013: 25.2 to 45.6 and 52.2 to 86.7 MB/s). The Cortex-A8 is between 0.8
(ARM's 2.0 and 2.5 DMIPS a MHz) and 1.0 times as fast. The unpacked size, which the table does not say, is 1.95 to 2.08
times gzip's, as on the two boards of 2012.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import NamedTuple

from bootlab.costs.prices import board_row
from bootlab.model.costs import Amounts, Between, BoardMedium, Costs

FOLDER = Path(__file__).resolve().parent / "published"
A8_OF_A9 = Between(0.8, 1.0)
LZ4_OF_LZO = Between(86.7 / 52.2, 45.6 / 25.2)
CARDS = {"slower card": "am335x-card", "faster card": "am335x-fast-card"}


class Forecast(NamedTuple):
    """One row: an interval and what was measured, ms."""

    what: str
    low_ms: float
    high_ms: float
    measured_ms: float

    @property
    def error(self) -> float:
        return (self.low_ms + self.high_ms) / 2 / self.measured_ms - 1

    @property
    def held(self) -> bool:
        return self.low_ms <= self.measured_ms <= self.high_ms


def table(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def load_ms(medium: BoardMedium, image_bytes: int) -> Between:
    costs = Costs(name=medium.name, medium=medium)
    return board_row(costs, "load", Amounts(exact_ns=0, image_bytes=image_bytes)).load_ns.scaled(1e-6)


def medium_of(name: str, image_bytes: int, ms: float) -> BoardMedium:
    """Return a medium by the one load that its base boot shows."""
    rate = image_bytes / ms * 1e3
    return BoardMedium(name=name, bytes_per_s=Between(rate, rate), source="the gzip row")


def loading() -> list[Forecast]:
    found = []
    tables = {board: [r for r in table("arm-decompressors") if r["board"] == board] for board in _boards()}
    for board, rows in tables.items():
        sizes = {row["compressor"]: (int(row["compressed_bytes"]), float(row["loading_ms"])) for row in rows}
        found += _loads(board, sizes)
    for card, name in CARDS.items():
        sizes = {row["name"]: (int(row["bytes"]), float(row["measured_ms"])) for row in table(f"{name}-copy")}
        found += _loads(f"AM335x, {card}", sizes)
    return found


def _boards() -> list[str]:
    return list(dict.fromkeys(row["board"] for row in table("arm-decompressors")))


def _loads(board: str, sizes: dict[str, tuple[int, float]]) -> list[Forecast]:
    medium = medium_of(board, *sizes["gzip"])
    rows = []
    for name, (image_bytes, ms) in sizes.items():
        if name != "gzip":
            forecast = load_ms(medium, image_bytes)
            rows.append(Forecast(f"{board}: {name}", forecast.low, forecast.high, ms))
    return rows


def unpacking_ms() -> dict[str, Between]:
    """Return how long the AM335x unpacks each of its five kernels by the public rates."""
    a9 = {row["compressor"]: row for row in table("arm-decompressors") if row["core"] == "Cortex-A9"}
    rates = {
        name: Between(rate * A8_OF_A9.low, rate * A8_OF_A9.high)
        for name, row in a9.items()
        if name != "none" and (rate := int(row["uncompressed_bytes"]) / float(row["unpacking_ms"]))
    }
    rates["lz4"] = Between(rates["lzo"].low * LZ4_OF_LZO.low, rates["lzo"].high * LZ4_OF_LZO.high)
    ratios = [
        int(row["uncompressed_bytes"]) / int(row["compressed_bytes"])
        for row in table("arm-decompressors")
        if row["compressor"] == "gzip"
    ]
    gzip = next(int(row["bytes"]) for row in table("am335x-card-copy") if row["name"] == "gzip")
    sizes = Between(gzip * min(ratios), gzip * max(ratios))
    return {name: Between(sizes.low / rate.high, sizes.high / rate.low) for name, rate in rates.items()}


def user_space(card: str) -> list[Forecast]:
    copies = {row["name"]: (int(row["bytes"]), float(row["measured_ms"])) for row in table(f"{CARDS[card]}-copy")}
    times = {row["name"]: float(row["measured_ms"]) for row in table(f"{CARDS[card]}-user-space")}
    unpack, medium = unpacking_ms(), medium_of(card, *copies["gzip"])
    found = []
    for name, measured in times.items():
        # Both boots have the same processor and the same unpacked size: the ends of the difference, not their sum.
        scales = [unpack[name].low / unpack["gzip"].low, unpack[name].high / unpack["gzip"].high]
        ends = [gzip_ms * (scale - 1) for gzip_ms in (unpack["gzip"].low, unpack["gzip"].high) for scale in scales]
        copied = load_ms(medium, copies[name][0]).low - copies["gzip"][1]
        base = times["gzip"] + copied
        found.append(Forecast(name, base + min(ends), base + max(ends), measured))
    return found


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    print("| loading | forecast ms | measured ms | error |\n|---|--:|--:|--:|")
    rows = loading()
    for row in rows:
        print(f"| {row.what} | {row.low_ms:.0f} | {row.measured_ms:.0f} | {100 * row.error:+.1f} % |")
    errors = sorted(abs(row.error) for row in rows)
    print(f"\nloading: worst {100 * errors[-1]:.1f} %, median {100 * errors[len(errors) // 2]:.1f} %\n")
    for card in CARDS:
        found = [row for row in user_space(card) if row.what != "gzip"]
        print(f"| AM335x, {card} | forecast ms | measured ms | error | inside |\n|---|--:|--:|--:|---|")
        for row in found:
            inside = "yes" if row.held else "no"
            span = f"{row.low_ms:.0f} to {row.high_ms:.0f}"
            print(f"| {row.what} | {span} | {row.measured_ms:.0f} | {100 * row.error:+.1f} % | {inside} |")
        every = user_space(card)
        ranks = (
            sorted(every, key=lambda row: row.low_ms + row.high_ms),
            sorted(every, key=lambda row: row.measured_ms),
        )
        said, real = (" < ".join(row.what for row in rank) for rank in ranks)
        print(f"\nranking forecast: {said}\nranking measured: {real}\n")


if __name__ == "__main__":
    main()
