#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's archive of a kernel's source, out of any suite; nothing is installed. Usage: fetch-kernel-source.sh SUITE VERSION FOLDER
# Example: fetch-kernel-source.sh trixie-backports 7.3 .cache/linux-sources leaves .cache/linux-sources/linux-source-7.3.tar.xz.
# BOOTLAB_LINUX_SOURCES=FOLDER lets the tests hold every option that bootlab names against it. A second call does nothing.
set -eu
suite=$1 version=$2 folder=$3
archive=linux-source-$version.tar.xz
[ -e "$folder/$archive" ] && exit 0
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
set -- "$(dpkg --print-architecture)" "$suite"
. "$here/private-apt.sh"
cd "$apt_state/archives"
apt_private download -qq "linux-source-$version" 2>/dev/null || apt_private download "linux-source-$version"
dpkg -x linux-source-"$version"_*.deb tree
mv "tree/usr/src/$archive" "$folder/$archive"
echo "kernel source: $folder/$archive"
