# SPDX-License-Identifier: MIT
"""Lines as the programs print them."""

from __future__ import annotations

import json

HEAD = {
    "format": "bootlab-timerstress", "version": 1, "kernel": "6.1.0", "machine": "x86_64", "mode": "stress",
    "clock": "monotonic", "receiver": "sigwait", "absolute": False, "classic": True, "threads": 1, "seconds": 60,
    "scale": 1, "seed": 1, "min_ns": 0, "range_ns": 0, "late_ns": 1000000, "pending_soft": 9000, "pending_hard": 9000,
    "pending_used": 3, "files_soft": 1024, "timer_max": -1, "resolution_ns": 1,
}  # fmt: skip

ROW = {
    "kind": "stress", "timers": 1000, "created": 1000, "refused": "", "elapsed_ns": 60_000_000_000,
    "wall_ns": 60_010_000_000, "create_ns": 600_000, "arm_ns": 500_000, "events": 2494, "deliveries": 2490,
    "overruns": 4, "expirations": 2494, "due_least": 2494, "due_most": 2494, "lost": 0, "duplicated": 0, "early": 0,
    "late": 7, "in_flight": 0, "planted_dropped": 0, "planted_copied": 0, "planted_delayed": 0,
    "user_ns": 30_000_000, "system_ns": 90_000_000, "switches": 2500, "control_user_ns": 10_000_000,
    "control_system_ns": 20_000_000, "control_wall_ns": 60_010_000_000,
    "lateness": {
        "count": 2490, "sum_ns": 74_700_000, "p50_ns": 20_000, "p90_ns": 40_000, "p99_ns": 90_000, "p99_9_ns": 400_000,
        "p99_99_ns": 900_000, "max_ns": 912_345, "buckets": [[16_384, 1500], [32_768, 980], [65_536, 10]],
    },
}  # fmt: skip

CONFORM_HEAD = {
    "format": "bootlab-timerconform", "version": 1, "kernel": "6.1.0", "machine": "x86_64", "set_clock": False,
    "time_bits": 64,
}  # fmt: skip


def output(*objects: dict[str, object]) -> bytes:
    return b"".join(json.dumps(o, separators=(",", ":")).encode() + b"\n" for o in objects)


def check(number: int, verdict: str, **fields: object) -> dict[str, object]:
    return {
        "kind": "check", "number": number, "function": "timer_create", "status": "shall", "section": "DESCRIPTION",
        "opts": "1, 13", "assertion": "it holds", "plant": 0, "verdict": verdict, "evidence": "seen",
    } | fields  # fmt: skip
