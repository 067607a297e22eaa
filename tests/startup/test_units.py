# SPDX-License-Identifier: MIT
"""systemd's units out of a tree: directives, drop-ins, masks, order, times, the critical chain."""

from bootlab.model.tree import Entry, FileTree
from bootlab.startup import unit_lines, units
from bootlab.startup.files import TreeFiles


def _files(texts: dict[str, str], links: dict[str, str] | None = None) -> TreeFiles:
    entries = {path: Entry(kind="file", text=text) for path, text in texts.items()}
    entries |= {path: Entry(kind="symlink", target=target) for path, target in (links or {}).items()}
    return TreeFiles(FileTree.of(entries))


TREE = _files(
    {
        "/usr/bin/app": "",
        "/etc/systemd/system/app.service": "[Unit]\nAfter=net.target \\\n late.service\nWants=net.target\n"
        "[Service]\nExecStart=-/usr/bin/app --on\n",
        "/lib/systemd/system/late.service": "[Unit]\nBefore=other.target\n[Service]\nExecStart=/bin/late\n",
        "/lib/systemd/system/early.service": "[Unit]\nDefaultDependencies=no\nBefore=sysinit.target\n",
        "/lib/systemd/system/late.service.d/10.conf": "[Unit]\nAfter=early.service\n[Service]\nExecStart=/bin/other\n",
        "/lib/systemd/system/net.target": "[Unit]\nDescription=x\n",
        "/lib/systemd/system/getty@.service": "[Service]\nExecStart=/sbin/agetty\n",
        "/lib/systemd/system/gone.service": "[Service]\nExecStart=/bin/gone\n",
    },
    {
        "/etc/systemd/system/gone.service": "/dev/null",
        "/etc/systemd/system/net.target.wants/late.service": "/lib/systemd/system/late.service",
        "/etc/systemd/system/net.target.wants/getty@tty1.service": "/lib/systemd/system/getty@.service",
    },
)
LOG = (
    "[    1.000000] systemd[1]: Starting early.service - Early...",
    "[    1.500000] systemd[1]: Finished early.service - Early.",
    "[    1.600000] systemd[1]: Reached target sysinit.target - x.",
    "[    1.700000] systemd[1]: Starting late.service - Late...",
    "[    3.700000] systemd[1]: Failed to start late.service - Late.",
    "[    3.710000] systemd[1]: Reached target net.target - Net.",
    "[    3.720000] systemd[1]: Started app.service - App.",
    "[    9.000000] systemd[7]: Started user.service - x.",
    "systemd[1]: Started nostamp.service - x.",
    "[    9.000000] systemd[1]: " + "Starting " * 10_000,
)


def test_units_of_a_tree():
    found = units.read(TREE)
    assert found["gone.service"].masked
    assert found["app.service"].lists["After"] == ("net.target", "late.service")
    assert found["late.service"].lists["After"] == ("early.service",)
    assert set(found["net.target"].wants) == {"late.service", "getty@tty1.service"}
    assert found["getty@tty1.service"].programs == ("/sbin/agetty",)
    assert units.of_program(TREE, found, "/usr/bin/app").name == "app.service"
    assert units.of_program(TREE, found, "/usr/bin/none") is None


def test_what_comes_before():
    found = units.read(TREE)
    assert units.before(found, "app.service") == {"net.target", "late.service", "sysinit.target", "basic.target"}
    assert units.before(found, "net.target") == {"late.service", "getty@tty1.service"}
    assert units.before(found, "early.service") == set()
    assert "early.service" in units.before(found, "late.service")


def test_times_and_the_critical_chain():
    ran = unit_lines.times_in_log(LOG)
    assert ran["late.service"] == units.UnitRun("late.service", 1_700_000_000, 3_700_000_000)
    assert "user.service" not in ran
    chain = units.critical_chain(units.read(TREE), ran, "app.service")
    assert [r.name for r in chain] == ["app.service", "net.target", "late.service", "sysinit.target", "early.service"]


def test_the_init_that_is_systemd():
    files = _files({"/lib/systemd/systemd": ""}, {"/sbin/init": "/lib/systemd/systemd"})
    assert units.is_systemd(files, "/sbin/init")
    assert not units.is_systemd(TREE, "/usr/bin/app")
