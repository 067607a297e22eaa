# SPDX-License-Identifier: MIT
"""The kernel's own count of the archive is compared with the archive of the boot whose log it is."""

from __future__ import annotations

import msgspec
import pytest

from bootlab import techniques
from bootlab.model.recording import Diagnosis, Meta, Recording
from bootlab.techniques.base import Evidence
from tests.experiments.fake_bench import SYSTEM

AGENT_BYTES = 400 * 1024


def booted(archive_bytes, *, freed_kib=None, digest="0"):
    """A quiet timing boot; with `freed_kib` a diagnostic boot whose log says what the kernel freed."""
    sizes = {"initramfs": archive_bytes}
    recording = Recording(meta=Meta(artefact_bytes=sizes, artefact_sha256={"initramfs": digest}), lines=(), marks=())
    if freed_kib is None:
        return Evidence(system=SYSTEM, recording=recording)
    with_agent = msgspec.structs.replace(recording.meta, artefact_bytes={"initramfs": archive_bytes + AGENT_BYTES})
    log = ("Linux version 6.1", f"[    0.9] Freeing initrd memory: {freed_kib}K")
    diagnosis = Diagnosis(recording=msgspec.structs.replace(recording, meta=with_agent), log=log)
    return Evidence(system=SYSTEM, recording=recording, diagnosis=diagnosis)


@pytest.mark.parametrize(("freed_kib", "shown"), [(2000 + 400, True), (2000, False), (9000, False)])
def test_the_agent_rides_along_in_the_diagnostic_boots_archive(freed_kib, shown):
    technique = techniques.get("initramfs-compression")
    effect = technique.took_effect(booted(1000 << 10), booted(2000 << 10, freed_kib=freed_kib, digest="1"))
    assert effect.shown is shown, effect.evidence
    assert "1024000 -> 2048000 bytes" in effect.evidence
