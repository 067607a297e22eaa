"""Start without security modules."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import KernelLog, vanished
from bootlab.techniques.parameter import ParameterTechnique

_MODULE = (
    r"AppArmor: AppArmor initialized|SELinux:  Initializing|landlock: Up and running|TOMOYO Linux initialized|"
    r"Smack:  Initializing|Yama: (?:becoming mindful|disabled by default)|LSM support for eBPF active"
)


class LsmOff(ParameterTechnique):
    """Each module sets up tables, file systems and hooks."""

    id = "lsm-off"
    title = "Security modules off"
    stage = "kernel"
    what = "Sets `lsm=` to an empty list: only the built-in capabilities stay."
    why = "No module is initialised, and no hook is called on each open, exec and allocation."
    when_not = "A module confines anything on the system, or policy is loaded at boot."
    cost = "None but security."
    risk = Risk(security="AppArmor, SELinux, Landlock, Yama, TOMOYO, Smack and integrity hooks are all off")
    kernels = "5.1 and later"
    sets = (Param("lsm", ""),)
    references = ("security/security.c: choose_lsm_order(), ordered_lsm_init()",)

    def applies(self, context: Context) -> Applies:
        """Yes when at least one module said that it is there."""
        if answer := self.already(context):
            return answer
        log = KernelLog.of(context)
        if line := log.line(_MODULE):
            return Applies.yes(f"{log.count(_MODULE)} security modules are set up", line)
        return (
            Applies.unknown(log.why_silent()) if log.why_silent() else Applies.no("no security module is set up", "LSM")
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the modules that do not come up any more."""
        return vanished(before, after, _MODULE)
