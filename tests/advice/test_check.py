# SPDX-License-Identifier: MIT
"""`bootlab check` from its files to its outputs."""

import json
import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bootlab.cli.__main__ import app
from bootlab.errors import Found
from bootlab.techniques import all_techniques
from tests.advice.test_facts import CONFIG, LOG
from tests.builders.kbuild.fake_tree import make_tree

RUN = CliRunner()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BOOTLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernel.config").write_text(CONFIG)
    (tmp_path / "boot.log").write_text(LOG)
    return tmp_path


def run(*words: str, code: int = Found.APPLIES) -> str:
    done = RUN.invoke(app, ["check", *words])
    assert done.exit_code == code, done.output
    return done.stdout


def findings(*words: str) -> dict[str, dict]:
    document = json.loads(run("--json", "--exit-zero", *words, code=0))
    assert document["format"] == "bootlab-advice"
    return {found["technique"]: found for found in document["findings"]}


def test_every_technique_of_the_catalogue_has_its_check(files):
    assert set(findings("--log", "boot.log")) == {t.id for t in all_techniques()}


@pytest.mark.telling("check")
def test_a_finding_names_line_way_gain_and_basis(files):
    found = findings("--log", "boot.log")["lpj-preset"]
    assert found["answer"] == "yes"
    assert found["place"] == {"file": "boot.log", "line": 6}
    assert found["ways"] == ["set lpj=311296"]
    # The gap from the calibration's line to the next one: 0.091167 - 0.003196 s.
    assert found["gains"][0]["ns"] == 87_971_000
    assert found["gains"][0]["basis"] == "computed"
    assert {gain["basis"] for gain in found["gains"][1:]} == {"published"}


def test_the_text_shows_what_applies_and_what_is_open(files):
    text = run("--log", "boot.log", "--config", "kernel.config", "--all")
    assert re.search(r"^lpj-preset  Preset loops per jiffy$", text, re.MULTILINE)
    assert "boot.log:6" in text
    assert "do not apply" in text
    assert "it is for x86_64: architecture: arm" in text.replace("\n", " ")


def test_a_fragment_leaves_open_what_it_does_not_name(files):
    (files / "fragment.config").write_text("CONFIG_SMP=y\n# CONFIG_SWAP is not set\n")
    found = findings("--config", "fragment.config", "--arch", "arm")
    assert found["smp-off"]["answer"] == "yes"
    assert found["swap-off"]["answer"] == "no"
    for technique in ("modules-off", "crypto-selftests-off", "compiler-optimisation"):
        assert found[technique]["answer"] == "unknown", technique
    assert found["modules-off"]["reason"].startswith("a fragment or defconfig does not settle it")
    whole = findings("--config", "kernel.config")
    assert whole["modules-off"]["answer"] == "no"


@pytest.fixture
def built_system(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    make_tree(files / "linux")
    (files / "bin").mkdir()
    for name in ("bison", "flex", "bc"):
        (files / "bin" / name).symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{files / 'bin'}")
    (files / "lab.config").write_text("CONFIG_A=y\nCONFIG_SWAP=y\n")
    (files / "lab.toml").write_text(
        'name = "lab"\n[machine]\narch = "x86_64"\n[goal]\nconsole = "done"\n'
        '[kernel]\nsource = "linux"\nconfig = ["lab.config"]\n[kernel.options]\nCGROUPS = true\n'
    )
    return files


def test_of_a_kernel_to_be_built_the_configuration_is_made_and_the_fragment_named(built_system):
    found = findings("lab.toml")
    assert found["cgroups-off"]["answer"] == "yes"
    assert found["swap-off"]["place"] == {"file": str(built_system / "lab.config"), "line": 2}
    assert found["networking-off"]["answer"] == "no"


def test_without_the_programs_that_configure_a_kernel_its_options_stay_open(built_system, monkeypatch):
    (built_system / "none").mkdir()
    monkeypatch.setenv("PATH", str(built_system / "none"))
    assert findings("lab.toml")["swap-off"]["answer"] == "unknown"


def test_published_figures_that_point_both_ways_promise_no_gain(files):
    (files / "kernel.config").write_text(CONFIG + "CONFIG_CC_OPTIMIZE_FOR_PERFORMANCE=y\nCONFIG_SMP=y\n")
    found = findings("--config", "kernel.config")
    assert found["compiler-optimisation"]["sign"] == "faster or slower on the machines named (published)"
    assert found["smp-off"]["sign"] == "faster on the machines named (published)"


def test_selecting_and_ignoring(files):
    assert set(findings("--log", "boot.log", "--select", "lpj-preset")) == {"lpj-preset"}
    assert "lpj-preset" not in findings("--log", "boot.log", "--ignore", "lpj-preset")
    run("--log", "boot.log", "--select", "lpj-preset", code=Found.APPLIES)
    run("--log", "boot.log", "--select", "hpet-off", code=0)
    done = RUN.invoke(app, ["check", "--log", "boot.log", "--select", "no-such"])
    assert done.exit_code != 0


def test_sarif_points_at_the_line(files):
    run("--log", "boot.log", "--select", "lpj-preset", "--select", "hpet-off", "--sarif", "out.sarif")
    document = json.loads((files / "out.sarif").read_text())
    assert document["version"] == "2.1.0"
    (one,) = document["runs"]
    assert [rule["id"] for rule in one["tool"]["driver"]["rules"]] == ["lpj-preset", "hpet-off"]
    (result,) = one["results"]
    assert result["ruleId"] == "lpj-preset"
    assert one["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "lpj-preset"
    physical = result["locations"][0]["physicalLocation"]
    assert physical == {"artifactLocation": {"uri": "boot.log"}, "region": {"startLine": 6}}


def test_a_command_line_can_stand_in_a_file(files):
    (files / "cmdline").write_text("console=ttyS0 initcall_debug\n")
    assert findings("--cmdline", "@cmdline")["debug-leftovers"]["answer"] == "yes"
    done = RUN.invoke(app, ["check", "--cmdline", "@missing"])
    assert done.exit_code != 0


def test_a_hostile_log_does_not_reach_the_terminal(files):
    (files / "boot.log").write_text(LOG.replace("62.25 BogoMIPS", "62.25 \x1b]0;owned\x07[red]BogoMIPS"))
    assert "\x1b" not in run("--log", "boot.log")
