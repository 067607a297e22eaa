# SPDX-License-Identifier: MIT
"""Devices in step: when the plugin is loaded, what it changes in the launch, what is said where it cannot be had."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.launch import devices, exactness, plugin
from bootlab.launch.emulator import Emulator
from bootlab.launch.exact_devices import device_table
from bootlab.launch.machine_devices import virtio_transports
from bootlab.launch.plugin import Plugin
from bootlab.launch.qemu_command import options, words
from bootlab.model.launch import LoadedPlugin, Medium
from tests.launches import launch

VERSION = "7.2.22 (Debian 1:7.2)"
DISK = Medium(file="/d.img", bus="virtio")
LOADED = LoadedPlugin(file="/devices.so", digest="d1", carried_as="bootlab-devices.so")


@pytest.fixture
def built(monkeypatch):
    """Have the plugin built and its self-test passed; a test may change what either says."""
    monkeypatch.setattr(plugin, "prepare_devices", lambda *_: Plugin("/devices.so", digest="d1"))
    monkeypatch.setattr(plugin, "refused", lambda *_: "")


def emulator() -> Emulator:
    return Emulator(path="/usr/bin/qemu-system-x86_64", version=VERSION, numbers=(7, 2, 22))


def test_the_table_has_devices_that_need_it():
    needing = {row.id for row in device_table().rows if row.needs_step((7, 2))}
    assert {"virtio-blk", "nvme", "ahci"} <= needing
    assert not needing & {"nothing", "sdhci-pci", "nvdimm", "e1000"}


def test_a_disk_brings_it_in(built):
    given = launch(media=(DISK,))
    assert any("virtio-blk is not exact" in said for said in exactness.inexact(given, VERSION))
    found, said = devices.in_step(given, emulator(), None)
    assert said == ()
    assert found.plugins == (LOADED, *given.plugins)
    assert exactness.inexact(found, VERSION) == ()
    assert ("-global", "virtio-blk-pci.ioeventfd=off") in options(found)
    assert devices.without_plugin(found) == given


def test_what_is_exact_without_stays_as_it_was(built):
    for given in (
        launch(),
        launch("-nic", "user,model=e1000"),
        launch(media=(msgspec.structs.replace(DISK, bus="sdhci-pci"),)),
        launch(media=(DISK,), clock=None),
    ):
        assert devices.in_step(given, emulator(), None) == (given, ())


@pytest.mark.parametrize("refused", ["this QEMU does not export aio_poll, or is of a version that has none"])
def test_where_it_cannot_be_had_the_reason_is_said(built, monkeypatch, refused):
    monkeypatch.setattr(plugin, "refused", lambda *_: refused)
    given = launch(media=(DISK,))
    assert devices.in_step(given, emulator(), None) == (
        given,
        (f"the plugin that makes such devices exact cannot be used: {refused}",),
    )
    monkeypatch.setattr(plugin, "prepare_devices", lambda *_: Plugin(None, reason="no C compiler"))
    assert devices.in_step(given, emulator(), None)[1][0].endswith("cannot be used: no C compiler")


def test_only_virtio_has_file_descriptors_to_switch_off():
    given = launch("-device", "nvme,drive=d", "-device", "virtio-rng-pci", "-device", "virtio-keyboard-pci")
    assert virtio_transports(given) == ("virtio-rng-pci",)
    boards = launch(media=(msgspec.structs.replace(DISK, bus="virtio-mmio"),))
    assert virtio_transports(boards) == ("virtio-mmio",)
    assert "-global" not in words(given), "only where devices are kept in step"
