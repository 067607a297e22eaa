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


def test_of_several_systems_in_volumes_each_is_given_by_its_own(tmp_path, looker):
    data = {"recovery": fit(tmp_path, "one"), "fit": fit(tmp_path, "two")}
    place = ubinize(tmp_path, {**data, "rootfs_data": b"\x31\x18\x10\x06" + bytes(200_000)})
    with pytest.raises(UserError) as caught:
        looker.look(place)
    assert f"ubireader_extract_images -o volumes {place}" in caught.value.hint
    own, rescue = (f"--from volumes/*/img-*_vol-{name}.ubifs" for name in ("fit", "recovery"))
    assert f"then {own}, or {rescue} (rootfs_data is what OpenWrt lays over its root" in caught.value.hint
    assert "extract_files" not in caught.value.hint


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


def test_a_script_with_an_archive_behind_it(tmp_path, looker):
    text = "#!/bin/sh\n# made for onie\nsed -e '1,/^the_end$/d' $0 | tar xf -\nexit 0\nthe_end\n"
    (tmp_path / "a.bin").write_bytes(text.encode() + bytes(20_000))
    with pytest.raises(UserError) as caught:
        looker.look(tmp_path / "a.bin")
    assert "an installer for switches (ONIE)" in caught.value.message
    assert "sed -e '1,/^the_end$/d'" in caught.value.hint


def test_a_script_that_hides_its_way(tmp_path, looker):
    (tmp_path / "a.run").write_bytes(b"#!/bin/sh\n# Makeself 2.5\n" + bytes(20_000))
    (tmp_path / "b.run").write_bytes(b"#!/bin/sh\ntail -n +9 $0\n" + bytes(20_000))
    for name, way in (("a.run", "--noexec --target files"), ("b.run", "strings")):
        with pytest.raises(UserError) as caught:
            looker.look(tmp_path / name)
        assert way in caught.value.hint


def test_files_of_coreboot_are_named(tmp_path, looker):
    data = bytearray(b"\xff" * 65536)
    data[0x1000:0x1029] = b"LARCHIVE" + struct.pack(">IIII", 64, 0x20, 0, 40) + b"fallback/payload\0"
    (tmp_path / "rom").write_bytes(data)
    with pytest.raises(UserError) as caught:
        looker.look(tmp_path / "rom")
    assert "made by coreboot, with the files fallback/payload" in caught.value.message


def test_of_two_scripts_with_names_of_boards_none_is_taken(tmp_path, looker):
    files = {"a_boot.scr": b"booti @a - @b\n", "b_boot.scr": b"booti @a - @b\n", "Image": kernel(tmp_path, "x")}
    tree = images.root_tree(tmp_path / "tree", kernel=kernel(tmp_path, "y"), systemd=False)
    for path in (*(tree / "boot").rglob("grub.cfg"), *(tree / "boot").glob("vmlinuz*")):
        path.unlink()
    disk = images.mbr(
        tmp_path / "d.img",
        [(0x0C, images.fat16(tmp_path / "b", files)), (0x83, images.ext(tmp_path / "r", tree, mib=8))],
    )
    found = looker.look(disk)
    assert any("/boot/a_boot.scr, /boot/b_boot.scr; none was followed" in note for note in found.notes)


def test_a_loader_in_a_fit_image_is_no_kernel_that_lies_there(tmp_path, looker):
    loader = {
        "uboot": {"type": "standalone", "os": "u-boot", "arch": "arm64", "compression": "none", "data": b"x" * 64}
    }
    itb = images.device_tree({"images": loader, "configurations": {"default": "c", "c": {"firmware": "uboot"}}})
    files = {"tispl.bin": itb, "u-boot.itb": itb, "boot.sd": fit(tmp_path, "linux")}
    found = looker.look(images.mbr(tmp_path / "d.img", [(0x0C, images.fat16(tmp_path / "b", files))]))
    assert found.kernel is None
    assert [paths[0] for paths in found.kernels_there] == ["/.partition1/boot.sd"]


def test_a_loader_in_a_fit_image_is_no_kernel_of_a_dump(tmp_path, looker):
    loader = {
        "uboot": {"type": "standalone", "os": "u-boot", "arch": "arm64", "compression": "none", "data": b"x" * 64}
    }
    itb = images.device_tree({"images": loader, "configurations": {"default": "c", "c": {"firmware": "uboot"}}})
    found = looker.look(flash(tmp_path / "nor.bin", {0x80000: itb, 0x200000: fit(tmp_path, "own")}))
    assert found.device_tree is not None
    assert found.device_tree.model == "Box own"
    assert any("not used: a FIT image without a kernel, as of a boot loader at 524,288" in note for note in found.notes)


def test_volumes_for_another_processor_are_refused_with_their_way(tmp_path, looker):
    head = bytearray(b"\x27\x05\x19\x56".ljust(64, b"\0"))
    struct.pack_into(">I", head, 12, 1000)
    head[28:32] = bytes([5, 5, 2, 3])
    place = ubinize(tmp_path, {"kernel": bytes(head) + bytes(1000), "rootfs": SQUASHFS})
    with pytest.raises(UserError) as caught:
        looker.look(place)
    assert "its kernel is for mips" in caught.value.message


def test_a_root_of_jffs2_is_named(tmp_path, looker):
    marker = b"\x85\x19\x03\x20\x0c\0\0\0"
    marker += (zlib.crc32(marker, 0xFFFFFFFF) ^ 0xFFFFFFFF).to_bytes(4, "little")
    parts = {0x100000: fit(tmp_path, "own"), 0x200000: marker, 0x210000: marker}
    found = looker.look(flash(tmp_path / "nor.bin", parts))
    assert found.kernel is not None
    assert any("not used: a JFFS2 file system at 2,097,152; to take" in note for note in found.notes)
