"""The key of a boot: contents count, places do not, and recordings that were kept keep theirs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bootlab.builders.artefacts import Artefacts
from bootlab.model.launch import LoadedPlugin, Medium
from bootlab.model.system import Goal, Kernel, System
from bootlab.targets.boot_key import key_of
from tests.launches import CLOCK, launch

SYSTEM = System(name="s", kernel=Kernel(image="/k"), goal=Goal(console="g"))
ARTEFACTS = Artefacts(kernel=Path("/k"), sha256={"kernel": "aa", "initramfs": "bb"})
BASE = launch(
    initramfs="/i",
    dtb="/d",
    media=(Medium(file="/r", bus="sd", holds="root"), Medium(file="/own", bus="virtio")),
    plugins=(LoadedPlugin(file="/p/stamp-1.so", arguments=("con=c", "shift=1"), digest="d1"),),
)


def key(given=BASE, artefacts=ARTEFACTS) -> str:
    return key_of(SYSTEM, given, artefacts, ("dd",), "7.2", "timing")


def test_the_key_is_that_of_kept_recordings():
    # Made by 0.1: a change of it has every system booted again.
    assert key() == "0747f550e6c03e38871b5ccdacb4aace"


@pytest.mark.parametrize(
    "moved",
    [
        {"kernel": "/elsewhere"},
        {"initramfs": "/elsewhere"},
        {"dtb": "/elsewhere"},
        {"media": (Medium(file="/other", bus="sd", holds="root"), BASE.media[1])},
        {"plugins": (LoadedPlugin(file="/q/x.so", arguments=("con=c", "shift=1"), digest="d1"),)},
    ],
)
def test_where_a_file_lies_does_not_count(moved):
    assert key(msgspec.structs.replace(BASE, **moved)) == key()


@pytest.mark.parametrize(
    "changed",
    [
        {"initramfs": None},
        {"dtb": None},
        {"cpu": "qemu64"},
        {"processors": 2},
        {"cmdline": "quiet"},
        {"extra": ("-s",)},
        {"devices": ("VGA",)},
        {"clock": msgspec.structs.replace(CLOCK, seed=2)},
        {"media": BASE.media[:1]},
        {"media": (BASE.media[0], Medium(file="/another", bus="virtio"))},
        {"plugins": ()},
        {"plugins": (LoadedPlugin(file="/p/stamp-1.so", arguments=("con=c", "shift=1"), digest="d2"),)},
        {"plugins": (LoadedPlugin(file="/p/stamp-1.so", arguments=("con=c", "shift=2"), digest="d1"),)},
    ],
)
def test_what_is_started_counts(changed):
    assert key(msgspec.structs.replace(BASE, **changed)) != key()


def test_what_is_in_the_files_counts():
    other = msgspec.structs.replace(ARTEFACTS, sha256={"kernel": "ac", "initramfs": "bb"})
    assert key(artefacts=other) != key()
