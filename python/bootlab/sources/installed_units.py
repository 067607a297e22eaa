# SPDX-License-Identifier: MIT
"""The services that a root tree with systemd starts, as its unit files tell."""

from __future__ import annotations

from bootlab.formats.file_view import FileView
from bootlab.sources.facts import UnitFacts
from bootlab.startup import units

_UNITS_MAX = 200
# What only prepares others: nobody waits for it to have started.
_NOT_APPLICATIONS = frozenset(
    {
        *(
            "cron.service",
            "crond.service",
            "getty.target",
            "e2scrub_reap.service",
            "fstrim.timer",
            "networking.service",
        ),
        *("remote-fs.target", "remote-cryptsetup.target", "machines.target", "rsyslog.service", "dbus.service"),
        *("ssh.service", "sshd.service", "systemd-networkd.service", "systemd-resolved.service", "chronyd.service"),
        *("systemd-timesyncd.service", "NetworkManager.service", "auditd.service", "unattended-upgrades.service"),
        *("console-setup.service", "keyboard-setup.service", "grub-common.service", "apparmor.service"),
        *("systemd-pstore.service", "wpa_supplicant.service", "ifupdown-wait-online.service", "avahi-daemon.service"),
        *("firewalld.service", "kdump.service", "irqbalance.service", "haveged.service", "dnf-makecache.timer"),
    }
)


def installed_units(view: FileView) -> tuple[UnitFacts, ...]:
    """Return the services that the usual targets start and that somebody may wait for."""
    names: dict[str, None] = {}
    for target in ("multi-user.target", "graphical.target"):
        for name in view.names(f"{units.FOLDERS[0]}/{target}.wants"):
            if name.endswith((".service", ".socket")) and name not in _NOT_APPLICATIONS:
                names.setdefault(name)
    return tuple(_unit(view, name) for name in list(names)[:_UNITS_MAX])


def _unit(view: FileView, name: str) -> UnitFacts:
    template = f"{name.partition('@')[0]}@.{name.rpartition('.')[2]}" if "@" in name else name
    text = next((t for f in units.FOLDERS if (t := view.text(f"{f}/{template}")) is not None), "")
    unit = units.unit_of(name, template, text)
    return UnitFacts(name, unit.description, next((one for one in unit.programs if one[:1] == "/"), ""))
