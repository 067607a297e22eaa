# SPDX-License-Identifier: MIT
"""From which kept objects a build starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from bootlab.builders.kbuild.workspace import Done, Workspace
from bootlab.recordings import sealed

BASE = {"HZ": "100", "CMDLINE": '""'}


def kept(root: Path, name: str, config: dict[str, str], uses: dict[str, str]) -> None:
    """Lay down a build that ended: its objects with the options that each depends on."""
    objects = root / "family" / name / "obj"
    objects.mkdir(parents=True)
    for object_name, option in uses.items():
        noted = (
            f"cmd := gcc\nsource_{object_name} := x.c\n$(wildcard include/config/{option}) include/linux/kconfig.h\n"
        )
        (objects / f".{object_name}.o.cmd").write_text(noted)
    done = Done(config=config, patches="", objects=len(uses))
    sealed.keep(objects.parent / "done.json", done)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    uses = {"one": "HZ", "two": "HZ", "three": "CMDLINE"}
    kept(tmp_path, "other-rate", BASE | {"HZ": "250"}, uses)
    kept(tmp_path, "other-line", BASE | {"CMDLINE": '"quiet"', "CMDLINE_FORCE": "y"}, uses)
    return Workspace(tmp_path, "family")


def test_objects_decide_not_the_number_of_options(workspace: Workspace) -> None:
    again = workspace.start(workspace.folder / "new", BASE, "", lambda: None)
    assert again == (False, 1)


def test_an_option_that_is_off_is_one_that_is_not_there(workspace: Workspace) -> None:
    asked = BASE | {"CMDLINE": '"quiet"', "CMDLINE_FORCE": "y", "NET": "n"}
    assert workspace.start(workspace.folder / "new", asked, "", lambda: None) == (False, 0)


def test_copied_objects_name_their_own_folder(workspace: Workspace) -> None:
    place = workspace.folder / "other-line"
    tool = place / "obj/tools/objtool"
    tool.mkdir(parents=True)
    (tool / ".check.o.cmd").write_text(f"cmd_{tool}/check.o := gcc -Wp,-MD,{tool}/.check.o.d -I{place}/tools/include\n")
    (tool / "check.o").write_text(f"{place}")
    now = workspace.folder / "new"
    workspace.start(now, BASE | {"CMDLINE": '"quiet"', "CMDLINE_FORCE": "y"}, "", lambda: None)
    there = now / "obj/tools/objtool"
    assert (there / ".check.o.cmd").read_text() == (
        f"cmd_{there}/check.o := gcc -Wp,-MD,{there}/.check.o.d -I{now}/tools/include\n"
    )
    assert (there / "check.o").read_text() == f"{place}", "only what make noted"
    assert str(now) not in (tool / ".check.o.cmd").read_text(), "the kept one stays as it was"
