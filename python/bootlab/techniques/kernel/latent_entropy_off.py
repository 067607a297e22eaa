"""Build the kernel without the latent entropy plugin."""

from __future__ import annotations

from bootlab.techniques.base import Published, Risk
from bootlab.techniques.option import OptionTechnique


class LatentEntropyOff(OptionTechnique):
    """Instrumented functions are slower."""

    id = "latent-entropy-off"
    title = "No latent entropy instrumentation"
    stage = "kernel"
    what = "Builds without CONFIG_GCC_PLUGIN_LATENT_ENTROPY."
    why = "Every instrumented function mixes a value: half a per cent of the boot."
    when_not = "The system has no other early source of randomness."
    cost = "None."
    risk = Risk(security="one early source of randomness less")
    kernels = "4.9 and later"
    sets = (("GCC_PLUGIN_LATENT_ENTROPY", "n"),)
    because = "functions are instrumented"
    published = (
        Published("about 0.5 % of the boot", "any", "security/Kconfig.hardening, scripts/gcc-plugins/Kconfig"),
    )
    references = ("scripts/gcc-plugins/Kconfig",)
