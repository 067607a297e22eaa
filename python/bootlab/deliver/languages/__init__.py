# SPDX-License-Identifier: MIT
"""The build systems that a result is handed over to, in the order in which they are listed."""

from bootlab.deliver.languages.buildroot import BUILDROOT
from bootlab.deliver.languages.debian import DEBIAN
from bootlab.deliver.languages.dracut import DRACUT
from bootlab.deliver.languages.kernel import KERNEL
from bootlab.deliver.languages.mkosi import MKOSI
from bootlab.deliver.languages.systemd import SYSTEMD
from bootlab.deliver.languages.u_boot import U_BOOT
from bootlab.deliver.languages.yocto import YOCTO

LANGUAGES = (KERNEL, U_BOOT, YOCTO, BUILDROOT, DEBIAN, DRACUT, SYSTEMD, MKOSI)

__all__ = ["LANGUAGES"]
