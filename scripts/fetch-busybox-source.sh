#!/bin/sh
# BusyBox's source as Debian has it, its patches applied. Usage: fetch-busybox-source.sh FOLDER
# From the archives that this machine takes its packages from; its own apt and dpkg stay as they are.
# A second call does nothing.
set -eu
folder=$1
[ -f "$folder/Makefile" ] && exit 0
command -v patch >/dev/null || { echo "fetch-busybox-source.sh: apt-get install patch" >&2; exit 3; }
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
    echo "fetch-busybox-source.sh: apt here knows no archive of Debian's; see apt-get indextargets" >&2; exit 3; }
mkdir -p lists/partial
set -- -o "Dir::State=$work" -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work" \
    -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Acquire::Languages=none -o APT::Sandbox::User=
apt-get "$@" update -qq
apt-get "$@" source -qq --download-only busybox
mkdir source
tar -xf busybox_*.orig.tar.* -C source --strip-components=1
tar -xf busybox_*.debian.tar.* -C source
cd source
grep -v '^ *\(#\|$\)' debian/patches/series | while read -r name _; do
    patch -s -f -p1 < "debian/patches/$name" || { echo "fetch-busybox-source.sh: $name does not apply" >&2; exit 3; }
done
find . -name '*.orig' -delete
cd ..
rmdir "$folder"
mv source "$folder"
echo "BusyBox's source: $folder ($(ls "$work" | sed -n 's/^busybox_\(.*\)\.dsc$/\1/p'))"
