# SPDX-License-Identifier: MIT
"""A plan as a file: it comes back as it was written, after a person's edits, and rubbish is named."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.errors import UserError
from bootlab.model.plan import Plan, PlannedPhase, PlannedTechnique
from bootlab.results import plan_file
from tests.recordings import flips

PLAN = Plan(
    system="system.toml",
    allow=("runtime",),
    also=("lsm-off",),
    final=("/usr/bin/self-test --all",),
    keep=("NET",),
    base_ns=3_582_629_382,
    boot_wall_s=2.5,
    build_wall_s=120.0,
    jobs=2,
    phases=(
        PlannedPhase(
            name="command line",
            boots=12,
            techniques=(
                PlannedTechnique(id="quiet", gain_ns=12_000_000, basis='printed "a"\nb', risk=("debuggability",)),
                PlannedTechnique(id="lsm-off", take=False, why_not="it costs security", variants=("a", "b"), late=True),
            ),
        ),
        PlannedPhase(name="kernel", builds=3, techniques=(PlannedTechnique(id="kernel-compression"),)),
    ),
)


def test_it_comes_back_as_it_was(tmp_path):
    (tmp_path / "system.toml").touch()
    plan = msgspec.structs.replace(PLAN, system=str(tmp_path / "system.toml"))
    plan_file.save(plan, tmp_path / "plan.toml")
    assert plan_file.is_plan(tmp_path / "plan.toml")
    assert plan_file.load(tmp_path / "plan.toml") == plan
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert 'system = "system.toml"' in text, "relative, so that both can be moved together"
    assert "bootlab optimize plan.toml" in text


def test_a_budget_comes_back(tmp_path):
    plan_file.save(msgspec.structs.replace(PLAN, budget_s=21600.0), tmp_path / "plan.toml")
    assert plan_file.load(tmp_path / "plan.toml").budget_s == 21600.0


def test_an_edit_is_read(tmp_path):
    plan_file.save(PLAN, tmp_path / "plan.toml")
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    (tmp_path / "plan.toml").write_text(text.replace("take = true", "take = false", 1), encoding="utf-8")
    assert plan_file.load(tmp_path / "plan.toml").phases[0].taken == ()


def test_a_plan_says_whether_it_is_as_bootlab_wrote_it(tmp_path):
    path = tmp_path / "plan.toml"
    plan_file.save(PLAN, path)
    text = path.read_text(encoding="utf-8")
    assert plan_file.load(path).note == ""
    # What a person may do without changing anything.
    path.write_text("# my own words\n" + text.replace("rounds = 2", "rounds   =   2"), encoding="utf-8")
    assert plan_file.load(path).note == ""
    path.write_text(text.replace("rounds = 2", "rounds = 3"), encoding="utf-8")
    assert "was edited" in plan_file.load(path).note
    assert plan_file.load(path).rounds == 3
    older = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("seal = "))
    path.write_text(older, encoding="utf-8")
    assert "was edited" in plan_file.load(path).note
    path.write_text(older.replace("version = 2", "version = 1"), encoding="utf-8")
    assert "no seal" in plan_file.load(path).note


def test_no_bit_of_a_plan_changes_it_in_silence(tmp_path):
    path = tmp_path / "plan.toml"
    plan_file.save(PLAN, path)
    whole = plan_file.load(path)
    for changed in flips.some(path.read_bytes(), 1500):
        flips.put(path, changed)
        try:
            read = plan_file.load(path)
        except UserError:
            continue
        assert read.note or read == whole


def test_a_system_file_is_no_plan(tmp_path):
    (tmp_path / "system.toml").write_text('name = "x"\n', encoding="utf-8")
    assert not plan_file.is_plan(tmp_path / "system.toml")
    assert not plan_file.is_plan(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("rounds = 2", 'rounds = "two"', "rounds"),
        ("rounds = 2", "rounds = 0", "above 0"),
        ("rounds = 2", "rounds = 2\nbudget_s = nan", "finite"),
        ("rounds = 2", "rounds = 2\nbudget_s = inf", "finite"),
        ("rounds = 2", "rounds = 2\nbudgets = 3", "budgets"),
        ("take = true", "tkae = false", "tkae"),
        ("version = 2", "version = 7", "version 7"),
        ('id = "lsm-off"', 'id = "quiet"', "quiet is in it twice"),
        ('name = "command line"', 'name = "magic"', "magic"),
        ("[[phases]]", "[[phases", "not a plan"),
    ],
)
def test_rubbish_is_named(tmp_path, old, new, said):
    plan_file.save(PLAN, tmp_path / "plan.toml")
    text = (tmp_path / "plan.toml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "plan.toml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError, match=said) as caught:
        plan_file.load(tmp_path / "plan.toml")
    assert caught.value.hint


def test_the_estimate_says_what_it_rests_on():
    said = plan_file.estimate(PLAN)
    assert "37 boots" in said
    assert "3 kernel builds" in said
    assert "2.5 s that the base's took here, 2 at a time" in said
    assert ("leave out unused options" in said, "trying again" in said) == (PLAN.shrink, PLAN.rounds > 1)
    bare = msgspec.structs.replace(PLAN, shrink=False, rounds=1)
    assert "Not counted" not in plan_file.estimate(bare)
