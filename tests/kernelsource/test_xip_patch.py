# SPDX-License-Identifier: MIT
"""The patch that has functions of a kernel in flash run from RAM."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from bootlab.errors import UserError
from bootlab.kernelsource import xip_patch
from bootlab.kernelsource.xip_patch import MAPPING, SCRIPT, START

# The lines that matter of Linux 6.1.
LDS = """#include <asm/page.h>

OUTPUT_ARCH(arm)
ENTRY(stext)

SECTIONS
{
\t. = XIP_VIRT_ADDR(CONFIG_XIP_PHYS_ADDR);
\t_xiprom = .;
\t.text : {
\t\tARM_TEXT
\t}
\t__data_loc = ALIGN(4);\t\t/* location in file */
\t. = PAGE_OFFSET + TEXT_OFFSET;\t/* location in memory */
#undef LOAD_OFFSET
#define LOAD_OFFSET (PAGE_OFFSET + TEXT_OFFSET - __data_loc)

\t. = ALIGN(THREAD_SIZE);
\t_sdata = .;
\tRW_DATA(L1_CACHE_BYTES, PAGE_SIZE, THREAD_SIZE)
}
"""
HEAD = """#elif defined(CONFIG_XIP_KERNEL)
\tsub\tr2, r2, r1
\tbl\t__memcpy\t\t\t@ copy .data to RAM
#endif
"""
MMU = """\tmap.length = kernel_nx_end - kernel_nx_start;
\tmap.type = MT_MEMORY_RW;
\tcreate_mapping(&map);
"""
SOURCES = {SCRIPT: LDS, START: HEAD, MAPPING: MMU}


def patched(tmp_path, text: str) -> tuple[str, ...]:
    for name, content in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    subprocess.run(["patch", "-p1", "-d", str(tmp_path)], input=text, text=True, check=True, capture_output=True)
    return tuple((tmp_path / name).read_text() for name in SOURCES)


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")
def test_functions_stand_in_front_of_the_variables(tmp_path):
    wanted = ["vfs_read", "b.isra.0", "vfs_read"]
    script, start, mapping = patched(tmp_path, xip_patch.xip_patch(SOURCES, wanted))
    placed = script[script.index(".ram.text") : script.index("_xiprom")]
    assert placed.index("_sdata = .;") < placed.index("*(.text.b.isra.0)") < placed.index("*(.text.vfs_read)")
    assert placed.count("vfs_read") == 1
    assert script.count("_sdata = .;") == 1
    assert "PAGE_OFFSET + TEXT_OFFSET + SIZEOF(.ram.text);" in script
    # What is not chosen stays with the text, though each function has a section of its own now.
    assert "#define TEXT_MAIN .text .text.[0-9a-zA-Z_]*" in script
    assert "MT_MEMORY_RWX;" in mapping
    assert start.index("__memcpy") < start.index("_ramtext_end") < start.index("v7_coherent_kern_range")


def test_names_that_are_none_cannot_get_into_the_script():
    text = xip_patch.xip_patch(SOURCES, ["good", "*) } /DISCARD/ : { *(.text", "[user space]", ""])
    assert "*(.text.good)" in text
    assert "DISCARD" not in text
    assert "user space" not in text


@pytest.mark.parametrize("wrong", [{SCRIPT: LDS.replace("TEXT_OFFSET;", "TEXT_OFFSET ;")}, {START: ""}, {MAPPING: ""}])
def test_another_source_is_refused(wrong):
    with pytest.raises(UserError, match=r"not as in Linux 6\.1"):
        xip_patch.xip_patch(SOURCES | wrong, ["a"])
