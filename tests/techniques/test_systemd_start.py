# SPDX-License-Identifier: MIT
"""Techniques that write units: what they write for services that require each other, logins and mounts."""

import msgspec
import pytest

from bootlab import techniques
from bootlab.model.cmdline import CommandLine
from bootlab.model.tree import Entry
from tests.techniques import user_space as u
from tests.techniques.recordings import as_context

UNITS = {
    "/etc/systemd/system/app.service": (
        "[Unit]\nRequires=server.service\nAfter=server.service net.target\n[Service]\nExecStart=/app\n"
    ),
    "/lib/systemd/system/server.service": "[Unit]\nAfter=net.target\n[Service]\nExecStart=/server\n",
    "/lib/systemd/system/cache.service": "[Service]\nExecStart=/cache\n",
}
GETTY = "/lib/systemd/system-generators/systemd-getty-generator"


def _context(files: dict[str, str], cmdline: str = ""):
    found = u.systemd(crowded=True)
    tree = found.system.tree
    for path, text in files.items():
        tree = tree.put(path, Entry(kind="file", mode=0o755, text=text))
    line = CommandLine.parse(f"rdinit=/lib/systemd/systemd {cmdline}")
    return as_context(
        msgspec.structs.replace(found, system=msgspec.structs.replace(found.system.with_tree(tree), cmdline=line))
    )


def _texts(technique: str, context) -> dict[str, str]:
    (change,) = techniques.get(technique).changes(context)
    return {op.path.rpartition("/")[2]: op.entry.text for op in change.ops if hasattr(op, "path") and op.entry.text}


@pytest.mark.parametrize("technique", ["application-unit-first", "systemd-rest-later"])
def test_a_required_service_comes_with_the_application(technique):
    texts = _texts(technique, _context(UNITS))
    assert "DefaultDependencies=no" in texts["server.service"]
    assert "net.target" not in texts["server.service"]
    assert "Requires=server.service\nAfter=server.service\n" in texts["app.service"]
    assert "ExecStart=/server" in texts["server.service"]
    assert "cache.service" not in texts


@pytest.mark.parametrize(
    ("table", "cmdline", "waits"),
    [
        ("", "ro", "systemd-fsck-root.service systemd-remount-fs.service"),
        ("UUID=1 / ext4 defaults 0 1\nUUID=2 none swap sw 0 0\n", "ro", "systemd-fsck-root.service"),
        ("UUID=1 / ext4 defaults 0 1\nUUID=2 /var ext4 defaults 0 2\n", "ro", "local-fs.target"),
        ("UUID=2 /media ext4 noauto,user 0 0\n", "rw", ""),
        ("# /var\n", "rw", ""),
    ],
)
def test_the_application_waits_for_what_it_writes_to(table, cmdline, waits):
    texts = _texts("systemd-rest-later", _context({**UNITS, "/etc/fstab": table}, cmdline))
    wants = next(line for line in texts["application-first.target"].splitlines() if line.startswith("Wants="))
    assert f"Wants=server.service app.service {waits}".strip() in wants.replace("  ", " ")
    for name in waits.split():
        assert f"After={name}\n" in texts["server.service"]


def test_the_rest_is_what_the_system_booted_to():
    assert "start default.target\n" in _texts("systemd-rest-later", _context(UNITS))["application-rest.service"]
    named = _texts("systemd-rest-later", _context(UNITS, "systemd.unit=rescue.target"))
    assert "start rescue.target\n" in named["application-rest.service"]


@pytest.mark.parametrize(
    ("console", "spared"), [("tty0", True), ("ttyS0,115200", False), ("ttyAMA0", False), ("tty1", True)]
)
def test_the_login_on_a_serial_console_stays(console, spared):
    context = _context({GETTY: "#!/bin/sh\n"}, f"console={console}")
    answer = techniques.get("systemd-generators-off").applies(context)
    assert ("systemd-getty-generator" in answer.evidence) is spared


@pytest.mark.parametrize(
    ("queued_ms", "masked", "shown"), [(1500, True, False), (1440, True, True), (1440, False, False)]
)
def test_generators_of_a_root_whose_files_cannot_be_marked(queued_ms, masked, shown):
    """Every file counts as read there: masked ones, too."""

    def booted(queued: int, masks: bool):
        found = u.systemd(crowded=True)
        log = (
            "[    1.000000] systemd[1]: Detected architecture x86-64.",
            f"[    {queued // 1000}.{queued % 1000:03}000] systemd[1]: Queued start job for default target x.target.",
        )
        tree = found.system.tree
        if masks:
            path = f"/etc/systemd/system-generators/{u.GENERATOR.rpartition('/')[2]}"
            tree = tree.put(path, Entry(kind="symlink", mode=0o777, target="/dev/null"))
        return msgspec.structs.replace(
            found,
            system=found.system.with_tree(tree),
            diagnosis=msgspec.structs.replace(found.diagnosis, log=log),
        )

    effect = techniques.get("systemd-generators-off").took_effect(booted(1500, False), booted(queued_ms, masked))
    assert effect.shown is shown, effect
