"""Build the kernel without debug information."""

from __future__ import annotations

from bootlab.techniques.base import Context, Evidence, Risk
from bootlab.techniques.option import Options, OptionTechnique, value_of

_BEFORE: Options = (("DEBUG_INFO", "n"),)


class DebugInfoOff(OptionTechnique):
    """Smaller files on disk; the image itself carries none of it."""

    id = "debug-info-off"
    title = "Kernel without debug information"
    stage = "image"
    what = "Builds with CONFIG_DEBUG_INFO_NONE (before 5.18: without CONFIG_DEBUG_INFO)."
    why = "The files vmlinux and modules become many times smaller: what is copied or packed with them too."
    when_not = "The image is a stripped one: then only the build becomes faster."
    cost = "No line numbers in crash dumps."
    risk = Risk(debuggability="vmlinux has no types and lines; BTF is gone too")
    sets = (("DEBUG_INFO_NONE", "y"),)
    because = "debug information is made"
    references = ("lib/Kconfig.debug: choice 'Debug information'",)

    def wanted(self, context: Context) -> Options:
        """Return the option that this version has."""
        return self.sets if context.kernel_version >= (5, 18) else _BEFORE

    def pending(self, context: Context) -> Options:
        """Return the option where debug information is on."""
        return super().pending(context) if value_of(context, "DEBUG_INFO") == "y" else ()

    def proved_by(self, after: Evidence) -> Options:
        """Return the option that the kernel which booted has."""
        return self.sets if after.recording.kernel_config.get("CONFIG_DEBUG_INFO_NONE") == "y" else _BEFORE
