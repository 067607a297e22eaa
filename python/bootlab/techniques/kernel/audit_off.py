"""Switch auditing off."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import KernelLog, appeared
from bootlab.techniques.parameter import ParameterTechnique


class AuditOff(ParameterTechnique):
    """The audit subsystem starts a thread and writes a record for each security event."""

    id = "audit-off"
    title = "Auditing switched off"
    stage = "kernel"
    what = "Sets `audit=0`."
    why = "No kauditd, no netlink socket, and no records on the console when no daemon takes them."
    when_not = "Auditing is required, or systemd's journal collects the records."
    cost = "None but security."
    risk = Risk(security="security events leave no record until the next boot")
    kernels = "2.6.6 and later with CONFIG_AUDIT"
    sets = (Param("audit", "0"),)
    references = ("kernel/audit.c: audit_enable(), audit_init()",)

    def applies(self, context: Context) -> Applies:
        """Yes when the kernel set the subsystem up."""
        if answer := self.already(context):
            return answer
        if context.enabled("AUDIT") is False:
            return Applies.no("there is no audit subsystem", "CONFIG_AUDIT is not set")
        log = KernelLog.of(context)
        if line := log.line(r"audit: disabled \(until reboot\)"):
            return Applies.no("auditing is off already", line)
        if line := log.line(r"audit: initializing netlink subsys"):
            return Applies.yes("the audit subsystem is set up", line)
        return (
            Applies.unknown(log.why_silent())
            if log.why_silent()
            else Applies.no("no audit subsystem", "no audit: line")
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's own word."""
        return appeared(before, after, r"audit: disabled \(until reboot\)")
