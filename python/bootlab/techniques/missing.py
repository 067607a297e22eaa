# SPDX-License-Identifier: MIT
"""What several techniques lack, and what each of them then answers."""

from __future__ import annotations

from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies

NO_CONFIGURATION = Applies.unknown("the kernel's configuration is not known")
NO_INITCALLS = Applies.unknown("a diagnostic boot with initcalls is missing")
NO_FILES_READ = Applies.unknown("a diagnostic boot is missing: only it shows which files are read")
NO_ROOT_SHOWN = Applies.unknown("the diagnostic boot does not show what is mounted as the root")
NO_APPLICATION = Applies.unknown('the system file does not name the application (application = "/path")')
NO_INITRAMFS = Applies.no("there is no initramfs", "no [initramfs] in the system")

NO_INITRAMFS_SIZE = Effect(False, "the recordings do not show the size of the initramfs")
NO_PROCESS_COUNT = Effect(False, "only diagnostic boots of both show how many processes were started")

NO_LINE_OF_INIT = "the kernel did not print its init"
NO_PROCESSOR_COUNT = "it does not show how many processors are brought up"
