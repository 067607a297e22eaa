# SPDX-License-Identifier: MIT
"""Flash and routers' updates as systems: which kernel is taken, whose line, and what is left to a person."""

from __future__ import annotations

import lzma
import struct
import subprocess
import zipfile
import zlib
from pathlib import Path

import pytest

from bootlab.builders.cache import Cache
from bootlab.errors import UserError
from bootlab.formats import ubi
from bootlab.model.system import Machine
from bootlab.sources import zipped
from bootlab.sources.look import Looker
from tests.mini_boards import mini_board_kernel
from tests.sources import images

SQUASHFS = b"hsqs" + bytes(36) + (4096).to_bytes(8, "little") + bytes(4048)


@pytest.fixture
def looker(tmp_path):
    return Looker(tmp_path / "kept", Cache(tmp_path / "cache"), tmp_path / "store")


def kernel(folder: Path, word: str, arch: str = "arm64") -> bytes:
    machine = Machine(arch=arch, type="virt" if arch == "arm64" else "vexpress-a9")
    return mini_board_kernel(folder / "k", machine, word).read_bytes()


def fit(folder: Path, word: str) -> bytes:
    parts = {
        "kernel-1": {"type": "kernel", "arch": "arm64", "compression": "none", "data": kernel(folder, word)},
        "fdt-1": {"type": "flat_dt", "arch": "arm64", "data": images.device_tree({"model": f"Box {word}"})},
    }
    return images.device_tree(
        {"images": parts, "configurations": {"default": "c", "c": {"kernel": "kernel-1", "fdt": "fdt-1"}}}
    )


def environment(variables: dict[str, str], size: int = 0x10000) -> bytes:
    data = b"".join(f"{name}={value}".encode() + b"\0" for name, value in variables.items()).ljust(size - 4, b"\0")
    return struct.pack("<I", zlib.crc32(data)) + data


def flash(path: Path, parts: dict[int, bytes], size: int = 4 << 20) -> Path:
    data = bytearray(b"\xff" * size)
    for at, part in parts.items():
        data[at : at + len(part)] = part
    path.write_bytes(data)
    return path


def test_of_two_kernels_the_kept_command_names_one(tmp_path, looker):
    kept = {
        "bootcmd": "run line; run second",
        "line": "setenv bootargs console=ttyS1 root=/dev/mtdblock4 ${more}",
        "second": "sf probe; sf read ${loadaddr} 0x200000 0x100000; bootm ${loadaddr}",
    }
    place = flash(
        tmp_path / "nor.bin",
        {0x40000: environment(kept), 0x100000: fit(tmp_path, "first"), 0x200000: fit(tmp_path, "second")},
    )
    found = looker.look(place)
    assert found.kernel is not None
    assert found.device_tree is not None
    assert found.device_tree.model == "Box second"
    assert found.entry is not None
    assert found.entry.cmdline == "console=ttyS1 root=/dev/mtdblock4"
    said = " ".join(found.notes)
    assert "a FIT image at 2,097,152" in said
    assert "not used: a FIT image at 1,048,576" in said
    assert "sets $more: taken as empty" in said


def test_of_two_kernels_none_is_guessed(tmp_path, looker):
    place = flash(tmp_path / "nor.bin", {0x100000: fit(tmp_path, "first"), 0x200000: fit(tmp_path, "second")})
    with pytest.raises(UserError) as caught:
        looker.look(place)
    assert "a FIT image at 1,048,576, a FIT image at 2,097,152" in caught.value.message
    assert "--from part0.itb --from part1.itb" in caught.value.hint


def test_an_address_in_mapped_flash_names_the_kernel(tmp_path, looker):
    place = flash(
        tmp_path / "bmc.bin",
        {
            0x40000: environment({"bootcmd": "bootm 20200000", "bootargs": "quiet"}),
            0x100000: fit(tmp_path, "first"),
            0x200000: fit(tmp_path, "second"),
        },
    )
    found = looker.look(place)
    assert found.device_tree is not None
    assert found.device_tree.model == "Box second"


def test_a_trx_behind_netgears_head(tmp_path, looker):
    packed = lzma.compress(kernel(tmp_path, "x", "arm") + images.device_tree({"model": "Box"}), lzma.FORMAT_ALONE)
    root_at = 4096
    body = packed.ljust(root_at - 28, b"\0") + SQUASHFS
    trx = b"HDR0" + struct.pack("<IIIIII", 28 + len(body), 0, 0x10000, 28, root_at, 0) + body
    (tmp_path / "a.chk").write_bytes(b"*#$^" + struct.pack(">I", 58) + bytes(50) + trx)
    found = looker.look(tmp_path / "a.chk")
    assert found.device_tree is not None
    assert found.device_tree.model == "Box"
    assert found.what.startswith("a router's update")
    assert any("LZMA at 86, a SquashFS file system at 4,154" in note for note in found.notes)


def ubinize(folder: Path, volumes: dict[str, bytes]) -> Path:
    text = ""
    for number, (name, data) in enumerate(volumes.items()):
        (folder / name).write_bytes(data)
        text += f"[{name}]\nmode=ubi\nvol_id={number}\nvol_type=static\nvol_name={name}\nimage={folder / name}\n"
    (folder / "cfg").write_text(text)
    words = ["ubinize", "-m", "2048", "-p", "128KiB", "-o", str(folder / "a.ubi"), str(folder / "cfg")]
    try:
        subprocess.run(words, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("ubinize is not here")
    return folder / "a.ubi"


def test_volumes_of_ubi(tmp_path, looker):
    place = ubinize(tmp_path, {"kernel": fit(tmp_path, "nand"), "big": bytes(range(256)) * 1024})
    read = ubi.read(place.read_bytes())
    assert read is not None
    assert [volume.name for volume in read.volumes] == ["kernel", "big"]
    data = place.read_bytes()
    assert b"".join(data[at : at + size] for at, size in read.volumes[1].spans) == bytes(range(256)) * 1024
    found = looker.look(place)
    assert found.device_tree is not None
    assert found.device_tree.model == "Box nand"


def test_ubifs_is_named_with_its_volume(tmp_path, looker):
    place = ubinize(tmp_path, {"rootfs": b"\x31\x18\x10\x06" + bytes(200_000)})
    with pytest.raises(UserError) as caught:
        looker.look(place)
    assert "an image of raw flash (UBI): it has UBIFS in UBI's volume rootfs" in caught.value.message
    assert "--from files/*/rootfs" in caught.value.hint


@pytest.mark.parametrize("cut", [0, 64, 4096, 131_072, 262_300])
def test_a_damaged_ubi_image_is_no_crash(tmp_path, cut):
    data = bytearray(ubinize(tmp_path, {"kernel": bytes(300_000)}).read_bytes())
    data[cut : cut + 60] = b"\xa5" * 60
    ubi.read(bytes(data))
    ubi.read(bytes(data[:cut]))


@pytest.mark.parametrize(
    ("names", "what", "way"),
    [
        (("META-INF/com/android/metadata", "payload.bin"), "payload.bin", "payload-dumper-go -o parts payload.bin"),
        (("meta.conf", "data/rootfs.img"), "fwup", "fwup -a -d card.img"),
        (("android-info.txt", "boot.img", "vendor_boot.img"), "Android", "--from boot.img --from vendor_boot.img"),
        (("readme.txt", "card-1.img"), "", "card-1.img; then --from card-1.img"),
        (("vm/disk.vmdk", "vm/vm.vmx"), "", "qemu-img convert -O raw vm/disk.vmdk disk.img"),
        (("boot/a", "boot/b"), "", "--from boot"),
        (("a", "b"), "", "--from files"),
    ],
)
def test_what_a_zip_archive_is_of(names, what, way, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    said, hint = zipped.of(tmp_path / "a.zip")
    assert what in said
    assert way in hint
