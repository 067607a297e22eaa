#!/bin/sh
# SPDX-License-Identifier: MIT
# The source of a Debian package, with Debian's patches applied. Usage: debian-source.sh PACKAGE FOLDER
# From the archives that this machine takes its packages from; its own apt and dpkg stay as they are.
# A second call does nothing.
set -eu
package=$1 folder=$2
[ -d "$folder" ] && [ -n "$(ls -A "$folder")" ] && exit 0
command -v patch >/dev/null || { echo "debian-source.sh: apt-get install patch" >&2; exit 3; }
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(CREATED_BY) $(ORIGIN)' | sort -u |
    awk -v key=/usr/share/keyrings/debian-archive-keyring.gpg \
        '$3 == "main" && $4 == "Packages" && $5 == "Debian" {print "deb-src [signed-by=" key "]", $1, $2, $3}' \
    > sources.list
[ -s sources.list ] || {
    echo "debian-source.sh: apt on this machine knows no archive of Debian's; see apt-get indextargets" >&2; exit 3; }
mkdir -p lists/partial
set -- -o "Dir::State=$work" -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work" \
    -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Acquire::Languages=none -o APT::Sandbox::User=
# A source that is just being renewed must not spoil the others.
apt-get "$@" update -qq 2>words || sed 's/^/debian-source.sh: /' words >&2
# The same version may stand in two archives, and one of them be without its files while it is renewed.
apt-get "$@" source -qq --download-only "$package" 2>words || {
    found="" all=$(cat sources.list)
    while [ -z "$found" ] && [ -n "$all" ]; do
        printf '%s\n' "$all" | head -1 > sources.list
        all=$(printf '%s\n' "$all" | tail -n +2)
        apt-get "$@" update -qq 2>/dev/null || continue
        apt-get "$@" source -qq --download-only "$package" 2>/dev/null && found=yes
    done
    [ -n "$found" ] || { sed 's/^/debian-source.sh: /' words >&2; exit 3; }
}
mkdir source
# Beside the archive there may be its signature.
tar -xf "$(ls ./*.orig.tar.* | grep -v '\.asc$')" -C source --strip-components=1
tar -xf ./*.debian.tar.* -C source
cd source
[ ! -f debian/patches/series ] || grep -v '^ *\(#\|$\)' debian/patches/series | while read -r name _; do
    patch -s -f -p1 < "debian/patches/$name" || { echo "debian-source.sh: $name does not apply" >&2; exit 3; }
done
find . -name '*.orig' -delete
cd ..
rmdir "$folder"
mv source "$folder"
echo "source: $folder ($(ls ./*.dsc | sed 's,^\./,,; s/\.dsc$//'))"
