#!/bin/sh
# SPDX-License-Identifier: MIT
# Everything that examples/case-vexpress needs besides its own files: Debian's kernel for ARM boards with its device trees,
# a root tree of Debian's packages, the sources of BusyBox and ffmpeg, the sample video. Usage: setup-vexpress-case.sh FOLDER
# Needs about 1 GB and, the first time, some minutes; a second call does nothing. Then:
#   export BOOTLAB_VEXPRESS=FOLDER BOOTLAB_BUSYBOX_SOURCE=FOLDER/video/busybox
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
"$here/fetch-kernel.sh" "$folder/kernel" "" arm
release=$(basename "$(readlink "$folder/kernel/vmlinuz")" | sed 's/^vmlinuz-//')
ln -sfn "unpacked/usr/lib/linux-image-$release" "$folder/kernel/dtbs"
"$here/fetch-packages.sh" armhf "$folder/root" busybox-static libc6
"$here/setup-video.sh" "$folder/video"
