# SPDX-License-Identifier: MIT
"""A kernel with the loaded drivers built in: where it applies, what it changes, and how it is proved."""

import msgspec
import pytest

from bootlab.model.change import MountRootByKernel
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.system import KernelBuild
from bootlab.techniques.base import Answer, Context, Evidence
from bootlab.techniques.registry import get
from tests.techniques import user_space as u
from tests.techniques.recordings import as_context
from tests.techniques.test_option import recording

TECHNIQUE = get("built-in-drivers")
OPTIONS = ("EXT4_FS", "MMC")
MOUNTED = "[    0.9] VFS: Mounted root (ext4 filesystem) readonly on device 179:1."


def context(**fields: object) -> Context:
    left = fields.pop("left", ())
    options = fields.pop("options", OPTIONS)
    found = as_context(u.mounting(**fields))
    return msgspec.structs.replace(found, built_in_options=options, modules_left=left)


@pytest.mark.parametrize(
    ("found", "answer", "part"),
    [
        (context(), Answer.YES, "with 8 modules built in EXT4_FS, MMC"),
        (context(left=("sdhci_pci",)), Answer.YES, "not built in: sdhci_pci"),
        (context(root="/dev/mmcblk0p1"), Answer.YES, "/dev/mmcblk0p1 (ext4)"),
        (context(diagnosed=False), Answer.UNKNOWN, "diagnostic boot"),
        (context(options=()), Answer.UNKNOWN, "the kernel's source"),
        (context(left=("ext4",)), Answer.NO, "file system cannot be built in"),
        (context(root="ZFS=tank/root"), Answer.NO, "cannot find such a root"),
    ],
)
def test_where_it_applies(found: Context, answer: Answer, part: str):
    said = TECHNIQUE.applies(found)
    assert said.answer is answer
    assert part in f"{said.reason} {said.evidence}"


def test_it_does_not_apply_without_an_initramfs_or_to_a_device_that_others_make_up():
    found = context()
    without = msgspec.structs.replace(found, system=msgspec.structs.replace(found.system, initramfs=None))
    assert TECHNIQUE.applies(without).answer is Answer.NO
    assert TECHNIQUE.changes(without) == ()
    proc = found.diagnosis.proc | {"mounts": "/dev/mapper/vg-root / ext4 rw 0 0"}
    mapped = msgspec.structs.replace(found, diagnosis=msgspec.structs.replace(found.diagnosis, proc=proc))
    assert "others make up" in TECHNIQUE.applies(mapped).reason


def test_it_builds_the_options_and_names_the_root():
    (change,) = TECHNIQUE.changes(context())
    options = SetKernelOptions((("EXT4_FS", "y"), ("MMC", "y")))
    assert change.ops == (options, MountRootByKernel("/dev/mmcblk0p1", "ext4"))


def booted(*, changed: bool = True, packed: bool = False, said: str = MOUNTED, value: str = "y") -> Evidence:
    """Return a boot of the system, `changed` or not. `packed`: there was an initramfs all the same."""
    found = u.mounting()
    build = KernelBuild(options=())
    system = msgspec.structs.replace(found.system, kernel=msgspec.structs.replace(found.system.kernel, build=build))
    config = {f"CONFIG_{name}": value if changed else "m" for name in OPTIONS}
    kept = recording(config, "a" * 64 if changed else "b" * 64)
    if packed or not changed:
        digests = kept.meta.artefact_sha256 | {"initramfs": "c" * 64}
        kept = msgspec.structs.replace(kept, meta=msgspec.structs.replace(kept.meta, artefact_sha256=digests))
    if changed:
        (change,) = TECHNIQUE.changes(context())
        system = change.apply(system)
    log = (*found.diagnosis.log, said) if changed else found.diagnosis.log
    diagnosis = msgspec.structs.replace(found.diagnosis, log=log)
    return Evidence(system=system, recording=kept, diagnosis=diagnosis)


def test_the_proof_is_the_configuration_and_the_kernels_own_mount():
    effect = TECHNIQUE.took_effect(booted(changed=False), booted())
    assert effect.shown
    assert "Mounted root (ext4 filesystem)" in effect.evidence
    assert "CONFIG_EXT4_FS: m -> y" in effect.evidence


@pytest.mark.parametrize(
    ("after", "part"),
    [
        (booted(packed=True), "still given an initramfs"),
        (booted(said="nothing"), "did not say that it mounted the root"),
        (booted(value="m"), "is m in the kernel that booted"),
    ],
)
def test_what_is_no_proof(after: Evidence, part: str):
    effect = TECHNIQUE.took_effect(booted(changed=False), after)
    assert not effect.shown
    assert part in effect.evidence


def test_a_root_that_the_kernel_mounted_before_is_no_proof():
    was = booted(changed=False)
    was = msgspec.structs.replace(
        was, diagnosis=msgspec.structs.replace(was.diagnosis, log=(*was.diagnosis.log, MOUNTED))
    )
    assert not TECHNIQUE.took_effect(was, booted()).shown
