# SPDX-License-Identifier: MIT
"""`check` and `try` give one answer to a system: what `check` knows without a boot, `try` does not contradict."""

import os
from pathlib import Path

import pytest

from bootlab.advice.check import check
from bootlab.advice.facts import gather
from bootlab.builders import kernelinfo
from bootlab.builders.cache import Cache
from bootlab.errors import BootlabError, UserError
from bootlab.experiments.base import Base
from bootlab.experiments.trials import proposals, require_buildable
from bootlab.model.system import SystemDescription
from bootlab.systemfile import load
from bootlab.techniques import all_techniques, get
from bootlab.techniques.base import Answer
from tests.techniques.recordings import diagnosis, recording

ROOT = Path(__file__).parents[2]
FILES = (
    "examples/demo/system.toml",
    "examples/busybox-rc/system.toml",
    "examples/arm64-virt/system.toml",
    "tests/replay/system.toml",
)


def base_of(system: SystemDescription, cache: Cache) -> Base:
    image = Path(system.kernel.image)
    known = system.kernel.image and image.is_file()
    info = kernelinfo.inspect(system.kernel, cache.root, cache.digest(image)) if known else kernelinfo.KernelInfo()
    return Base(system=system, recording=recording("base"), diagnosis=diagnosis("diagnostic"), info=info)


@pytest.mark.parametrize("file", FILES)
def test_what_check_knows_try_says_too(file, tmp_path):
    cache = Cache(tmp_path)
    try:
        # The kernel that `make kernel` fetches, where no other is named.
        fetched = ROOT / ".cache/kernel/vmlinuz"
        environ = ({"BOOTLAB_KERNEL": str(fetched)} if fetched.is_file() else {}) | os.environ
        system = load(ROOT / file, environ=environ)
        facts = gather(cache, system=system)
    except BootlabError as missing:
        pytest.skip(f"{file}: {missing}")
    if system.kernel.build is not None and not facts.context.config:
        pytest.skip(f"{file}: its kernel cannot be configured here")
    checked = {found.technique: found for found in check(facts, all_techniques())}
    said, pairs = proposals(base_of(system, cache), all_techniques())
    tried = {one.technique: one.applies for one in said}
    assert set(checked) == set(tried)
    compared = 0
    for technique, found in checked.items():
        # A base that boots a kernel which is built has its configuration from the build, which is not made here.
        if found.answer is Answer.UNKNOWN or (system.kernel.build is not None and get(technique).builds):
            continue
        compared += 1
        # A boot may give another reason, never another answer.
        assert found.answer is tried[technique].answer, (technique, found.reason, tried[technique].reason)
        if found.answer is Answer.YES:
            ids = [change.id for one, change in pairs if one.id == technique]
            assert [change.id for change in found.changes] == ids, technique
    assert compared > 10


def test_an_image_that_is_given_is_not_configured():
    system = load(ROOT / "tests/replay/system.toml")
    base = base_of(system, Cache(Path("/nonexistent")))
    said, pairs = proposals(base, (get("swap-off"), get("quiet")), forced=True)
    assert said[0].applies.answer is Answer.NO
    assert "names no kernel source" in said[0].applies.reason
    assert {technique.id for technique, _ in pairs} == {"quiet"}
    with pytest.raises(UserError, match="none of the named techniques can be tried") as caught:
        proposals(base, (get("proc-off"),), forced=True)
    assert "kernel source" in caught.value.hint


def test_what_no_boot_can_change_is_refused_before_the_first_one():
    system = load(ROOT / "tests/replay/system.toml")
    with pytest.raises(UserError, match="proc-off, swap-off: each builds the kernel") as caught:
        require_buildable(system, (get("proc-off"), get("swap-off")))
    assert "kernel source" in caught.value.hint
    require_buildable(system, (get("proc-off"), get("quiet")))
    require_buildable(system, ())
