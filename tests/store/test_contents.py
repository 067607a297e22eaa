# SPDX-License-Identifier: MIT
"""What a store holds, what of it is old, and that nothing else goes."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bootlab.builders.cache import Cache
from bootlab.cli import __main__ as program
from bootlab.errors import UserError
from bootlab.model.duration import age_s
from bootlab.store.contents import old_built, old_runs, remove, shares

DAY_S = 86_400
KEYS = {name: f"{number:032x}" for number, name in enumerate(("alone", "named", "young", "again"), start=1)}


def put(path: Path, text: str, days: float) -> Path:
    """Write a file that was last touched so many days ago, and date its folder alike."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    then = time.time() - days * DAY_S
    for place in (path, path.parent):
        os.utime(place, (then, then))
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    put(folder / "boots" / KEYS["alone"] / "recording.json", "x" * 100, 100)
    put(folder / "boots" / KEYS["named"] / "recording.json", "x", 100)
    put(folder / "boots" / f"{KEYS['again']}-3" / "recording.json", "x", 100)
    put(folder / "boots" / KEYS["young"] / "recording.json", "x", 5)
    put(folder / "boots" / ".machines" / "m" / KEYS["alone"], "", 100)
    put(folder / "runs" / "old" / "results.json", f'{{"key": "{KEYS["alone"]}"}}', 100)
    put(folder / "runs" / "unfinished" / "results.json", f'{{"key": "{KEYS["again"]}"}}', 100)
    put(folder / "runs" / "unfinished" / "unfinished", "digest", 100)
    put(folder / "runs" / "new" / "results.json", f'{{"key": "{KEYS["named"]}"}}', 2)
    put(folder / "history.db", "y" * 1000, 500)
    return folder


def test_what_a_run_that_stays_names_is_kept_with_it(store: Path) -> None:
    old = old_runs(store, 90 * DAY_S)
    assert [(one.kind, one.path.name) for one in old] == [("run", "old"), ("recording", KEYS["alone"])]
    assert old[1].bytes == 100
    assert 99 * DAY_S < old[0].seconds < 101 * DAY_S
    assert remove(old) == old
    assert sorted(place.name for place in (store / "boots").iterdir() if not place.name.startswith(".")) == sorted(
        [KEYS["named"], KEYS["young"], f"{KEYS['again']}-3"]
    )
    assert not list((store / "boots" / ".machines").glob("*/*"))
    assert (store / "history.db").is_file()
    assert (store / "runs" / "unfinished" / "results.json").is_file()


def test_nothing_younger_than_a_day_is_old(store: Path) -> None:
    put(store / "boots" / ("f" * 32) / "recording.json", "x", 0.5)
    assert "f" * 32 not in {one.path.name for one in old_runs(store, 0)}
    assert KEYS["young"] in {one.path.name for one in old_runs(store, 0)}


def test_built_files_go_with_their_digests_and_are_made_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    made = cache.file("ab" * 8, ".img", lambda path: path.write_text("image") and None)
    digest = cache.root / "digests" / made.name
    assert digest.is_file()
    put(made, "image", 50)
    put(cache.root / "kernels" / "built" / "k1" / "vmlinuz", "kernel", 50)
    put(cache.root / "kernels" / "built" / "k2" / "vmlinuz", "kernel", 3)
    old = old_built(cache, 30 * DAY_S)
    assert sorted(one.path.name for one in old) == sorted([made.name, "k1"])
    remove(old, cache)
    assert not made.exists()
    assert not digest.exists()
    assert (cache.root / "kernels" / "built" / "k2").is_dir()
    assert cache.file("ab" * 8, ".img", lambda path: path.write_text("again") and None).read_text() == "again"


def test_the_command_tells_and_removes_nothing_in_a_dry_run(store: Path, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BOOTLAB_CACHE", str(tmp_path / "none"))

    def run(*words: str):
        return CliRunner().invoke(program.app, ["store", "--store", str(store), *words])

    shown = run("--json")
    found = json.loads(shown.stdout)["contents"]
    assert {one["name"]: one["count"] for one in found["in_store"]} == {"history.db": 1, "boots": 4, "runs": 3}
    assert "the history" in run().output
    dry = run("--prune", "90d", "--dry-run")
    assert "1 run would be removed" in dry.output
    assert "1 recording would be removed, 100 B" in dry.output
    assert len(shares(store / "boots")) == 5
    gone = json.loads(run("--prune", "90 days", "--prune-cache", "1w", "--json").stdout)
    assert [row["kind"] for row in gone["pruned"]] == ["run", "recording"]
    assert "nothing is that old" in run("--prune", "3 months").output
    for words, said in ((("--prune", "often"), "is no age"), (("--dry-run",), "nothing was asked")):
        done = run(*words)
        assert isinstance(done.exception, UserError)
        assert said in str(done.exception)


@pytest.mark.parametrize(("text", "days"), [
    ("90d", 90), ("90", 90), ("90 days", 90), ("1 day", 1), ("6 weeks", 42), ("6w", 42), ("1 year", 365),
    ("2 Years", 730), ("0.5d", 0.5), ("36h", 1.5), ("1440 min", 1), ("86400s", 1), ("3 months", 90),
])  # fmt: skip
def test_ages_as_people_write_them(text: str, days: float) -> None:
    assert age_s(text) == days * DAY_S


@pytest.mark.parametrize("text", ["", "d", "-3d", "3 fortnights", "3m", "3ds", "3 d d", "1e3d", "3mins ago", "daily"])
def test_what_is_no_age(text: str) -> None:
    assert age_s(text) is None
