"""Build the kernel without system calls that small systems do not use."""

from __future__ import annotations

from bootlab.techniques.base import Published, Risk
from bootlab.techniques.option import OptionTechnique


class ExpertTrims(OptionTechnique):
    """The options that CONFIG_EXPERT shows."""

    id = "expert-trims"
    title = "Rare system calls left out (EXPERT)"
    stage = "kernel"
    what = "Builds without the system calls and features that CONFIG_EXPERT offers to leave out."
    why = "Less code and fewer initcalls."
    when_not = "A program uses one of them."
    cost = "Programs that use them get ENOSYS."
    risk = Risk(function="io_uring, AIO, rseq, membarrier, kcmp, file handles, core dumps and the like are gone")
    sets = (
        ("SYSFS_SYSCALL", "n"),
        ("FHANDLE", "n"),
        ("AIO", "n"),
        ("IO_URING", "n"),
        ("ADVISE_SYSCALLS", "n"),
        ("MEMBARRIER", "n"),
        ("RSEQ", "n"),
        ("KCMP", "n"),
        ("ELF_CORE", "n"),
        ("BASE_FULL", "n"),
        ("USERFAULTFD", "n"),
        ("CROSS_MEMORY_ATTACH", "n"),
    )
    because = "rare system calls are built in"
    expert = True
    published = (Published("-34 ms, -51 KB", "BeagleBone Black, Linux 6.1", "Bootlin boot-time training"),)
    references = ("init/Kconfig: menu 'Configure standard kernel features (expert users)'",)
