# SPDX-License-Identifier: MIT
"""From a system to files: what changes them, what does not, and what cannot be built."""

import hashlib

import msgspec
import pytest

from bootlab.builders.artefacts import build
from bootlab.builders.cache import Cache
from bootlab.builders.compress import available
from bootlab.errors import UserError
from bootlab.model.system import Goal, Initramfs, Kernel, SystemDescription
from bootlab.model.tree import Entry, FileTree


@pytest.fixture
def system(tmp_path):
    (tmp_path / "vmlinuz").write_bytes(b"kernel")
    (tmp_path / "app").write_bytes(b"app" * 1000)
    tree = FileTree.of({"/app": Entry(kind="file", source=str(tmp_path / "app"))})
    return SystemDescription(
        name="s",
        kernel=Kernel(image=str(tmp_path / "vmlinuz")),
        goal=Goal(console="x"),
        initramfs=Initramfs(tree=tree),
    )


def with_initramfs(system, **changes):
    return msgspec.structs.replace(system, initramfs=msgspec.structs.replace(system.initramfs, **changes))


def test_build(system, tmp_path):
    made = build(system, Cache(tmp_path / "c"))
    assert made.kernel == tmp_path / "vmlinuz"
    assert made.sizes_bytes == {"kernel": 6, "initramfs": made.initramfs.stat().st_size}
    assert made.sha256["kernel"] == hashlib.sha256(b"kernel").hexdigest()
    assert made.sha256["initramfs"] == hashlib.sha256(made.initramfs.read_bytes()).hexdigest()


def test_without_an_initramfs(system, tmp_path):
    made = build(msgspec.structs.replace(system, initramfs=None), Cache(tmp_path / "c"))
    assert made.initramfs is None
    assert set(made.sha256) == {"kernel"}


def test_every_compression_is_a_file_of_its_own(system, tmp_path):
    cache = Cache(tmp_path / "c")
    made = {build(with_initramfs(system, compression=name), cache).initramfs for name in available()}
    assert len(made) == len(available())


def test_equal_contents_are_equal_files(system, tmp_path):
    cache = Cache(tmp_path / "c")
    first = build(system, cache)
    (tmp_path / "copy").write_bytes((tmp_path / "app").read_bytes())
    tree = FileTree.of({"/app": Entry(kind="file", source=str(tmp_path / "copy"))})
    assert build(with_initramfs(system, tree=tree), cache) == first


def test_what_changes_the_file(system, tmp_path):
    cache = Cache(tmp_path / "c")
    base = system.initramfs.tree.get("/app")
    seen = {build(system, cache).initramfs}
    variants = [
        with_initramfs(system, tree=FileTree.of({"/app": msgspec.structs.replace(base, mode=0o700)})),
        with_initramfs(system, tree=FileTree.of({"/app": msgspec.structs.replace(base, uid=1)})),
        with_initramfs(system, tree=FileTree.of({"/app2": base})),
        with_initramfs(system, level=1),
    ]
    for variant in variants:
        seen.add(build(variant, cache).initramfs)
    (tmp_path / "app").write_bytes(b"other")
    seen.add(build(system, cache).initramfs)
    assert len(seen) == 6


def test_no_kernel(system, tmp_path):
    with pytest.raises(UserError, match="no kernel image"):
        build(msgspec.structs.replace(system, kernel=Kernel(image="")), Cache(tmp_path / "c"))
    with pytest.raises(UserError, match="there is no kernel image"):
        build(msgspec.structs.replace(system, kernel=Kernel(image="/none")), Cache(tmp_path / "c"))


def core(monkeypatch, extract):
    monkeypatch.setattr("bootlab._core.kernel_extract_vmlinux", extract)


def unpacked(system, tmp_path):
    kernel = msgspec.structs.replace(system.kernel, form="vmlinux")
    return build(msgspec.structs.replace(system, kernel=kernel), Cache(tmp_path / "c")).kernel


def test_vmlinux_is_unpacked_once(system, tmp_path, monkeypatch):
    core(monkeypatch, lambda data: b"ELF of " + data)
    first = unpacked(system, tmp_path)
    assert first.read_bytes() == b"ELF of kernel"
    core(monkeypatch, lambda data: pytest.fail("unpacked again"))
    assert unpacked(system, tmp_path) == first


def test_nothing_to_unpack(system, tmp_path, monkeypatch):
    def extract(data):
        raise ValueError("no payload")

    core(monkeypatch, extract)
    with pytest.raises(UserError, match="no payload") as caught:
        unpacked(system, tmp_path)
    assert 'form = "image"' in caught.value.hint
