# SPDX-License-Identifier: MIT
"""What glibc's loader prints with LD_DEBUG=statistics, from real boots."""

from bootlab.collectors.loader_statistics import loading_of
from bootlab.model.recording import Meta, Recording
from bootlab.recordings.console import split_lines

# arm-vexpress-a9, glibc 2.36: no cycles; then x86_64; then a program that another one takes the place of.
CONSOLE = b"""\
         1:\t                 number of relocations: 3115\r
         1:\t      number of relocations from cache: 7\r
         1:\t        number of relative relocations: 1243\r
panel: ready checksum=f39d88c9\r
        71:\t\r
        71:\truntime linker statistics:\r
        71:\t  total startup time in dynamic loader: 1170242 cycles\r
        71:\t            time needed for relocation: 500021 cycles (42.7%)\r
        71:\t                 number of relocations: 121\r
        71:\t      number of relocations from cache: 3\r
        71:\t        number of relative relocations: 1390\r
        71:\t           time needed to load objects: 480000 cycles (41.0%)\r
        71:\t           final number of relocations: 160\r
        71:\tfinal number of relocations from cache: 3\r
        71:\t                 number of relocations: 5\r
        72:\t  number of wishes: 9\r
"""


def recording(console):
    return Recording(meta=Meta(), lines=split_lines(console), marks=(), console=console)


def test_each_start_of_a_program():
    arm, x86, again = loading_of(recording(CONSOLE))
    assert (arm.pid, arm.total_cycles, arm.relocations, arm.from_cache, arm.relative) == (1, None, 3115, 7, 1243)
    assert (x86.total_cycles, x86.relocation_cycles, x86.load_cycles) == (1170242, 500021, 480000)
    assert (x86.relocations, x86.late) == (121, 160)
    assert (again.pid, again.relocations, again.relative) == (71, 5, None)


def test_a_console_may_say_anything():
    assert loading_of(recording(b"9" * 100_000 + b":\t number of relocations: 1\n\xff\x00:\t x: y\n")) == ()
