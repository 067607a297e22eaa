# SPDX-License-Identifier: MIT
"""Images of Debian with systemd and nginx: described, booted twice alike, made faster with a proof of each change.

A boot takes half a minute of processor time and more, so they are asked for: BOOTLAB_DEBIAN_IMAGES names images that
`examples/debian-pc/make-image.sh` made, with a colon between them. Run with `-s` to see the figures.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bootlab.analysis.equality import compare_boots
from bootlab.model.recording import Outcome
from bootlab.techniques.base import Answer
from tests.integration.debian_image import faster

IMAGES = [Path(name) for name in os.environ.get("BOOTLAB_DEBIAN_IMAGES", "").split(":") if name]
pytestmark = [
    pytest.mark.qemu,
    pytest.mark.slow,
    pytest.mark.skipif(not IMAGES, reason="BOOTLAB_DEBIAN_IMAGES names no image of examples/debian-pc/make-image.sh"),
]
ALWAYS = ("crypto-selftests", "initramfs-direct", "systemd-rest-later", "systemd-generators-off")


@pytest.mark.parametrize("image", IMAGES or [Path("none")], ids=lambda path: path.stem)
def test_an_image_becomes_faster(image, tmp_path):
    found = faster(image, tmp_path, tell=print)
    assert found.described.proposal.goals.sure
    assert found.described.proposal.goals.goal.pattern == r"Started nginx\.service"
    assert found.chain[0] == "nginx.service"
    assert len(found.chain) > 2
    assert compare_boots(found.system, (found.base, found.again), {}).equal
    assert compare_boots(found.changed, (found.boot, found.boot_again), {}).equal
    for name in ALWAYS:
        assert found.answers[name].answer is Answer.YES, found.answers[name]
    assert {name: effect.evidence for name, effect in found.effects.items() if not effect.shown} == {}
    assert found.boot.meta.outcome is Outcome.GOAL
    # nginx answers the product's own check in both, with the same page.
    assert found.pages[0].startswith("web: ready, nginx answered 200")
    assert found.pages[1] == found.pages[0]
    assert found.boot.meta.goal_ns * 2 < found.base.meta.goal_ns
