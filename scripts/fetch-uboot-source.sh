#!/bin/sh
# SPDX-License-Identifier: MIT
# U-Boot's source as Debian has it, its patches applied. Usage: fetch-uboot-source.sh FOLDER
# A second call does nothing.
set -eu
exec "$(dirname "$0")/debian-source.sh" u-boot "$1"
