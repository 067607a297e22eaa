#!/bin/sh
# SPDX-License-Identifier: MIT
# Downloads Debian packages with everything they depend on and unpacks them into one folder: a root tree to boot.
# Usage: fetch-packages.sh ARCHITECTURE FOLDER PACKAGE...   (armhf, arm64, amd64, ...)
# The sources are this machine's own; its apt and dpkg stay as they are, and nothing of the packages is run. Needs no
# root: owners and device nodes come from the system file. Recommended packages are left out. A second call does nothing.
# PACKAGE? (with a question mark) is left out where the archive does not have it.
# SUITE=NAME in the environment takes the packages from another suite of the same archive (trixie, bookworm-backports).
# Leaves the tree in FOLDER, and its packages with their versions in FOLDER.packages.
set -eu
arch=$1 folder=$2
shift 2
list=${folder%/}.packages
# The list's first line says what was asked for.
asked="# $arch ${SUITE:+$SUITE: }$*"
[ "$(head -n 1 "$list" 2>/dev/null)" = "$asked" ] && exit 0
here=$(cd "$(dirname "$0")" && pwd)
wanted="$*"
set -- "$arch" "${SUITE:-}"
. "$here/private-apt.sh"
packages=""
for package in $wanted; do
    # NAME? is left out where the archive has no such package.
    name=${package%\?}
    [ "$name" = "$package" ] || apt_private_cache show --no-all-versions "$name" >/dev/null 2>&1 || continue
    packages="$packages $name"
done
echo "downloading$packages ($arch) with what they depend on"
# shellcheck disable=SC2086  # a list of names
apt_private install -qq --yes --download-only --no-install-recommends $packages >"$apt_state/words" 2>&1 || {
    tail -n 20 "$apt_state/words" >&2
    exit 3
}
rm -rf "$folder.new"
mkdir -p "$folder.new"
echo "$asked" > "$apt_state/list"
for package in "$apt_state"/archives/*.deb; do
    # dpkg -x would follow no link of the tree that is there, and needs none: every file keeps its package's own path.
    dpkg -x "$package" "$folder.new"
    dpkg-deb --show --showformat='${Package} ${Version} ${Installed-Size}\n' "$package" >> "$apt_state/list"
done
rm -rf "$folder"
mv "$folder.new" "$folder"
mv "$apt_state/list" "$list"
echo "packages: $(($(wc -l < "$list") - 1)) in $folder, $(du -sm "$folder" | cut -f1) MiB"
