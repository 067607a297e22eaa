"""What a build's output says about what is missing."""

from __future__ import annotations

from pathlib import Path

from bootlab.builders.kbuild import build_log


def test_all_that_the_linker_misses_in_the_last_run(tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    log.write_text(
        """$ make -C /x bzImage
ld: vmlinux.o: in function `old': undefined reference to `of_an_earlier_run'
$ make -C /x bzImage
  LD      vmlinux
ld: vmlinux.o: in function `foo':
(.text+0x12): undefined reference to `crc32_le'
ld: ../net/core/sock.c:12: undefined reference to `xfrm_lookup'
ld: ../net/core/sock.c:19: undefined reference to `xfrm_lookup'
ERROR: modpost: "zlib_inflate" [vmlinux] undefined!
make[1]: *** [Makefile:1227: vmlinux] Error 1
"""
    )
    assert build_log.undefined(log) == {"crc32_le", "xfrm_lookup", "zlib_inflate"}
