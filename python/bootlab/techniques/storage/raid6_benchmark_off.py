"""Build the kernel without the RAID6 benchmark."""

from __future__ import annotations

from bootlab.techniques.option import OptionTechnique


class Raid6BenchmarkOff(OptionTechnique):
    """It measures every algorithm for several ticks."""

    id = "raid6-benchmark-off"
    title = "RAID6 benchmark compiled out"
    stage = "storage"
    what = "Builds without CONFIG_RAID6_PQ_BENCHMARK."
    why = "The kernel measures each algorithm over sixteen ticks while it boots."
    when_not = "RAID6 is used and must be as fast as it can."
    cost = "A good algorithm is taken instead of the best."
    kernels = "4.20 and later"
    sets = (("RAID6_PQ_BENCHMARK", "n"),)
    only_if = ("RAID6_PQ",)
    because = "the algorithms are measured at each boot"
    gone = r"raid6: \S+ +gen\(\)"
    references = ("lib/raid6/algos.c: raid6_choose_gen()",)
