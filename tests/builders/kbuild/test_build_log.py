# SPDX-License-Identifier: MIT
"""The line of a failed build that tells a person what is wrong."""

from __future__ import annotations

import pytest

from bootlab.builders.kbuild.build_log import first_error


@pytest.mark.parametrize(
    ("log", "told"),
    [
        (
            "checking for zlib... not found\narm-gcc is unable to create an executable file.\nsolve the problem.\n",
            "arm-gcc is unable to create an executable file.",
        ),
        (
            "checking for cc... no\nconfigure: error: no acceptable C compiler found\nSee config.log\n",
            "no acceptable C",
        ),
        (
            "-- Looking for curses - not found\nCMake Error at CMakeLists.txt:3 (find_package):\n  no such\n",
            "CMake Error",
        ),
        ('The Meson build system\nmeson.build:4:0: ERROR: Dependency "x" not found\n', 'meson.build:4: Dependency "x"'),
        ("  CC      lib/error-inject.o\nmake: *** [Makefile:3: all] Error 2\n", "[Makefile:3: all] Error 2"),
        ("src/a.c:1:2: error: expected ;\nb: cannot go on\n", "src/a.c:1: expected ;"),
        ("nothing known\nthe last word\n", "the last word"),
    ],
)
def test_the_line_that_tells_what_is_wrong(tmp_path, log, told):
    (tmp_path / "log").write_text(log)
    assert str(first_error(tmp_path / "log")).startswith(told)
