#!/usr/bin/env python3
"""Boots of small programs that halt a thousand times, with and without a widened window: are all equal?

Usage: exactness.py [--boots N] [--emulators FOLDER] [--load N] [--out RESULT.json]. One line a case; the exit code is 1
when one differs. The cost of the cure stands as the ratio of processor times with the plugin and without.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.bare_guests import WIDENED, Guest, boot, build_preload

GUESTS = (
    Guest("x86_64"),
    Guest("x86_64", ("HPET",)),
    Guest("arm"),
    Guest("arm", ("PERIODIC",)),
    Guest("arm64"),
    Guest("riscv64"),
)


def case(guest: Guest, boots: int, emulators: str, work: Path) -> dict[str, object]:
    image, preload = guest.build(work), build_preload(work)
    seen: dict[str, Counter[str]] = {"calm": Counter(), "widened": Counter(), "without the cure": Counter()}
    ratios = []
    for number in range(boots):
        folder = work / f"{image.name}-{number}"
        calm = boot(guest.arch, image, folder / "calm", work, emulators=emulators)
        for window in WIDENED:
            wide = boot(guest.arch, image, folder / window, work, emulators=emulators, preload=preload, widened=window)
            seen["widened"][str(wide.facts)] += 1
        bare = boot(guest.arch, image, folder / "bare", work, emulators=emulators, cured=False)
        seen["calm"][str(calm.facts)] += 1
        seen["without the cure"][bare.console.decode()] += 1
        ratios.append(calm.cpu_s / bare.cpu_s)
    equal = len(seen["calm"] | seen["widened"]) == 1
    name = "-".join((guest.arch, *guest.defines))
    facts = {"case": name, "boots": boots, "equal": equal, "cpu_ratio": statistics.median(ratios), "seen": seen}
    print(
        f"{name}: {boots} calm and {boots} widened {'equal' if equal else 'DIFFER'}, ratio {facts['cpu_ratio']:.3f}",
        flush=True,
    )
    return facts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boots", type=int, default=3)
    parser.add_argument("--emulators", default="")
    parser.add_argument("--load", type=int, default=0, help="busy loops beside the boots")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.load)]
    try:
        with tempfile.TemporaryDirectory() as work:
            results = [case(g, options.boots, options.emulators, Path(work)) for g in GUESTS if g.compiler]
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    if options.out:
        options.out.write_text(json.dumps(results, indent=1))
    return 0 if all(r["equal"] for r in results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
