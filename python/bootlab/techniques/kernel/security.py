# SPDX-License-Identifier: MIT
"""Measures of security that cost time."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.evidence import KernelLog, appeared, either, interval_shrank
from bootlab.techniques.parameter import ParameterRow, ParameterTechnique, Sign

_DONE = r"random: crng init done"


def _trusted_by_default(context: Context) -> bool:
    """Linux 6.2 dropped CONFIG_RANDOM_TRUST_CPU: `trust_cpu` is true unless the command line says no."""
    return bool(context.config) and "CONFIG_RANDOM_TRUST_CPU" not in context.config and context.kernel_version >= (6, 2)


class RandomTrustCpu(ParameterTechnique):
    """Whoever asks for random numbers before the generator is ready has to wait for entropy."""

    id = "random-trust-cpu"
    title = "Random numbers of the processor trusted"
    addresses = ("random-number-wait",)
    what = "Sets `random.trust_cpu=on`."
    why = (
        "RDRAND or a similar instruction fills the pool before the first user asks, instead of timer jitter or "
        "interrupts."
    )
    when_not = "The processor has no such instruction, or the kernel is already configured to trust it."
    cost = "None at run time."
    risk = Risk(security="the generator's first output depends on an instruction that nobody can inspect")
    kernels = "4.19 and later"
    sets = (Param("random.trust_cpu", "on"),)
    references = ("drivers/char/random.c: random_init_early(), parse_trust_cpu()",)

    def applies(self, context: Context) -> Applies:  # noqa: PLR0911 - one answer a reason
        """Yes when trust is switched off, by configuration or parameter."""
        if answer := self.already(context):
            return answer
        given = context.system.cmdline.value("random.trust_cpu")
        if given in {"on", "1", "y", "yes"}:
            return Applies.no("it is trusted already", f"random.trust_cpu={given}")
        configured = context.enabled("RANDOM_TRUST_CPU")
        if given is None and configured:
            return Applies.no(
                "it is trusted by configuration", "CONFIG_RANDOM_TRUST_CPU=y", options=("RANDOM_TRUST_CPU",)
            )
        cpu = context.system.machine.cpu
        if context.system.target == "qemu" and ("rdrand=off" in cpu or "-rdrand" in cpu):
            return Applies.no("the processor has no random instruction", f"machine.cpu = {cpu}")
        if given is not None:
            return Applies.yes("trust is switched off on the command line", f"random.trust_cpu={given}")
        if _trusted_by_default(context):
            return Applies.no("it is trusted by default", "Linux has had no CONFIG_RANDOM_TRUST_CPU since 6.2")
        if configured is False:
            return Applies.yes(
                "the kernel does not trust the processor's numbers",
                "CONFIG_RANDOM_TRUST_CPU is not set",
                options=("RANDOM_TRUST_CPU",),
            )
        line = KernelLog.of(context).line(_DONE)
        return Applies.unknown("the kernel's configuration is not known", line)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by a generator that is ready, or ready earlier."""
        return either(
            appeared(before, after, _DONE),
            interval_shrank(before, after, r"Linux version ", _DONE, least_ns=50_000_000),
        )


_MODULE = (
    r"AppArmor: AppArmor initialized|SELinux:  Initializing|landlock: Up and running|TOMOYO Linux initialized|"
    r"Smack:  Initializing|Yama: (?:becoming mindful|disabled by default)|LSM support for eBPF active"
)


_MITIGATION = r"^[\w ]{2,40}: (?:Mitigation: |Spectre v2 / )"


TECHNIQUES: tuple[Technique, ...] = (
    RandomTrustCpu(),
    ParameterRow(
        id="audit-off",
        ends=("audit_init",),
        title="Auditing switched off",
        what="Sets `audit=0`.",
        why="There is no kauditd and no netlink socket, and no records appear on the console if no daemon takes them.",
        when_not="Auditing is required, or systemd's journal collects the records.",
        cost="Security only.",
        risk=Risk(security="security events leave no record until the next boot"),
        kernels="2.6.6 and later with CONFIG_AUDIT",
        sets=(Param("audit", "0"),),
        references=("kernel/audit.c: audit_enable(), audit_init()",),
        without=(("AUDIT", "there is no audit subsystem"),),
        signs=(
            Sign("no", r"audit: disabled \(until reboot\)", "auditing is off already"),
            Sign("yes", r"audit: initializing netlink subsys", "the audit subsystem is set up"),
        ),
        otherwise=("no audit subsystem", "no audit: line"),
        shows=("appears", r"audit: disabled \(until reboot\)"),
    ),
    ParameterRow(
        id="lsm-off",
        ends=("security_init",),
        title="Security modules off",
        what="Sets `lsm=` to an empty list: only the built-in capabilities remain.",
        why="No module is initialised, and no hook is called on each open, exec and allocation.",
        when_not="A module confines something on the system, or a policy is loaded at boot.",
        cost="Security only.",
        risk=Risk(security="AppArmor, SELinux, Landlock, Yama, TOMOYO, Smack and integrity hooks are all off"),
        kernels="5.1 and later",
        sets=(Param("lsm", ""),),
        references=("security/security.c: choose_lsm_order(), ordered_lsm_init()",),
        signs=(Sign("yes", _MODULE, "{count} security modules are set up"),),
        otherwise=("no security module is set up", "LSM"),
        shows=("vanishes", _MODULE),
    ),
    ParameterRow(
        id="mitigations-off",
        ends=("cpu_select_mitigations",),
        title="Processor mitigations off",
        what="Sets `mitigations=off`.",
        why="System calls, interrupts and indirect calls become cheaper, and starting user space needs many of them.",
        when_not="Untrusted code runs on the machine. Nobody has published a boot that became faster this way.",
        cost="Security only.",
        risk=Risk(
            security=(
                "other programs, guests or web pages can read memory through Spectre, Meltdown, MDS and similar attacks"
            )
        ),
        kernels="5.2 and later",
        sets=(Param("mitigations", "off"),),
        references=(
            "kernel/cpu.c: mitigations_parse_cmdline()",
            "arch/x86/kernel/cpu/bugs.c: cpu_select_mitigations()",
        ),
        signs=(Sign("yes", _MITIGATION, "{count} mitigations are in use"),),
        otherwise=("none is in use", "no Mitigation: line"),
        shows=("vanishes", _MITIGATION),
    ),
)
