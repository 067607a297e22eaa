#!/bin/sh
# SPDX-License-Identifier: MIT
# Downloads a Debian package of another architecture and unpacks it; the machine's own apt and dpkg stay as they are.
# Usage: foreign-apt.sh ARCHITECTURE PACKAGE FOLDER   (armhf, arm64; PACKAGE may be a meta package of kernels)
# The sources are this machine's own; SUITE=NAME in the environment takes another suite of the same archive. Leaves the
# unpacked tree in FOLDER.
set -eu
arch=$1 package=$2 folder=$3
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
set -- "$arch" "${SUITE:-}"
. "$here/private-apt.sh"
# A meta package such as linux-image-arm64 names the real one.
real=$(apt_private_cache depends --important "$package" 2>/dev/null | awk '/Depends: linux-image-[0-9]/{print $2; exit}')
package=${real:-$package}
cd "$apt_state"
echo "downloading $package ($arch)"
apt_private download -qq "$package" 2>/dev/null || apt_private download "$package"
dpkg -x ./*.deb "$folder"
