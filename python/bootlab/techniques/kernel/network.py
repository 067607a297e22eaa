# SPDX-License-Identifier: MIT
"""The network, as far as the kernel sets it up."""

from __future__ import annotations

from bootlab.model.change import Change, DropParam
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.evidence import KernelLog, rejected, vanished

_CONFIG = r"IP-Config: |Sending (?:DHCP|BOOTP|RARP)[\w ]* requests"


class IpAutoconfig(Technique):
    """The kernel waits for a carrier and for an answer before it starts init."""

    id = "ip-autoconfig"
    title = "No network configuration in the kernel"
    addresses = ("network-configuration",)
    stage = "kernel"
    what = "Removes `ip=` (and `nfsaddrs=`)."
    why = "The kernel opens the devices, sleeps, waits for carriers, and waits for DHCP answers, up to minutes."
    when_not = "The root file system is on the network, or nothing in user space sets the address."
    cost = "User space must configure the network."
    risk = Risk(function="no address until user space sets one")
    published = (Published("10 ms to 20 ms", "Firecracker, Ryzen 5 7640U", "github.com/DavidVentura/fast-kernel-boot"),)
    rests_on = ("cmdline",)
    references = ("net/ipv4/ipconfig.c: ip_auto_config(), CONF_POST_OPEN",)

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel configured a network that its root does not need."""
        cmdline = context.system.cmdline
        given = cmdline.get("ip") or cmdline.get("nfsaddrs")
        if given is None:
            return Applies.no("no ip= is on the command line", "")
        root = cmdline.value("root") or ""
        if root in {"/dev/nfs", "/dev/cifs"} or root.startswith(("nfs", "cifs")) or cmdline.has("nfsroot"):
            return Applies.no("the root file system comes over the network", f"root={root}")
        if context.enabled("IP_PNP") is False:
            return Applies.no("the kernel ignores ip=", "CONFIG_IP_PNP is not set", options=("IP_PNP",))
        if line := rejected(context, given.key):
            return Applies.no("the kernel does not know ip=: user space may read it", line)
        log = KernelLog.of(context)
        if line := log.line(_CONFIG):
            return Applies.yes("the kernel configures the network before init", line)
        return log.unknown("the kernel printed nothing about its network configuration", str(given))

    def changes(self, context: Context) -> tuple[Change, ...]:  # noqa: ARG002
        """Propose to drop both spellings."""
        return (Change(technique=self.id, ops=(DropParam("ip"), DropParam("nfsaddrs"))),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the configuration that is no longer printed."""
        return vanished(before, after, _CONFIG)


TECHNIQUES: tuple[Technique, ...] = (IpAutoconfig(),)
