# SPDX-License-Identifier: MIT
"""Series of logs as sides of a comparison: systemd-analyze's texts, folders, patterns, and their order."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from bootlab.api.history import measured
from bootlab.cli import __main__ as program
from bootlab.errors import UserError
from bootlab.history.boot_times import TOTAL
from bootlab.history.of_log import of_log, of_text
from bootlab.model.recording import Outcome

SUMMARY = (
    "Startup finished in {0:.3f}s (kernel) + 4.781s (userspace) = {1:.3f}s \n"
    "multi-user.target reached after 4.770s in userspace.\n"
)


def series(folder: Path, kernel_s: float, *, count: int = 12) -> Path:
    """Write what people collect: run_1.txt to run_12.txt; the kernel takes a millisecond more in each."""
    folder.mkdir()
    for boot in range(1, count + 1):
        kernel = kernel_s + boot / 1000
        (folder / f"run_{boot}.txt").write_text(SUMMARY.format(kernel, kernel + 4.781), encoding="utf-8")
    return folder


def test_the_text_of_systemd_analyze_is_a_boot(tmp_path: Path) -> None:
    (boot,) = of_log(series(tmp_path / "new", 0.8) / "run_2.txt")
    assert boot.ok
    assert boot.values == {
        "kernel": 802_000_000,
        "userspace": 4_781_000_000,
        "multi-user.target": 4_770_000_000,
        "total": 5_583_000_000,
    }


def test_several_of_them_in_one_file_are_several_boots(tmp_path: Path) -> None:
    log = tmp_path / "all.txt"
    log.write_text(SUMMARY.format(0.8, 5.581) + SUMMARY.format(0.9, 5.681), encoding="utf-8")
    boots = of_log(log)
    assert sorted(boot.values["kernel"] for boot in boots) == [800_000_000, 900_000_000]
    assert len({boot.key for boot in boots}) == 2


@pytest.mark.parametrize("word", ["{0}", "{0}/run_*.txt", "{0}/*"])
def test_a_folder_and_a_pattern_are_all_logs_in_the_order_of_their_numbers(tmp_path: Path, word: str) -> None:
    folder = series(tmp_path / "new", 0.8)
    found = measured(word.format(folder), store=tmp_path)
    assert found.values_ns("kernel") == tuple(800_000_000 + boot * 1_000_000 for boot in range(1, 13))


def test_what_a_shell_sorted_is_put_in_order_and_an_own_order_stays(tmp_path: Path) -> None:
    logs = sorted(str(log) for log in series(tmp_path / "new", 0.8).iterdir())
    assert logs[1].endswith("run_10.txt")
    found = measured(*logs, store=tmp_path)
    assert found.name == "new (12 logs)"
    assert list(found.values_ns("kernel")) == sorted(found.values_ns("kernel"))
    backwards = measured(*reversed(logs), store=tmp_path)
    assert backwards.values_ns("kernel")[:2] == (809_000_000, 808_000_000)


@pytest.mark.parametrize(
    ("word", "said"), [("new", "contains no boot"), ("none", "neither a recording"), ("new/*.log", "no file has such")]
)
def test_what_holds_no_boot_is_named(tmp_path: Path, word: str, said: str) -> None:
    (series(tmp_path / "new", 0.8) / "table.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (tmp_path / "none").mkdir()
    with pytest.raises(UserError, match=said) as refused:
        measured(str(tmp_path / word), store=tmp_path)
    if word == "new":
        assert f"'{tmp_path}/new/*.txt'" in (refused.value.hint or "")


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOOTLAB_STORE", str(tmp_path / "store"))
    base, new = (sorted(map(str, series(Path(name), at).iterdir())) for name, at in (("base", 0.8), ("new", 1.8)))

    def call(*words: str):
        parts = [part for word in words for part in {"BASE": base, "NEW": new}.get(word, [word])]
        return CliRunner().invoke(program.app, ["gate", *parts])

    return call


def test_against_takes_all_logs_of_a_shells_pattern(gate) -> None:
    done = gate("NEW", "--against", "BASE", "--budget", "total=20s")
    assert done.exit_code == 11, done.output
    assert "12 boots of the base and 12 of the new" in done.output
    assert gate("--budget", "total=20s", "BASE", "--against", "NEW").exit_code == 0
    assert gate("--against", "base", "new").exit_code == 11


def test_a_base_that_the_shell_mixed_with_the_new_is_refused(gate) -> None:
    done = gate("--against", "BASE", "NEW")
    assert isinstance(done.exception, UserError)
    assert "same folder base" in done.exception.message
    assert "NEW first" in (done.exception.hint or "")


def test_a_log_that_ends_early_has_not_failed() -> None:
    piece = b"[    5.037709] IP-Config: Complete:\n[   54.356954] nfs: server 10.0.0.10 not responding, still trying\n"
    (boot,) = of_text(piece, "piece.log")
    assert boot.outcome is Outcome.GOAL
    assert TOTAL not in boot.values
    assert boot.not_measured[TOTAL]
    (sought,) = of_text(piece, "piece.log", goal="login:")
    assert sought.outcome is Outcome.NO_GOAL
    panic = piece + b"[   60.000000] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)\n"
    (ended,) = of_text(panic, "panic.log")
    assert ended.outcome is Outcome.PANIC


def test_a_table_of_units_is_compared_by_unit() -> None:
    (boot,) = of_text(b"6.297s dev-mmcblk1p3.device\n3.711s user@0.service\n 663ms weston.service\n", "blame.txt")
    assert boot.values == {
        "dev-mmcblk1p3.device": 6_297_000_000,
        "user@0.service": 3_711_000_000,
        "weston.service": 663_000_000,
    }
    assert boot.not_measured == {TOTAL: "systemd-analyze printed no sum"}


def test_a_kernel_that_another_one_started_has_no_boot_loader_and_no_whole(tmp_path: Path) -> None:
    log = tmp_path / "kexec.log"
    texts = (
        "U-Boot 2025.01 (Jan 06 2025 - 00:00:00 +0000)", "[    0.000000] Linux version 6.6.30 (a@b) (gcc 13) #1 SMP",
        "[    1.000000] Run /init as init process", "[    2.100000] kexec_core: Starting new kernel",
        "early console in extract_kernel", "[    0.000000] Linux version 6.12.1 (a@b) (gcc 13) #1 SMP",
        "[    1.000000] Run /sbin/init as init process", "hub login: ",
    )  # fmt: skip
    log.write_text("".join(f"[{at}.000001 1.000000] {text}\n" for at, text in enumerate(texts)), encoding="utf-8")
    first, second = of_log(log)
    assert "boot-loader" in first.values
    assert {"boot-loader", TOTAL}.isdisjoint(second.values)
    assert "another kernel started" in second.not_measured[TOTAL]
