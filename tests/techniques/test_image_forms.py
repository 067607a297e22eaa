# SPDX-License-Identifier: MIT
"""Techniques that change the form of the kernel image: what is in it, what stands behind it, whether it is packed."""

import msgspec
import pytest

from bootlab.model.boot_loader import Loader
from bootlab.model.change import SetCompression
from bootlab.model.kernel_change import SetKernelImage, SetKernelOptions
from bootlab.model.recording import Mark, Meta, Recording
from bootlab.model.system import Goal, Initramfs, Kernel, KernelBuild, Machine, SystemDescription
from bootlab.techniques.base import Answer, Context, Evidence
from bootlab.techniques.registry import get
from tests.launches import launch

BUILD = KernelBuild(device_tree="board.dtb")
SYSTEM = SystemDescription(
    name="lab",
    kernel=Kernel(image="", build=BUILD),
    goal=Goal(console="done"),
    machine=Machine(arch="arm", type="vexpress-a9"),
    initramfs=Initramfs(),
)
CONFIG = {"CONFIG_KERNEL_GZIP": "y", "CONFIG_INITRAMFS_SOURCE": '""'}


def build(**fields) -> SystemDescription:
    changed = msgspec.structs.replace(BUILD, **fields)
    return msgspec.structs.replace(SYSTEM, kernel=Kernel(image="", build=changed))


def context(system: SystemDescription = SYSTEM, *, config: dict[str, str] | None = None, arch: str = "arm") -> Context:
    given = CONFIG if config is None else config
    boot = Recording(meta=Meta(), lines=(), marks=(), kernel_config=given)
    return Context(system=system, recording=boot, config=given, kernel_version=(6, 1), arch=arch)


def evidence(
    system: SystemDescription, sha: str, *, config=None, size=1000, dtb=None, initramfs=False, marks=()
) -> Evidence:
    digests = {"kernel": sha} | ({"initramfs": "i"} if initramfs else {})
    meta = Meta(artefact_sha256=digests, artefact_bytes={"kernel": size}, launch=launch(dtb=dtb))
    boot = Recording(meta=meta, lines=(), marks=marks, kernel_config=CONFIG if config is None else config)
    return Evidence(system=system, recording=boot)


@pytest.mark.parametrize(
    ("technique", "system", "answer", "part"),
    [
        ("appended-dtb", SYSTEM, Answer.YES, "file of its own"),
        ("appended-dtb", build(append_device_tree=True), Answer.NO, "already"),
        ("appended-dtb", build(image="Image"), Answer.NO, "only to a zImage"),
        ("appended-dtb", msgspec.structs.replace(SYSTEM, loader=Loader()), Answer.NO, "boot loader"),
        ("appended-dtb", build(device_tree=None), Answer.NO, "no device tree"),
        ("kernel-uncompressed", SYSTEM, Answer.YES, "zImage"),
        ("kernel-uncompressed", build(image="Image"), Answer.NO, "not compressed"),
        ("kernel-uncompressed", build(append_device_tree=True), Answer.NO, "appended"),
        ("initramfs-builtin", SYSTEM, Answer.YES, "gzip"),
        ("initramfs-builtin", build(embed_initramfs=True), Answer.NO, "already"),
        ("initramfs-builtin", msgspec.structs.replace(SYSTEM, initramfs=None), Answer.NO, "no initramfs"),
        ("initramfs-builtin-uncompressed", SYSTEM, Answer.YES, "file of its own"),
        ("initramfs-builtin-uncompressed", build(embed_initramfs=True), Answer.YES, "unpacked twice"),
        ("initramfs-builtin-uncompressed", build(image="Image"), Answer.NO, "not compressed"),
        ("initramfs-builtin-uncompressed", msgspec.structs.replace(SYSTEM, initramfs=None), Answer.NO, "no initramfs"),
    ],
)
def test_applies(technique, system, answer, part):
    said = get(technique).applies(context(system))
    assert said.answer is answer
    assert part in f"{said.reason} {said.evidence}"


def test_a_plain_archive_in_the_kernel_is_left_alone():
    system = msgspec.structs.replace(build(embed_initramfs=True), initramfs=Initramfs(compression="none"))
    assert get("initramfs-builtin-uncompressed").applies(context(system)).answer is Answer.NO


def test_an_image_that_the_boot_loader_unpacks():
    system = msgspec.structs.replace(build(image="Image.gz"), machine=Machine(arch="arm64"))
    assert get("kernel-uncompressed").applies(context(system, arch="arm64")).answer is Answer.YES
    plain = msgspec.structs.replace(build(image=None), machine=Machine(arch="arm64"))
    assert get("kernel-uncompressed").applies(context(plain, arch="arm64")).answer is Answer.NO
    unknown = msgspec.structs.replace(SYSTEM, machine=Machine(arch="arm", type="netduino2"))
    assert get("kernel-uncompressed").applies(context(unknown)).answer is Answer.NO


def test_what_is_proposed():
    def ops(technique: str):
        (change,) = get(technique).changes(context())
        return change.ops

    assert ops("kernel-uncompressed") == (SetKernelImage(image="Image"),)
    assert ops("initramfs-builtin") == (SetKernelImage(embed_initramfs=True),)
    assert ops("appended-dtb") == (
        SetKernelOptions((("ARM_APPENDED_DTB", "y"), ("ARM_ATAG_DTB_COMPAT", "y"))),
        SetKernelImage(append_device_tree=True),
    )
    assert ops("initramfs-builtin-uncompressed") == (
        SetCompression("none"),
        SetKernelOptions((("INITRAMFS_COMPRESSION_NONE", "y"),)),
        SetKernelImage(embed_initramfs=True),
    )


def test_an_appended_tree_is_proved_by_options_and_command():
    config = CONFIG | {"CONFIG_ARM_APPENDED_DTB": "y", "CONFIG_ARM_ATAG_DTB_COMPAT": "y"}
    before = evidence(SYSTEM, "a", dtb="/x")
    after = build(append_device_tree=True)
    prove = get("appended-dtb").took_effect
    assert prove(before, evidence(after, "b", config=config)).shown
    assert "no device tree" in prove(evidence(SYSTEM, "a"), evidence(after, "b", config=config)).evidence
    assert not prove(before, evidence(after, "b", config=config, dtb="/x")).shown
    assert not prove(before, evidence(after, "b")).shown
    assert not prove(before, evidence(after, "a", config=config)).shown


def test_an_uncompressed_kernel_is_proved_by_the_decompressor():
    packed, start = Mark("decompression", 1_000_000), Mark("start-kernel", 2_000_000)
    before = evidence(SYSTEM, "a", marks=(packed, start))
    prove = get("kernel-uncompressed").took_effect
    shown = prove(before, evidence(build(image="Image"), "b", size=3000, marks=(start,)))
    assert shown.shown
    assert "1.000 ms" in shown.evidence
    assert not prove(before, evidence(build(image="Image"), "b", marks=(packed, start))).shown
    assert not prove(before, evidence(build(image="Image"), "b")).shown
    unpacked_by_loader = evidence(build(image="Image.gz"), "a")
    assert prove(unpacked_by_loader, evidence(build(image="Image"), "b", size=3000)).shown
    assert not prove(unpacked_by_loader, evidence(build(image="Image"), "b", size=900)).shown


def test_an_embedded_initramfs_is_proved_by_the_image():
    inside = CONFIG | {"CONFIG_INITRAMFS_SOURCE": '"/x.cpio"'}
    plain = inside | {"CONFIG_INITRAMFS_COMPRESSION_NONE": "y"}
    before, system = evidence(SYSTEM, "a", initramfs=True), build(embed_initramfs=True)
    builtin, once = (get(name).took_effect for name in ("initramfs-builtin", "initramfs-builtin-uncompressed"))
    assert builtin(before, evidence(system, "b", config=inside)).shown
    assert not builtin(before, evidence(system, "b")).shown
    assert not builtin(before, evidence(system, "b", config=inside, initramfs=True)).shown
    assert once(before, evidence(system, "b", config=plain)).shown
    assert not once(before, evidence(system, "b", config=inside)).shown
    assert not once(evidence(system, "a", config=plain), evidence(system, "b", config=plain)).shown
