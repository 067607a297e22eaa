"""Let the compiler optimise the kernel for size, or for speed."""

from __future__ import annotations

from bootlab.model.change import Change
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Published, Risk, Technique
from bootlab.techniques.built import built_with
from bootlab.techniques.option import value_of

_SPEED, _SIZE = "CC_OPTIMIZE_FOR_PERFORMANCE", "CC_OPTIMIZE_FOR_SIZE"


class CompilerOptimisation(Technique):
    """The other one of -O2 and -Os."""

    id = "compiler-optimisation"
    title = "Kernel optimised the other way (-O2, -Os)"
    stage = "image"
    what = "Builds with -Os if the kernel has -O2, and with -O2 if it has -Os."
    why = "With -Os the image is a tenth smaller: less to load and unpack. With -O2 the code is faster."
    when_not = "Whether it helps depends on storage and processor."
    cost = "The advantage of the other option."
    risk = Risk(runtime="a kernel built with -Os executes more instructions for the same work")
    proof = "recording"
    both_ways = True
    builds = True
    published = (
        Published(
            "-Os: size -10.5 %, total 5.739 -> 5.796 s",
            "BeagleBone Black, Linux 5.11",
            "Bootlin boot-time training",
            "Os",
        ),
        Published("-0.12 s by -O2 in place of -Os", "Pixel", "source.android.com: optimizing boot times", "O2"),
    )
    references = ("init/Kconfig: choice 'Compiler optimization level'",)

    def applies(self, context: Context) -> Applies:
        """Yes where the configuration is known: one of both is always on."""
        if not context.config:
            return Applies.unknown("the kernel's configuration is not known")
        now = _SIZE if value_of(context, _SIZE) == "y" else _SPEED
        return Applies.yes(f"the kernel is built with {'-Os' if now == _SIZE else '-O2'}", f"CONFIG_{now}=y")

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the other one."""
        small = value_of(context, _SIZE) == "y"
        options = ((_SPEED, "y" if small else "n"), (_SIZE, "n" if small else "y"))
        return (Change(technique=self.id, ops=(SetKernelOptions(options),), label="O2" if small else "Os"),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the configurations that both images were built with."""
        small = before.recording.kernel_config.get(f"CONFIG_{_SIZE}") == "y"
        return built_with(before, after, ((_SIZE, "n" if small else "y"),))
