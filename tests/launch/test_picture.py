# SPDX-License-Identifier: MIT
"""A picture of the screen as a goal: what bootlab hands to the plugin, and the mistakes that it names."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.errors import EnvironmentFault, UserError
from bootlab.launch import picture, plugin
from bootlab.launch.emulator import Emulator
from bootlab.launch.plugin import Plugin
from bootlab.model.launch import LoadedPlugin
from bootlab.model.system import Clockwork, Goal, Kernel, Machine, SystemDescription
from bootlab.preflight.expectation import likely
from tests.launches import launch

FOUND = Emulator(path="/qemu", version="7.2", numbers=(7, 2, 0))
SHOWN = Goal(console="^bootlab: picture shown")
STAMP = LoadedPlugin(file="/p/stamp.so", arguments=("con=c", "shift=1"), digest="s", preloaded=True)


class OneDigest:
    root = None

    def digest(self, path) -> str:
        return f"of-{path.name}"


@pytest.fixture
def made(monkeypatch):
    monkeypatch.setattr(plugin, "prepare_picture", lambda *_: Plugin("/p/picture.so", digest="p"))
    monkeypatch.setattr(plugin, "prepare_with_lines", lambda *_: Plugin("/p/lines.so", digest="l"))


def system(file="/a/splash.ppm", **fields) -> SystemDescription:
    return SystemDescription(
        name="s", kernel=Kernel(image="/k"), machine=Machine(picture=file), **({"goal": SHOWN} | fields)
    )


def test_the_screen_is_watched_by_a_plugin_that_prints_through_the_stamper(made):
    watched = picture.watched(launch(plugins=(STAMP,)), system(), FOUND, OneDigest())
    looker, stamper = watched.plugins
    assert (stamper.file, stamper.digest, stamper.arguments) == ("/p/lines.so", "l", STAMP.arguments)
    assert watched.preload == picture.Path("/p/lines.so")
    assert looker.arguments == ("digest=of-splash.ppm", "picture=picture.ppm", "screen=screen.ppm")
    assert picture.carried(system()) == (("picture.ppm", "/a/splash.ppm"),)


def test_without_a_picture_the_launch_is_the_same():
    base = launch(plugins=(STAMP,))
    assert picture.watched(base, system(None), FOUND, OneDigest()) is base
    assert picture.carried(system(None)) == ()


@pytest.mark.parametrize(
    ("given", "accel"), [(system(clock=Clockwork(mode="free")), "tcg"), (system(), "kvm")], ids=["free", "kvm"]
)
def test_only_exact_time_is_looked_at(made, given, accel):
    with pytest.raises(UserError, match="needs exact mode"):
        picture.watched(launch(accel=accel), given, FOUND, OneDigest())


def test_why_there_is_no_plugin_is_said(monkeypatch, made):
    monkeypatch.setattr(plugin, "prepare_with_lines", lambda *_: Plugin(None, reason="no compiler"))
    with pytest.raises(EnvironmentFault, match="no compiler"):
        picture.watched(launch(plugins=(STAMP,)), system(), FOUND, OneDigest())


@pytest.mark.parametrize(
    ("goal", "is_it"), [("^bootlab: picture shown", True), ("picture", True), ("shown", False), (".", False)]
)
def test_which_goals_are_the_picture(goal, is_it):
    assert picture.is_goal(system(goal=Goal(console=goal))) is is_it


def test_no_file_of_the_tree_is_expected_to_have_the_line():
    assert likely(system()) == ""


def test_a_failed_boot_keeps_its_screen(tmp_path):
    for reached, kept in ((False, {"screen.ppm"}), (True, set())):
        (tmp_path / "picture.ppm").touch()
        (tmp_path / "screen.ppm").touch()
        picture.tidy(tmp_path, reached=reached)
        assert {file.name for file in tmp_path.iterdir()} == kept
    picture.tidy(tmp_path, reached=True)


def test_another_picture_is_another_boot(made):
    one = picture.watched(launch(plugins=(STAMP,)), system(), FOUND, OneDigest())
    moved = picture.watched(launch(plugins=(STAMP,)), system("/b/splash.ppm"), FOUND, OneDigest())
    other = picture.watched(launch(plugins=(STAMP,)), system("/a/logo.ppm"), FOUND, OneDigest())
    assert one == moved
    assert one != other
    assert msgspec.structs.replace(one, plugins=()) == msgspec.structs.replace(other, plugins=())
