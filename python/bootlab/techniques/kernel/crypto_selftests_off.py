"""Build the kernel without crypto self-tests."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class CryptoSelftestsOff(OptionTechnique):
    """As `crypto-selftests`, in the configuration."""

    id = "crypto-selftests-off"
    title = "Crypto self-tests compiled out"
    stage = "kernel"
    what = "Builds with CONFIG_CRYPTO_MANAGER_DISABLE_TESTS."
    why = "Each algorithm is tested when it registers, and blake2s tests itself."
    when_not = "The system must run them (FIPS 140)."
    cost = "None at run time."
    risk = Risk(debuggability="a miscompiled algorithm goes unnoticed")
    kernels = "2.6.36 to 6.15; later kernels have CRYPTO_SELFTESTS instead"
    sets = (("CRYPTO_MANAGER_DISABLE_TESTS", "y"),)
    only_if = ("CRYPTO",)
    because = "crypto self-tests are compiled in"
    references = ("crypto/Kconfig: CRYPTO_MANAGER_DISABLE_TESTS",)
