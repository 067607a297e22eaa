# SPDX-License-Identifier: MIT
"""The pytest plugin, in test runs of its own."""

from __future__ import annotations

import pytest

from tests.conftest import REPLAYED

pytest_plugins = ["pytester"]
HEAD = f"import pytest\nfrom bootlab.pytest_plugin import ms, s\nSYSTEM = {str(REPLAYED)!r}\n"


@pytest.fixture
def run(pytester: pytest.Pytester):
    def call(body: str, *options: str, labgrid: bool = False) -> pytest.RunResult:
        pytester.makepyfile(HEAD + body)
        # It comes by its entry point, as users have it.
        plugins = ("-p", "no:cacheprovider", *(() if labgrid else ("-p", "no:labgrid")))
        return pytester.runpytest_subprocess(*plugins, "--bootlab-store", str(pytester.path / "store"), *options)

    return call


def test_assertions_that_hold_and_do_not(run) -> None:
    done = run(
        """
@pytest.mark.bootlab(system=SYSTEM)
class TestSmall:
    def test_holds(self, boot):
        assert boot.stage("kernel") < s(3)
        assert boot.total > boot.stage("kernel")
        assert "small: ready" in boot.console

    def test_does_not(self, boot):
        assert boot.stage("kernel") < ms(500)

    def test_no_such_stage(self, boot):
        assert boot.stage("kernle") < ms(500)

@pytest.mark.bootlab(system="none.toml")
def test_no_such_system(boot):
    pass
"""
    )
    done.assert_outcomes(passed=1, failed=2, errors=1)
    # Its hint stands behind what is wrong.
    done.stdout.fnmatch_lines(["*none.toml*"])
    done.stdout.fnmatch_lines(["*2900.003 ms < 500.000 ms*"])
    done.stdout.fnmatch_lines(["*the boot has no stage 'kernle'; it has: firmware, kernel set-up,*"])


@pytest.mark.slow
def test_the_system_by_option_and_none(run) -> None:
    body = "def test_it(boot):\n    assert boot.total < s(4)\n"
    run(body, "--bootlab-system", str(REPLAYED)).assert_outcomes(passed=1)
    done = run(body)
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*which system? Mark the test with*"])


@pytest.mark.slow
def test_the_mark_is_known_and_names_of_labgrid_are_free(run) -> None:
    done = run(
        """
@pytest.fixture
def target():
    return 5

@pytest.mark.bootlab(system=SYSTEM)
def test_it(boot, target):
    assert target == 5
""",
        "--strict-markers",
    )
    done.assert_outcomes(passed=1)


LABGRID = """
targets:
  main:
    resources:
      NetworkService:
        address: 192.0.2.1
        username: root
    drivers:
      ManualPowerDriver: {name: camera}
"""


@pytest.mark.slow
def test_beside_labgrids_plugin(run, pytester: pytest.Pytester) -> None:
    """Both are loaded by their entry points; labgrid's `target` and bootlab's `boot` are in one test."""
    pytest.importorskip("labgrid", reason="labgrid is not installed (pip install 'bootlab[board]')")
    pytester.makefile(".yaml", lab=LABGRID)
    done = run(
        """
from labgrid.resource import NetworkService

@pytest.mark.bootlab(system=SYSTEM)
def test_it(target, boot):
    assert target.get_resource(NetworkService, wait_avail=False).address == "192.0.2.1"
    assert boot.stage("kernel") < s(3)

def test_boot_alone(env):
    assert env.get_target("main").name == "main"
""",
        "--strict-markers", "--lg-env", "lab.yaml", "-W", "ignore", labgrid=True,
    )  # fmt: skip
    done.assert_outcomes(passed=2)
    done = run("def test_none(target, boot):\n    pass\n", "--strict-markers", labgrid=True)
    done.assert_outcomes(skipped=1)
    assert "labgrid" in run("", "--trace-config", labgrid=True).stdout.str()
