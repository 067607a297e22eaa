# SPDX-License-Identifier: MIT
"""Lines as guest/calibrate prints them, of a made-up in-order processor at 1 GHz."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from urllib.parse import quote

RUN = "1a2b3c4d"
CYCLE_PS = 1000


def line(number: int, name: str, values: Mapping[str, object], run: str = RUN) -> str:
    words = "".join(f" {key}={quote(str(value), safe='/,.:;()+-')}" for key, value in values.items())
    body = f"bootlab-calibrate {run} {number} {name}{words}"
    return f"{body} *{zlib.crc32(body.encode()):08x}\n"


def spread(least: float) -> dict[str, int]:
    return {"least": round(least), "median": round(least * 1.05), "most": round(least * 1.4)}


def rows() -> list[tuple[str, dict[str, object]]]:
    """32 KiB of L1D, 512 KiB of L2, 120 ns of memory, 16 and 512 pages, 8 cycles a wrong branch."""
    found: list[tuple[str, dict[str, object]]] = [
        ("begin", {"version": 1, "quick": 0}),
        ("machine", {"kernel": "6.1", "machine": "aarch64", "pointer": 8}),
        ("says", {"model": "Made-up Board"}),
    ]
    for name, cycles in {
        "add_chain": 1, "add_many": 0.5, "mix_many": 0.6, "move_chain": 1, "shift_chain": 2, "mul_chain": 4,
        "mul_many": 1, "div_many": 12, "atomic_chain": 9, "load_many": 1, "unaligned_many": 2, "store_many": 1,
        "forward_chain": 3, "skip_many": 1, "jump_many": 4.5, "float_add_chain": 4, "float_multiply_chain": 5,
        "float_add_many": 1, "float_divide_chain": 20, "float_divide_many": 15, "vector_chain": 2, "vector_many": 1,
        "getppid": 600,
    }.items():  # fmt: skip
        found.append((name, dict(spread(cycles * CYCLE_PS))))
    found.append(("aes_chain", {"unknown": "the processor has no instruction for AES"}))
    found += [("div_chain", {"large": n, **spread(c * CYCLE_PS)}) for n, c in ((0, 6), (1, 18))]
    found += [("branch", {"random": n, **spread(c * CYCLE_PS)}) for n, c in ((0, 7), (1, 12.5))]
    for size in (4, 8, 16, 24, 32, 48, 64, 128, 256, 512, 768, 1024, 4096, 8192):
        ps = 3000 if size <= 32 else 15_000 if size <= 512 else 120_000
        found.append(("chase", {"bytes": size << 10, **spread(ps)}))
    found += [("at_once", {"chains": n, **spread(120_000 / min(n, 3))}) for n in (1, 2, 4, 8)]
    found += [("runs", {"many": n, **spread(20_000 if n <= 4 else 90_000)}) for n in (1, 2, 4, 8, 16)]
    for n in (4, 8, 16, 24, 32, 128, 512, 768, 1024):
        found.append(("packed", {"lines": n, **spread(3000)}))
        found.append(("pages", {"lines": n, **spread(3000 if n <= 16 else 9000 if n <= 512 else 40_000)}))
    found += [("used", spread(250_000)), *(("window", {"fillers": n, **spread(125_000)}) for n in (0, 4, 8, 16, 64))]
    found.append(("fresh_code", {"first": 3000, "again": 700}))
    for n in (2, 4, 8, 16):
        found.append(("history_none", {"distance": n, **spread(20_000 + n * 1000)}))
        found.append(("history", {"distance": n, **spread(20_000 + n * 1000 + (0 if n <= 8 else 5000))}))
    found += [("read", {"bytes": 8192 << 10, **spread(500_000)}), ("copy", {"bytes": 8192 << 10, **spread(800_000)})]
    found += [
        ("medium_file", {"path": "/dev/mmcblk0", "size": 1 << 30, "past_cache": 1}),
        ("medium", {"bytes": 1 << 20, "random": 0, **spread(50_500_000_000)}),
        ("medium", {"bytes": 4096, "random": 1, **spread(700_000_000)}),
        ("line", {"characters": 200, "least": 17_400_000_000, "most": 17_500_000_000}),
        ("line", {"characters": 2000, "least": 173_600_000_000, "most": 174_000_000_000}),
    ]
    return found


def printed(found: Iterable[tuple[str, Mapping[str, object]]] | None = None, run: str = RUN) -> bytes:
    """Return the lines of a run, numbered, with its last line."""
    made = list(rows() if found is None else found)
    made.append(("end", {"lines": len(made) + 1}))
    return "".join(line(number, name, values, run) for number, (name, values) in enumerate(made)).encode()


def without(*names: str) -> list[tuple[str, dict[str, object]]]:
    return [row for row in rows() if row[0] not in names]
