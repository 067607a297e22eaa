# SPDX-License-Identifier: MIT
"""What a launch puts into the machine."""

from __future__ import annotations

from typing import get_args

import pytest

from bootlab.launch.machine_devices import parts_of
from bootlab.launch.qemu_command import medium_options
from bootlab.model.launch import Medium, MediumBus
from tests.launches import launch


def models(*words: str, machine: str = "q35") -> list[str]:
    return [part.model or part.backend for part in parts_of(launch(*words, machine=machine))]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("-device", "e1000,netdev=n", "-netdev", "user,id=n,tftp=/t"), ["e1000"]),
        (("-device", '{"driver": "nvme", "drive": "d"}'), ["nvme"]),
        (("-device", "driver=nvme,drive=d"), ["nvme"]),
        (("-device", "pcie-root-port,id=p"), []),
        (("-device", "VGA", "-device", "VGA"), ["VGA", "VGA"][:1]),
        (("-drive", "file=/a,,b,if=virtio,format=raw"), ["virtio-blk"]),
        (("-drive", "file=/a,if=none,id=d"), []),
        (("-drive", "file=/a"), ["ide-hd"]),
        (("-drive", "file=/a,if=sd"), ["sd-card"]),
        (("-drive", "file=/a,if=pflash,unit=1"), ["pflash"]),
        (("-hda", "/a"), ["ide-hd"]),
        (("-sd", "/a"), ["sd-card"]),
        (("-nic", "user"), ["e1000e"]),
        (("-nic", "none"), []),
        (("-nic", "tap,model=rtl8139"), ["rtl8139", "network backend tap"]),
        (("-nic", "user,hostfwd=tcp::1-:2,model=e1000"), ["e1000", "user network with forwarded ports"]),
        (("-net", "nic,model=pcnet", "-net", "user"), ["pcnet"]),
        (("-netdev", "socket,id=n,listen=:1"), ["network backend socket"]),
        (("-virtfs", "local,path=/x,mount_tag=t"), ["virtio-9p"]),
        (("-vga", "std"), ["VGA"]),
        (("-vga", "none"), []),
        (("-object", "rng-random,id=r"), ["rng-random"]),
        (("-object", "rng-builtin,id=r"), []),
        (("-object", "memory-backend-file,id=m,mem-path=/x,size=8M"), []),
        (("-fw_cfg", "name=opt/x,file=/x"), ["fw_cfg"]),
        (("-usbdevice", "tablet"), ["usb-tablet"]),
        (("--device", "nvme"), ["nvme"]),
    ],
)
def test_each_option(words, found):
    assert models(*words) == found


def test_a_board_has_its_own_defaults():
    assert models("-drive", "file=/a", machine="virt") == ["virtio-blk"]
    assert models("-nic", "user", machine="vexpress-a9") == ["lan9118"]
    assert models("-nic", "user", machine="some-board") == ["some-board's network card"]


def test_media_and_devices_stand_before_the_users_words():
    media = (Medium(file="/d", bus="virtio"), Medium(file="/e", bus="virtio-mmio", unit=1), Medium(file="/c", bus="sd"))
    given = launch("-device", "VGA", media=media, devices=("nvme,drive=x",))
    assert [part.model for part in parts_of(given)] == ["virtio-blk", "virtio-blk-device", "sd-card", "nvme", "VGA"]


@pytest.mark.parametrize("bus", get_args(MediumBus))
def test_a_medium_is_the_device_that_its_words_make(bus):
    medium = Medium(file="/a,b", bus=bus, unit=1)
    words = tuple(word for option in medium_options(medium) for word in option)
    assert [part.model for part in parts_of(launch(media=(medium,)))] == models(*words)
