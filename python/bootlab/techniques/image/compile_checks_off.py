"""Build the kernel without compiler options that only checks need."""

from __future__ import annotations

from bootlab.techniques.base import Risk
from bootlab.techniques.option import OptionTechnique


class CompileChecksOff(OptionTechnique):
    """A check of the build that changes the code which is built."""

    id = "compile-checks-off"
    title = "Kernel compiled without compile-time checks"
    stage = "image"
    what = "Builds without CONFIG_DEBUG_SECTION_MISMATCH, READABLE_ASM, and alignment or symbols forced for debugging."
    why = "They keep the compiler from inlining and reordering: a larger and slower kernel, for a check or a listing."
    when_not = "Somebody reads the listings, or looks for references between sections."
    cost = "None."
    risk = Risk(debuggability="wrong references between sections are found less surely at build time")
    sets = (
        ("DEBUG_SECTION_MISMATCH", "n"),
        ("READABLE_ASM", "n"),
        ("DEBUG_FORCE_FUNCTION_ALIGN_64B", "n"),
        ("DEBUG_FORCE_WEAK_PER_CPU", "n"),
    )
    because = "the compiler is held back for checks"
    references = (
        "lib/Kconfig.debug: DEBUG_SECTION_MISMATCH, READABLE_ASM",
        "Makefile: -fno-inline-functions-called-once",
    )
