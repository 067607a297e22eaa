# SPDX-License-Identifier: MIT
"""The registry: what it finds, what it says when it does not, and how it treats techniques of third parties."""

import sys
import types
from importlib.metadata import EntryPoint

import pytest

from bootlab.errors import UserError
from bootlab.techniques import UnknownTechnique, all_techniques, get, proof_symbols, registry
from bootlab.techniques.base import Answer
from bootlab.techniques.installed import ENTRY_POINTS, others_may_be_installed
from bootlab.techniques.kernel.console import Quiet
from bootlab.techniques.registry import BUILT_IN, load
from tests.techniques.recordings import context


def test_get_by_id():
    assert get("quiet").id == "quiet"
    assert get("quiet") in all_techniques()


def test_an_unknown_id_names_those_that_look_alike():
    with pytest.raises(UnknownTechnique) as caught:
        get("initramfs-compress")
    assert isinstance(caught.value, UserError)
    assert "initramfs-compression" in caught.value.hint
    assert "bootlab techniques" in caught.value.hint


def test_an_unknown_id_like_nothing_has_a_hint_all_the_same():
    with pytest.raises(UnknownTechnique) as caught:
        get("x" * 100_000)
    assert len(str(caught.value)) < 300
    assert "did you mean" not in caught.value.hint


class Mine(Quiet):
    """A technique from elsewhere."""

    id = "mine"


@pytest.fixture
def foreign(monkeypatch):
    module = types.ModuleType("foreign_techniques")
    module.Mine = Mine
    module.mine = Mine()
    module.taken = Quiet()
    module.number = 42
    module.unfilled = type("Unfilled", (Quiet,), {"id": "unfilled", "why": ""})
    module.fails = type("Fails", (Quiet,), {"__init__": lambda self: 1 / 0})
    monkeypatch.setitem(sys.modules, "foreign_techniques", module)
    return lambda name: EntryPoint(name, f"foreign_techniques:{name}", ENTRY_POINTS)


def test_what_a_boot_marks_is_known_without_the_catalogue(monkeypatch, foreign, tmp_path):
    assert set(proof_symbols.BUILT_IN) == {name for t in BUILT_IN for name in t.proof_symbols}
    assert proof_symbols.proof_symbols() == tuple(sorted(proof_symbols.BUILT_IN))
    package = tmp_path / "mine-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Name: mine\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[console_scripts]\na = b:c\n[bootlab.techniques]\n\n[other]\nx = y:z\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path), str(tmp_path / "gone")])
    assert not others_may_be_installed()
    (package / "entry_points.txt").write_text("[bootlab.techniques]\nmine = foreign_techniques:Mine\n")
    monkeypatch.setattr(registry, "catalogue", lambda: load((foreign("Mine"),)))
    monkeypatch.setattr(sys.modules["foreign_techniques"].Mine, "proof_symbols", ("my_function",))
    assert "my_function" in proof_symbols.proof_symbols()


@pytest.mark.parametrize("name", ["Mine", "mine"])
def test_third_parties_give_a_class_or_an_instance(foreign, name):
    found = load((foreign(name),))
    assert found.problems == ()
    assert found.techniques[-1].id == "mine"
    assert found.techniques[:-1] == BUILT_IN


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("taken", "the id 'quiet' is taken"),
        ("number", "int is not a bootlab.techniques.base.Technique"),
        ("unfilled", "these are not filled: why"),
        ("fails", "ZeroDivisionError"),
        ("absent", "AttributeError"),
    ],
)
def test_an_error_of_third_parties_is_reported_and_not_fatal(foreign, name, reason):
    found = load((foreign(name), foreign("mine")))
    assert [p.entry_point for p in found.problems] == [f"{name} = foreign_techniques:{name}"]
    assert reason in found.problems[0].reason
    assert found.techniques[-1].id == "mine"


def test_one_variant_by_its_label():
    whole, one = get("initramfs-compression"), get("initramfs-compression:lz4")
    assert (one.id, one.title, one.risk) == (whole.id, whole.title, whole.risk)
    assert [change.label for change in one.changes(context("base"))] == ["lz4"]
    assert one.applies(context("base")) == whole.applies(context("base"))
    assert len(whole.changes(context("base"))) > 1, "the technique itself stays as it is"


def test_a_row_has_variants_by_label_too():
    assert get("no-timer-check:").changes(context("base")) == get("no-timer-check").changes(context("base"))


def test_a_label_that_is_not_there_is_said():
    wrong = get("initramfs-compression:lz5")
    assert wrong.changes(context("base")) == ()
    said = wrong.applies(context("base"))
    assert said.answer is Answer.NO
    assert "no variant 'lz5'" in said.reason
    assert "lz4" in said.evidence


def test_an_unknown_id_with_a_label_names_those_that_look_alike():
    with pytest.raises(UnknownTechnique, match="'initramfs-compress'"):
        get("initramfs-compress:lz4")
