# SPDX-License-Identifier: MIT
"""A delay experiment: the function is found in the source, the patch is tried as a technique, the proof is honest."""

import msgspec
import pytest

from bootlab.builders.cache import Cache
from bootlab.errors import UserError
from bootlab.experiments import delay
from bootlab.experiments.delay import DelayPatched, patch_of
from bootlab.model.recording import Meta, Recording
from bootlab.model.system import Goal, Kernel, KernelBuild, SystemDescription
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Answer, Context, Evidence
from tests.experiments.test_kernel_source import CONFIG, FILES
from tests.kernelsource.small_tree import write

MS = 1_000_000
WAITS = "static void wait_ready(void)\n{\n\tmdelay(50);\n}\n"


@pytest.fixture
def system(tmp_path, monkeypatch):
    files = {**FILES, "drivers/toy.c": FILES["drivers/toy.c"] + WAITS, "drivers/bus.c": FILES["drivers/bus.c"] + WAITS}
    tree = write(tmp_path / "linux", {**files, "drivers/always.c": WAITS.replace("wait_ready", "wait_long")})
    text = "".join(f"{name}={value}\n" for name, value in CONFIG.items())
    monkeypatch.setattr(delay, "configure_system_kernel", lambda *_: text)
    build = KernelBuild(source=str(tree))
    return SystemDescription(name="lab", kernel=Kernel(image="", build=build), goal=Goal(console="done"))


def patch(system, tmp_path, function, **more):
    return patch_of(Cache(tmp_path / "cache"), system, function, 5 * MS, **more)


def test_found_by_name_or_by_file_and_name(system, tmp_path):
    assert patch(system, tmp_path, "wait_long").file == "drivers/always.c"
    assert patch(system, tmp_path, "drivers/bus.c:wait_ready").file == "drivers/bus.c"
    with pytest.raises(UserError, match="2 definitions") as fault:
        patch(system, tmp_path, "wait_ready")
    assert "drivers/bus.c:wait_ready, drivers/toy.c:wait_ready" in fault.value.hint
    for name in ("no_such", "", ":", "drivers/held.c:wait_long", "x" * 9999):
        with pytest.raises(UserError, match="no file of the kernel's source defines"):
            patch(system, tmp_path, name)


def test_a_kernel_that_is_not_built(system, tmp_path):
    with pytest.raises(UserError, match="is not built"):
        patch(msgspec.structs.replace(system, kernel=Kernel(image="bzImage")), tmp_path, "wait_long")


def evidence(system: SystemDescription, sha: str, *patches: str) -> Evidence:
    meta = Meta(artefact_sha256={"kernel": sha}, artefact_bytes={"kernel": 1}, kernel_patches=patches)
    return Evidence(system=system, recording=Recording(meta=meta, lines=(), marks=()))


def test_tried_as_a_technique_that_always_warns(system, tmp_path):
    technique = DelayPatched(patch(system, tmp_path, "wait_long"))
    before = evidence(system, "a", "own.patch")
    context = Context(system=system, recording=before.recording)
    assert technique.applies(context).answer is Answer.YES
    assert "hardware must confirm" in technique.risk.function
    assert technique.command(system) == "bootlab delay SYSTEM.toml drivers/always.c:wait_long --to 5000000ns"
    (change,) = technique.changes(context)
    assert (change.id, change.kind) == ("delay:wait_long", "manual")
    assert change.apply(system).kernel.build.patches[-1].text == technique.patch.text
    name = technique.patch_name
    assert technique.took_effect(before, evidence(system, "b", "own.patch", name)) == Effect(
        True, "built with delay-wait_long.patch (mdelay(50) -> mdelay(5)); image 1 -> 1 bytes"
    )
    assert not technique.took_effect(before, evidence(system, "a", "own.patch", name)).shown
    assert not technique.took_effect(before, evidence(system, "b", "own.patch")).shown
