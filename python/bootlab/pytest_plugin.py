# SPDX-License-Identifier: MIT
"""pytest: boot a system in a test, and assert what its stages take. Lives beside labgrid's plugin.

    import pytest
    from bootlab.pytest_plugin import ms

    @pytest.mark.bootlab(system="camera.toml")
    def test_the_camera_starts_in_time(boot):
        assert boot.total < ms(3200)
        assert boot.stage("kernel") < ms(500)

Options: `--bootlab-system FILE` (for tests whose mark names none), `--bootlab-store FOLDER`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bootlab.errors import BootlabError

if TYPE_CHECKING:
    from bootlab.api import Boot

MARK = "bootlab"


class Ns(int):
    """Nanoseconds that show themselves as milliseconds, so that a failed assertion reads well."""

    def __repr__(self) -> str:
        """Show milliseconds."""
        return f"{int(self) / 1e6:.3f} ms"


def ms(value: float) -> Ns:
    """Return milliseconds as a time to compare with."""
    return Ns(round(value * 1e6))


def s(value: float) -> Ns:
    """Return seconds as a time to compare with."""
    return Ns(round(value * 1e9))


class BootUnderTest:
    """A boot that reached its goal. Times raise where they were not measured: an unknown keeps no assertion."""

    def __init__(self, boot: Boot) -> None:
        """Look at a boot."""
        self.boot = boot

    def __repr__(self) -> str:
        """Show the boot."""
        return repr(self.boot)

    @property
    def total(self) -> Ns:
        """Power-on to goal."""
        if self.boot.goal_ns is None:
            pytest.fail("the goal's time is not known, so it keeps no budget", pytrace=False)
        return Ns(self.boot.goal_ns)

    def stage(self, name: str) -> Ns:
        """Return how long a stage took. Fail the test when the boot has no such stage."""
        stages = {stage.name: stage.duration_ns for stage in self.boot.stages}
        if name not in stages:
            pytest.fail(f"the boot has no stage {name!r}; it has: {', '.join(stages)}", pytrace=False)
        return Ns(stages[name])

    @property
    def console(self) -> str:
        """The console's text."""
        return "\n".join(line.text for line in self.boot.lines)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup(MARK, "bootlab: boots in tests")
    group.addoption("--bootlab-system", metavar="FILE", help="System file of tests whose mark names none.")
    group.addoption("--bootlab-store", metavar="FOLDER", help="Folder of recordings. Default: BOOTLAB_STORE, .bootlab.")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line(
        "markers", "bootlab(system, fresh=False): the system file that the fixture `boot` boots, beside the test's file"
    )


@pytest.fixture
def boot(request: pytest.FixtureRequest) -> BootUnderTest:
    """Boot the system that the test's mark `bootlab(system=…)` names; an exact one is booted once for all tests."""
    from bootlab.api import System  # noqa: PLC0415 - tests without this fixture must not wait for it

    mark = request.node.get_closest_marker(MARK)
    named = mark.kwargs.get("system") if mark else None
    file = _system_file(request, named)
    store = request.config.getoption("--bootlab-store")
    try:
        booted = System.load(file, store=store).boot(fresh=bool(mark and mark.kwargs.get("fresh")))
    except BootlabError as error:
        hint = f"\nhint: {error.hint}" if error.hint else ""
        pytest.fail(f"{error.message}{hint}", pytrace=False)
    if not booted.ok:
        meta = booted.recording.meta
        why = f"{meta.outcome.value}: {meta.reason}".rstrip(": ")
        pytest.fail(f"{file.name} did not boot: {why}\nrecording: {booted.recording.path}", pytrace=False)
    return BootUnderTest(booted)


def _system_file(request: pytest.FixtureRequest, named: object) -> Path:
    if named is not None:
        return request.path.parent / str(named)
    given = request.config.getoption("--bootlab-system")
    if given is None:
        pytest.fail(
            "which system? Mark the test with @pytest.mark.bootlab(system=FILE), or give --bootlab-system FILE",
            pytrace=False,
        )
    return Path(str(given))
