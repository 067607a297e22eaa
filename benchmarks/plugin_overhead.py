#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Wall time of an exact boot with the stamp plugin against one without, in turn, and their consoles byte for byte."""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import threading
from pathlib import Path

from bootlab import systemfile
from bootlab.builders.cache import Cache
from bootlab.model.recording import Recording
from bootlab.targets.qemu import QemuTarget


def boot(target: QemuTarget, path: str, folder: Path, *, plugin: bool) -> Recording:
    os.environ.pop("BOOTLAB_NO_PLUGIN", None)
    if not plugin:
        os.environ["BOOTLAB_NO_PLUGIN"] = "1"
    return target.boot(target.plan(systemfile.load(path)), folder, stop=threading.Event())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("system", metavar="SYSTEM.toml")
    parser.add_argument("pairs", metavar="PAIRS", type=int, nargs="?", default=5)
    asked = parser.parse_args()
    path, pairs = asked.system, asked.pairs
    ratios = []
    with tempfile.TemporaryDirectory() as work:
        target = QemuTarget(Cache(Path(work) / "cache"))
        for number in range(pairs + 1):
            without = boot(target, path, Path(work) / f"without-{number}", plugin=False)
            with_plugin = boot(target, path, Path(work) / f"with-{number}", plugin=True)
            if with_plugin.console != without.console:
                print("the consoles differ: the plugin is not neutral")
                return 1
            ratio = with_plugin.meta.wall_s / without.meta.wall_s
            if number:  # the first pair warms the page cache
                ratios.append(ratio)
            print(
                f"{'warm-up' if not number else f'pair {number}'}: without {without.meta.wall_s:.2f} s, "
                f"with {with_plugin.meta.wall_s:.2f} s, ratio {ratio:.3f}",
                flush=True,
            )
    print(f"median ratio {statistics.median(ratios):.3f} over {pairs} pairs; consoles equal in all")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
