# SPDX-License-Identifier: MIT
"""Tests that the kernel makes of itself, and watches that it keeps."""

from __future__ import annotations

from bootlab.model.cmdline import Param
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.evidence import KernelLog, appeared
from bootlab.techniques.parameter import ParameterRow, ParameterTechnique, Sign

_DISABLED = r"alg: self-tests disabled"


class CryptoSelftests(ParameterTechnique):
    """Every algorithm is tested with known answers when it registers, before it may be used."""

    id = "crypto-selftests"
    ends = ("cryptomgr_test",)
    title = "Crypto self-tests skipped"
    addresses = ("crypto-self-test",)
    what = "Sets `cryptomgr.notests`."
    why = "Distribution kernels have dozens of algorithms built in, and test each with hundreds of vectors before init."
    when_not = "The tests are already compiled out, or the system must run them (FIPS 140: `fips=1` runs them anyway)."
    cost = "None at run time."
    risk = Risk(
        debuggability="the self-tests are a safety net: a miscompiled algorithm or a broken accelerator goes unnoticed"
    )
    kernels = "4.5 and later"
    sets = (Param("cryptomgr.notests"),)
    references = (
        "crypto/testmgr.c: alg_test()",
        "crypto/Kconfig: CRYPTO_MANAGER_DISABLE_TESTS, since 6.16 CRYPTO_SELFTESTS",
    )

    def applies(self, context: Context) -> Applies:  # noqa: PLR0911 - one answer a reason
        """Yes when the tests are compiled in and nothing has switched them off."""
        if answer := self.already(context):
            return answer
        if line := KernelLog.of(context).line(_DISABLED):
            return Applies.no("the kernel skips them already", line)
        if context.system.cmdline.value("fips") == "1":
            return Applies.no("FIPS mode runs them whatever this parameter says", "fips=1")
        manager = context.enabled("CRYPTO_MANAGER")
        if manager is None:
            return Applies.unknown("the kernel prints nothing while it tests, and its configuration is not known")
        if not manager:
            return Applies.no(
                "there is no crypto manager in the kernel",
                "CONFIG_CRYPTO_MANAGER is not set",
                options=("CRYPTO_MANAGER",),
            )
        if context.enabled("CRYPTO_MANAGER_DISABLE_TESTS"):
            return Applies.no(
                "the tests are compiled out",
                "CONFIG_CRYPTO_MANAGER_DISABLE_TESTS=y",
                options=("CRYPTO_MANAGER_DISABLE_TESTS",),
            )
        if context.kernel_version >= (6, 16) and not context.enabled("CRYPTO_SELFTESTS"):
            return Applies.no(
                "the tests are compiled out", "CONFIG_CRYPTO_SELFTESTS is not set", options=("CRYPTO_SELFTESTS",)
            )
        return Applies.yes(
            "the self-tests are compiled in",
            "CONFIG_CRYPTO_MANAGER_DISABLE_TESTS is not set",
            options=("CRYPTO_MANAGER_DISABLE_TESTS",),
        )

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the kernel's own word, printed when the first test is left out."""
        return appeared(before, after, _DISABLED)


_ENABLED = r"NMI watchdog: Enabled\. Permanently consumes one hw-PMU counter"


TECHNIQUES: tuple[Technique, ...] = (
    CryptoSelftests(),
    ParameterRow(
        id="nowatchdog",
        title="Lockup detectors off",
        what="Sets `nowatchdog`.",
        why="When a processor comes up, it gets a performance event and a timer for the detectors.",
        when_not="There is no usable performance unit: then only a timer is saved.",
        cost="None at run time.",
        risk=Risk(function="a processor that hangs is neither noticed nor reported"),
        kernels="2.6.36 and later",
        sets=(Param("nowatchdog"),),
        references=(
            "kernel/watchdog.c: nowatchdog_setup()",
            "kernel/watchdog_hld.c: hardlockup_detector_perf_enable()",
        ),
        without=(("LOCKUP_DETECTOR", "the kernel has no lockup detectors"),),
        signs=(
            Sign("yes", _ENABLED, "the hard lockup detector takes a counter"),
            Sign(
                "no",
                r"Perf NMI watchdog permanently disabled",
                "the hard lockup detector found no counter: there is only a timer left",
            ),
        ),
        otherwise="the kernel did not print whether a detector was started",
        # The soft lockup detector says nothing either way.
        shows=("vanishes", _ENABLED),
    ),
)
