"""Let the processor's random numbers start the generator."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk
from bootlab.techniques.evidence import KernelLog, appeared, either, interval_shrank
from bootlab.techniques.parameter import ParameterTechnique

_DONE = r"random: crng init done"


class RandomTrustCpu(ParameterTechnique):
    """Whoever asks for random numbers before the generator is ready has to wait for entropy."""

    id = "random-trust-cpu"
    title = "Random numbers of the processor trusted"
    stage = "kernel"
    what = "Sets `random.trust_cpu=on`."
    why = "RDRAND or its like fills the pool before the first user asks, instead of timer jitter or interrupts."
    when_not = "The processor has no such instruction, or the kernel is configured to trust it already."
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
            return Applies.no("it is trusted by configuration", "CONFIG_RANDOM_TRUST_CPU=y")
        cpu = context.system.machine.cpu
        if context.system.target == "qemu" and ("rdrand=off" in cpu or "-rdrand" in cpu):
            return Applies.no("the processor has no random instruction", f"machine.cpu = {cpu}")
        if given is not None:
            return Applies.yes("trust is switched off on the command line", f"random.trust_cpu={given}")
        if configured is False:
            return Applies.yes(
                "the kernel does not trust the processor's numbers", "CONFIG_RANDOM_TRUST_CPU is not set"
            )
        line = KernelLog.of(context).line(_DONE)
        return Applies.unknown("the kernel's configuration is not known", line)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by a generator that is ready, or ready earlier."""
        return either(
            appeared(before, after, _DONE),
            interval_shrank(before, after, r"Linux version ", _DONE, least_ns=50_000_000),
        )
