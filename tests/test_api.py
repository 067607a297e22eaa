# SPDX-License-Identifier: MIT
"""The public API on recordings that were made before (tests/replay)."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import bootlab
from bootlab import api
from bootlab.errors import SystemFileError, TargetError, UserError
from bootlab.model.change import Change, SetParam
from bootlab.model.recording import Outcome
from bootlab.techniques.base import Answer
from tests.conftest import REPLAYED, REPOSITORY


@pytest.fixture
def system(tmp_path):
    return bootlab.System.load(REPLAYED, store=tmp_path / "store")


def test_the_examples_in_the_documentation_hold(tmp_path, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    modules = (api, importlib.import_module("bootlab.api.system"))
    found = [test for module in modules for test in doctest.DocTestFinder().find(module) if test.examples]
    assert {t.name.rsplit(".", 1)[-1] for t in found} >= {"api", "boot", "try_", "stack"}
    for number, test in enumerate(found):
        test.globs["store"] = tmp_path / str(number)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        said: list[str] = []
        result = runner.run(test, out=said.append)
        assert result.failed == 0, "".join(said)


def test_api_is_loaded_at_first_use_only():
    words = "import sys, bootlab; print('numpy' in sys.modules, 'bootlab.api' in sys.modules); print(bootlab.System)"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False False", "<class 'bootlab.api.system.System'>"]


def test_the_program_runs_as_a_module_too():
    done = subprocess.run([sys.executable, "-m", "bootlab", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"bootlab {bootlab.__version__}\n"


def test_help_loads_neither_numpy_nor_the_laboratory():
    words = (
        "import sys\nfrom bootlab.cli.__main__ import main\nsys.argv = ['bootlab', 'boot', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('numpy', 'scipy', 'bootlab.api.system', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_reading_a_log_loads_neither_the_catalogue_nor_the_builders(tmp_path):
    log = tmp_path / "boot.log"
    log.write_text("[    0.000000] Linux version 6.1.0\n[    1.000000] Run /init as init process\n")
    words = (
        f"import sys\nfrom bootlab.cli.__main__ import main\nsys.argv = ['bootlab', 'analyze', {str(log)!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "unwanted = {'numpy', 'typer', 'bootlab.techniques.registry', 'bootlab.builders', 'bootlab.api.system'}\n"
        "print(sorted(unwanted & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_machine_begins_before_numpy_is_loaded():
    words = (
        "import sys, bootlab.cli.boot_run, bootlab.cli.open_system, bootlab.api.system, bootlab.targets.choose\n"
        "print([m for m in ('numpy', 'scipy', 'sqlalchemy', 'rich.console') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_plain_boot_loads_what_it_needs_and_no_more(tmp_path):
    words = (
        "import sys\nfrom bootlab.cli.__main__ import main\n"
        f"sys.argv = ['bootlab', 'boot', {str(REPLAYED)!r}, '--store', {str(tmp_path)!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(*sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    *shown, loaded = done.stdout.splitlines()
    assert any("power-on to goal" in line for line in shown)
    modules = set(loaded.split())
    assert "bootlab.targets.qemu" in modules
    unwanted = ("scipy", "jinja2", "tree_sitter", "tree_sitter_bash", "sqlite3", "xml", "http", "numpy.ma")
    unwanted += ("bootlab.advice", "bootlab.collectors", "bootlab.kernelsource.tree")
    unwanted += ("bootlab.startup.units", "bootlab.startup.shell", "bootlab.timers", "bootlab.techniques.registry")
    unwanted += ("bootlab.experiments.base", "bootlab.experiments.comparison", "bootlab.experiments.trials")
    unwanted += ("bootlab.builders.busybox", "bootlab.builders.images.formats", "bootlab.builders.kbuild")
    unwanted += ("bootlab.builders.programs.builder", "bootlab.views.publish", "bootlab.tracing.rules")
    assert all(importlib.util.find_spec(name) for name in unwanted if name.startswith("bootlab."))
    assert not [name for name in sorted(modules) if name in unwanted]


def test_names_that_are_not_there():
    assert not hasattr(bootlab, "Sistem")
    assert set(bootlab.__all__) == {"Analysis", "Boot", "BootlabError", "Results", "System", "__version__", "analyze"}
    assert all(getattr(bootlab, name) for name in bootlab.__all__)


def test_boot(system):
    boot = system.boot()
    assert boot.ok
    assert boot.outcome is Outcome.GOAL
    assert boot.diagnosis is None
    assert boot.goal_ms == boot.goal_ns / 1e6
    assert sum(s.duration_ns for s in boot.stages) == boot.goal_ns
    assert [m.name for m in boot.marks][-1] == "goal"
    assert boot.lines[0].first_ns is not None
    assert "small: ready" in boot.lines[-1].text
    assert repr(boot).startswith("<bootlab.Boot goal 3139.")


def test_results_are_kept_and_found_again(system, tmp_path):
    boot = system.boot()
    again = bootlab.Results.open(store=tmp_path / "store")
    assert again.id == boot.results.id
    assert again.base.goal_ns == boot.goal_ns
    assert repr(again) == f"<bootlab.Results {again.id}>"
    assert again.stacked == ()
    assert again.faster is None
    assert again.final is None


def test_repeat(system):
    boot, equality = system.repeat(3)
    assert boot.ok
    assert equality.equal
    assert equality.boots == 3
    with pytest.raises(UserError, match="cannot compare"):
        system.repeat(1)


def test_what_applies(system):
    quiet, lpj = system.applies("quiet", "lpj-preset")
    assert quiet.applies.answer is Answer.YES
    assert lpj.applies.answer is Answer.NO
    assert "skipped by timer frequency" in lpj.applies.reason


def test_verdicts_and_files(system, tmp_path):
    results = system.try_("quiet", "lpj-preset")
    assert results.verdicts == {"quiet": "faster", "lpj-preset": "no effect shown"}
    assert results.html(tmp_path / "a.html").read_text().startswith("<!doctype html>")
    assert results.markdown(str(tmp_path / "a.md")).stat().st_size > 100
    assert results.perfetto(tmp_path / "a.pftrace").stat().st_size > 100
    assert results.chrome(tmp_path / "a.json").read_text().startswith("{")


def test_stack_and_its_proof(system):
    results = system.stack("quiet", "crypto-selftests", "no-timer-check")
    assert results.stacked == ("crypto-selftests", "no-timer-check", "quiet")
    assert results.final.goal_ns < results.base.goal_ns
    assert results.faster.is_file()
    assert all(row.kept and row.cost_ns > 0 for row in results.data.stack.leave_one_out)


def test_changed_is_another_system(system):
    other = system.changed(Change(technique="by hand", ops=(SetParam("quiet"),), kind="manual"))
    assert system.cmdline == "console=ttyS0,115200 panic=-1"
    assert other.cmdline == "console=ttyS0,115200 panic=-1 quiet"
    assert other.boot().goal_ns < system.boot().goal_ns


def test_a_system_that_was_never_recorded(system):
    other = system.changed(Change(technique="by hand", ops=(SetParam("nosmp"),), kind="manual"))
    with pytest.raises(TargetError, match="no recording of this system"):
        other.boot()


def test_wrong_options_are_refused(system):
    with pytest.raises(UserError, match="'safety' is not a cost"):
        system.stack(allow=("safety",))
    with pytest.raises(UserError, match="blocks"):
        system.try_("quiet", blocks=2)
    with pytest.raises(UserError, match="there is no technique"):
        system.try_("quit")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SystemFileError) as caught:
        bootlab.System.load(tmp_path / "no.toml")
    assert caught.value.hint


def test_plan_says_what_would_be_booted(system):
    plan = system.plan()
    assert plan.command[0] == "replay"
    assert (Path(REPLAYED).parent / "fixture" / plan.key).is_dir()
