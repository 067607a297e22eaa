#!/bin/sh
# SPDX-License-Identifier: MIT
# BusyBox's source as Debian has it, its patches applied. Usage: fetch-busybox-source.sh FOLDER
# A second call does nothing.
set -eu
exec "$(dirname "$0")/debian-source.sh" busybox "$1"
