# SPDX-License-Identifier: MIT
"""`bootlab optimize --plan` on recordings: what it shows, writes and takes back, and what it refuses."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from bootlab.cli.program import make_app
from bootlab.errors import UserError
from tests.conftest import REPLAYED


@pytest.fixture
def optimize(tmp_path):
    def run(*words):
        done = CliRunner().invoke(
            make_app(["optimize"]), ["optimize", *map(str, words), "--store", str(tmp_path / "store")]
        )
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return run


def test_the_plan_goes_from_cheap_to_dear_and_leaves_out_what_costs(optimize):
    plan = json.loads(optimize(REPLAYED, "--plan", "--json").stdout)
    assert plan["format"] == "bootlab-plan"
    assert [phase["name"] for phase in plan["phases"]][:2] == ["command line", "initramfs"]
    by_id = {one["id"]: one for phase in plan["phases"] for one in phase["techniques"]}
    assert by_id["crypto-selftests"]["take"]
    assert not by_id["lsm-off"]["take"]
    assert "security" in by_id["lsm-off"]["why_not"]


def test_a_plan_is_written_edited_and_taken_back(optimize, tmp_path):
    file = tmp_path / "plan.toml"
    shown = optimize(REPLAYED, "--plan", "--write", file)
    assert "crypto-selftests" in shown.stdout
    assert "boots" in shown.stdout
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("rounds = 2", "rounds = 3"), encoding="utf-8")
    assert json.loads(optimize(file, "--plan", "--json").stdout)["rounds"] == 3
    planned = json.loads(optimize(file, "--plan", "--json").stdout)["phases"]
    file.write_text(file.read_text(encoding="utf-8").replace("take = true", "take = false"), encoding="utf-8")
    fewer = json.loads(optimize(file, "--plan", "--json").stdout)["phases"]
    assert sum(phase["boots"] for phase in planned) > 0
    assert [phase["boots"] for phase in fewer] == [0] * len(fewer), "the estimate follows the edit"
    with pytest.raises(UserError, match="is a plan, so options"):
        optimize(file, "--plan", "--allow", "security")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('id = "quiet"', 'id = "qiet"', "plan.toml: there is no technique 'qiet'"),
        ("allow = []", 'allow = ["everything"]', "plan.toml: 'everything' is not a cost"),
        ("also = []", 'also = ["nonsense"]', "plan.toml: there is no technique 'nonsense'"),
        ("final = []", """final = ['/bin/x "open']""", "plan.toml: the final check .* is not a command"),
        ("keep = []", 'keep = ["NO_SUCH"]', "CONFIG_NO_SUCH cannot be kept"),
    ],
)
def test_nonsense_in_a_plan_is_named_before_anything_is_tried(optimize, tmp_path, old, new, said):
    file = tmp_path / "plan.toml"
    optimize(REPLAYED, "--plan", "--write", file)
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(UserError, match=said) as caught:
        optimize(file)
    assert caught.value.hint


def test_a_slip_of_the_pen_in_keep_is_named(optimize):
    with pytest.raises(UserError, match="CONFIG_SERIAL_8520 cannot be kept") as caught:
        optimize(REPLAYED, "--plan", "--shrink", "--keep", "CONFIG_SERIAL_8520")
    assert "did you mean CONFIG_SERIAL_8250" in caught.value.hint
    optimize(REPLAYED, "--plan", "--shrink", "--keep", "SERIAL_8250")


def test_allow_takes_several_words(optimize):
    plan = json.loads(optimize(REPLAYED, "--plan", "--json", "--allow", "security,runtime").stdout)
    assert plan["allow"] == ["runtime", "security"]
    plan = json.loads(optimize(REPLAYED, "--plan", "--json", "--allow", "security,debug,function").stdout)
    assert plan["allow"] == ["function", "security"], "what costs debugging alone is let in anyway"
    with pytest.raises(UserError, match="not a cost"):
        optimize(REPLAYED, "--plan", "--allow", "everything")


@pytest.mark.parametrize("words", ["soon", "6", "-1h", "0h", "1d", "", "1e3h", "inf h", "nan", "9" * 400 + "h", "0.0s"])
def test_a_budget_is_a_length_of_time(optimize, words):
    with pytest.raises(UserError, match="not a duration"):
        optimize(REPLAYED, "--plan", f"--budget-time={words}")


@pytest.mark.parametrize("command", ["", "  ", '/bin/x "open', "/bin/x\n/bin/y 'a\nb'"])
def test_a_final_check_is_a_command(optimize, command):
    with pytest.raises(UserError, match="not a command"):
        optimize(REPLAYED, "--plan", "--final", command)


def test_final_checks_stand_in_the_plan(optimize):
    plan = json.loads(optimize(REPLAYED, "--plan", "--json", "--final", "/bin/a b", "--final", "/bin/c").stdout)
    assert plan["final"] == ["/bin/a b", "/bin/c"]
