# SPDX-License-Identifier: MIT
"""Systems of other releases of Debian, as mmdebstrap leaves them: a kernel, an initrd, systemd, no menu."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.first_contact_base import Base, Built, ext4, run

SID = "linux-image-amd64,dracut,systemd-sysv,udev,dbus,e2fsprogs,kmod,login,passwd"


def apt_options(at: Path) -> Path:
    """Write how apt gets at its archive here: proxies, certificates, whether a list may be old."""
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True, check=True).stdout
    at.write_text("".join(line for line in dump.splitlines(True) if re.match(r"Acquire::(https?::|Check-)", line)))
    return at


def root_of(suite: str, packages: str, at: Path) -> Path:
    """Return a root tree of a release, or the one that stands there."""
    if not (at / "done").exists():
        shutil.rmtree(at, ignore_errors=True)
        options = f"--aptopt={apt_options(at.with_suffix('.apt'))}"
        run("mmdebstrap", "--variant=minbase", options, f"--include={packages}", suite, at)
        (at / "etc/hostname").write_text(f"{suite}\n")  # else this machine's
        (at / "done").touch()
    return at


def debian_sid(base: Base, at: Path) -> Built:
    """The newest Debian: packages of a kernel in parts, dracut's initrd for any machine, ext4 without partitions."""
    tree = root_of("sid", SID, base.folder / "sid")
    kernel, early = (next((tree / "boot").glob(name)) for name in ("vmlinuz-*", "initrd.img-*[!k]"))
    image = ext4(at / "sid.ext4", tree, mib=1024)
    return Built((image,), kernel, (early,), goals=("sid login: ",))


SUITES: dict[str, Callable[[Base, Path], Built]] = {"Debian sid, dracut": debian_sid}
