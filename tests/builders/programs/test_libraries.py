# SPDX-License-Identifier: MIT
"""Which shared libraries a tree has already, and which must be added."""

import pytest

from bootlab.builders.programs import libraries
from bootlab.builders.programs.toolchain import Compiler
from bootlab.errors import ProgramBuildError
from bootlab.model.program import ElfFacts

COMPILER = Compiler(
    arch="arm", libc="glibc", prefix="arm-linux-gnueabihf-", name="no-such-gcc", version="1", identity="1"
)
LOADER = "/lib/ld-linux-armhf.so.3"
BUILT = {
    "/usr/bin/app": ElfFacts(machine=40, kind="executable", interpreter=LOADER, needed=("libc.so.6", "libown.so.1"))
}
MULTIARCH = ("/lib/arm-linux-gnueabihf/libc.so.6", "/usr/lib/arm-linux-gnueabihf/libown.so.1")


def test_debians_loader_searches_debians_folders(monkeypatch):
    monkeypatch.setattr(Compiler, "library", lambda *_: None)
    there = (LOADER, "/lib/arm-linux-gnueabihf/ld-linux-armhf.so.3", *MULTIARCH)
    assert libraries.missing(BUILT, there, COMPILER, ()) == {}
    # Another loader does not know these folders.
    with pytest.raises(ProgramBuildError, match=r"libc\.so\.6"):
        libraries.missing(BUILT, (LOADER, *MULTIARCH), COMPILER, ())
