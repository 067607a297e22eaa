# SPDX-License-Identifier: MIT
"""Each initcall on the list has its own proof, beside others that are on it."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.model.change import Change, ExtendParam
from bootlab.model.cmdline import CommandLine
from bootlab.techniques import get
from tests.techniques.recordings import evidence

BEFORE = evidence("base", diagnostic="diagnostic")
_BOOTED = evidence("base", diagnostic="diagnostic-blacklist")


def _change(technique: str, names: str) -> Change:
    return Change(technique=technique, ops=(ExtendParam("initcall_blacklist", names),), label=names)


@pytest.mark.parametrize("technique", ["initcall-blacklist", "initcall-groups"])
def test_one_that_never_ran_takes_no_other_one_with_it(technique):
    line = CommandLine.parse("initcall_blacklist=init_ima,tracer_init_tracefs,foo_bar")
    after = msgspec.structs.replace(_BOOTED, system=msgspec.structs.replace(_BOOTED.system, cmdline=line))
    proof = get(technique)
    assert not proof.took_effect(BEFORE, after).shown
    for name in ("init_ima", "tracer_init_tracefs"):
        shown = proof.proves(_change(technique, name), BEFORE, after)
        assert shown.shown
        assert shown.evidence.split("; ")[0] == f"initcall {name} blacklisted"
        assert shown.evidence.count("blacklisted") == 1
    assert not proof.proves(_change(technique, "foo_bar"), BEFORE, after).shown
