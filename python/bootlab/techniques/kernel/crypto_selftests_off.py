"""Build the kernel without crypto self-tests."""

from __future__ import annotations

from bootlab.techniques.base import Context, Evidence, Risk
from bootlab.techniques.option import Options, OptionTechnique

_RENAMED: Options = (("CRYPTO_SELFTESTS", "n"),)
_RENAMED_IN = (6, 16)


class CryptoSelftestsOff(OptionTechnique):
    """As `crypto-selftests`, in the configuration."""

    id = "crypto-selftests-off"
    title = "Crypto self-tests compiled out"
    stage = "kernel"
    what = "Builds with CONFIG_CRYPTO_MANAGER_DISABLE_TESTS (from 6.16: without CONFIG_CRYPTO_SELFTESTS)."
    why = "Each algorithm is tested when it registers, and blake2s tests itself."
    when_not = "The system must run them (FIPS 140)."
    cost = "None at run time."
    risk = Risk(debuggability="a miscompiled algorithm goes unnoticed")
    kernels = "2.6.36 and later"
    sets = (("CRYPTO_MANAGER_DISABLE_TESTS", "y"),)
    only_if = ("CRYPTO",)
    because = "crypto self-tests are compiled in"
    references = ("crypto/Kconfig: CRYPTO_MANAGER_DISABLE_TESTS, since 6.16 CRYPTO_SELFTESTS",)

    def wanted(self, context: Context) -> Options:
        """Return the option that this version has."""
        return _RENAMED if context.kernel_version >= _RENAMED_IN else self.sets

    def proved_by(self, after: Evidence) -> Options:
        """Return the option that the kernel which booted has."""
        old = after.recording.kernel_config.get("CONFIG_CRYPTO_MANAGER_DISABLE_TESTS")
        return self.sets if old == "y" else _RENAMED
