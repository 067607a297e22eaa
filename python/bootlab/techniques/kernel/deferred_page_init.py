"""Initialise most of the memory map later and in parallel."""

from __future__ import annotations

from bootlab.techniques.base import Published
from bootlab.techniques.option import OptionTechnique


class DeferredPageInit(OptionTechnique):
    """For machines with much memory."""

    id = "deferred-page-init"
    title = "Deferred initialisation of page structures"
    stage = "kernel"
    what = "Builds with CONFIG_DEFERRED_STRUCT_PAGE_INIT."
    why = "Only a part of the memory map is set up before the scheduler runs; the rest by threads."
    when_not = "Memory is small, so that nothing is left to defer, or there is one processor."
    cost = "None."
    architectures = ("x86_64", "arm64")
    kernels = "4.2 and later"
    sets = (("DEFERRED_STRUCT_PAGE_INIT", "y"),)
    # mm/Kconfig: NEED_PER_CPU_KM, which excludes it, is on without SMP.
    only_if = ("SPARSEMEM", "SMP")
    because = "the whole memory map is set up before the scheduler runs"
    says = r"node \d+ deferred pages initialised in"
    proof = "kernel-log"
    published = (
        Published("231 -> 8.6 ms", "large server", "centos-stream-9 MR 3984"),
        Published("-16 s", "1 TB of memory", "LKML, April 2015"),
    )
    references = ("mm/Kconfig: DEFERRED_STRUCT_PAGE_INIT", "mm/page_alloc.c: defer_init(), deferred_init_memmap()")
