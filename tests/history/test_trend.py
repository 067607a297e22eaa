# SPDX-License-Identifier: MIT
"""Trends: where a level changed, and what is said of it; few false changes; what a word names."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import bootlab
from bootlab.analysis.noisy.change_points import exact_changes, noisy_changes
from bootlab.analysis.noisy.rank_test import middle_ranks
from bootlab.api import history as api
from bootlab.errors import UserError
from bootlab.history import parquet
from bootlab.history.trend import differing, trends
from bootlab.views.history import page
from bootlab.views.history.text import bars, trends_view
from tests.conftest import REPLAYED
from tests.history.boots import entry
from tests.rendered import to_text


def test_exact_series_change_where_they_move() -> None:
    values = [100, 100, 140, 141, 90]
    assert [(c.before, c.grew_ns) for c in exact_changes(values, 5)] == [(1, 40), (3, -51)]


def test_noisy_series_with_two_changes() -> None:
    random = np.random.default_rng(4)
    levels = [3e9] * 15 + [3.1e9] * 15 + [2.9e9] * 15
    values = [round(level + random.normal(0, 2e7)) for level in levels]
    found = noisy_changes(values, 30_000_000)
    assert [(abs(c.before - wanted) <= 1) for c, wanted in zip(found, (14, 29), strict=True)] == [True, True]
    assert found[0].grew_ns == pytest.approx(1e8, rel=0.2)
    assert noisy_changes(values, 300_000_000) == ()


@pytest.mark.slow
def test_few_series_without_a_change_have_one() -> None:
    random = np.random.default_rng(5)
    said = sum(bool(noisy_changes([round(v) for v in random.normal(3e9, 3e7, 24)], 1)) for _ in range(100))
    # 1 % of 100 is expected; more than 5 comes in less than one of a thousand runs.
    assert said <= 5


def test_what_changed_is_named() -> None:
    old = entry(1.0, number=1)
    new = entry(1.0, number=2, variant="lz4")
    old.times.facts.update({"cmdline": "a", "sha256 of kernel": "1", "kernel options": "A=y\nB=m"})
    new.times.facts.update({"cmdline": "b", "sha256 of kernel": "2", "kernel options": "A=y\nC=y"})
    assert differing(old, new) == (
        "technique: none -> lz4",
        "cmdline: a -> b",
        "kernel has other contents",
        "option B: m -> n",
        "option C: n -> y",
    )


def test_the_view_says_where() -> None:
    entries = [entry(1000 if n < 10 else 1200, number=n, revision=f"r{n}") for n in range(20)]
    text = to_text(trends_view("cam\x1b[1m", entries, trends(entries), everything=False), width=160)
    assert "whole boot: +200.000 ms (20.0 %) at r9 -> r10" in text
    assert "\x1b" not in text
    assert bars([5, 5]) == "▁▁"
    assert bars([1, 2, 3]) == "▁▅█"


def test_parquet_holds_every_value(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (pip install 'bootlab[parquet]')")
    entries = [entry(1000, number=1), entry(None, number=2)]
    assert parquet.export(entries, tmp_path / "a.parquet") == 4
    rows = pq.read_table(tmp_path / "a.parquet").to_pylist()
    assert [(row["name"], row["ns"], row["outcome"]) for row in rows] == [
        ("kernel", 500_000_000, "goal"),
        ("total", 1_000_000_000, "goal"),
        ("kernel", 1_000_000, "hang"),
        ("total", None, "hang"),
    ]


def test_words_name_runs_recordings_and_revisions(tmp_path: Path) -> None:
    boot = bootlab.System.load(REPLAYED, store=tmp_path).boot()
    goal = boot.goal_ns
    for word in ("last", boot.results.id, str(boot.results.run.folder), boot.recording.path, tmp_path / "boots"):
        assert api.measured(str(word), store=tmp_path).values_ns("total") == (goal,), word
    with pytest.raises(UserError, match="no history yet"):
        api.measured("history", store=tmp_path)
    assert not (tmp_path / "history.db").exists()
    side = api.measured("last", store=tmp_path)
    with api.open_history(store=tmp_path) as database:
        assert api.keep(database, side.boots, system="small", revision="v1.0") == 1
    for word in ("history", "rev:v1.0", "rev:v1", "v1.0"):
        found = api.measured(word, store=tmp_path, system="small")
        assert found.values_ns("kernel") == side.values_ns("kernel")
        assert found.exact
    with pytest.raises(UserError, match="is not a revision of small"):
        api.measured("rev:v2", store=tmp_path)
    with pytest.raises(UserError, match="names no boot"):
        api.measured("nothing-of-the-kind", store=tmp_path)


@pytest.mark.parametrize(
    ("totals_ms", "said"),
    [
        ((None, None), "no boot reached its goal: there is nothing to compare"),
        ((None, 3000.0), "one boot reached its goal: there is nothing to compare"),
        ((3000.0, 3000.0), "no level changed"),
    ],
)
def test_a_history_of_boots_that_failed_has_no_level(totals_ms, said) -> None:
    """It said "no level changed" of boots of which none reached its goal."""
    entries = [entry(total, number=number) for number, total in enumerate(totals_ms)]
    text = to_text(trends_view("camera", entries, trends(entries), everything=False))
    assert text.rstrip().endswith(said)
    rendered = page.render_system("camera", entries, trends(entries))
    assert f"{said[:1].upper()}{said[1:]}." in rendered or "no level changed" in said


def test_a_headline_says_what_the_levels_say() -> None:
    """The newest boot against the oldest one said -5 ms beside a change of level by +100 ms."""
    random = np.random.default_rng(4)
    levels = [3100.0, *[3000.0] * 14, *[3100.0] * 14, 3095.0]
    entries = [entry(level + random.normal(0, 5), number=number) for number, level in enumerate(levels)]
    (whole, *_) = found = trends(entries)
    assert len(whole.changes) == 1
    assert whole.grew_ns == whole.changes[0].point.grew_ns
    told = page.system_data("camera", entries, found)["headline"]
    assert told[0][2] == "whole boot, median of the 15 newest (r1)"
    assert told[1][3] == "slower"
    assert told[1][0].startswith("+")
    assert "." not in told[1][0], "boots range over tens of ms: no decimals"
    assert told[1][0] in to_text(trends_view("camera", entries, found, everything=False))


def test_a_history_without_a_change_of_level_states_no_difference() -> None:
    entries = [entry(3000 + number % 7, number=number) for number in range(12)]
    told = page.system_data("camera", entries, trends(entries))["headline"]
    assert [one[2] for one in told[:2]] == ["whole boot, median of the 12 newest (r1)", "changes of its level"]
    assert "none" in to_text(trends_view("camera", entries, trends(entries), everything=False))


def test_a_p_value_is_how_often_shuffled_ranks_differ_as_much() -> None:
    """Against numpy's shuffles of the same ranks, of changes that chance makes now and then."""
    random = np.random.default_rng(6)
    compared = 0
    for _ in range(40):
        values = np.concatenate([random.normal(0, 1, 30), random.normal(0.8, 1, 30)])
        ranks, _ = middle_ranks(values)
        found = noisy_changes([round(value * 1e6) for value in values], 1, alpha=0.5)
        wanted = [one for one in found if one.before + 1 == _cut(ranks[np.newaxis])[0][0]]
        _, size = _cut(ranks[np.newaxis])
        _, sizes = _cut(random.permuted(np.broadcast_to(ranks, (2000, 60)), axis=1))
        often = float((sizes >= size - 1e-9).mean())
        if not wanted:
            # Above `alpha` it is only said to be no change.
            assert often > 0.4
            continue
        compared += 1
        # Both are shares of 2000 shuffles.
        assert wanted[0].p_value == pytest.approx(often, abs=5 * math.sqrt(max(often, 0.001) / 1000))
    assert compared > 20


def _cut(ranks):
    """Return where the rank sums of both parts differ most beside what chance does, and by how much."""
    count = ranks.shape[1]
    taken = np.arange(4, count - 3)
    off = np.abs(np.cumsum(ranks, axis=1)[:, 3 : count - 4] - taken * (count + 1) / 2)
    sizes = off / np.sqrt(taken * (count - taken))
    return sizes.argmax(axis=1) + 4, sizes.max(axis=1)
