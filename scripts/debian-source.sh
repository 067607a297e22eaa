#!/bin/sh
# Downloads the source of a Debian package and unpacks it, with Debian's patches where a series is there.
# Usage: debian-source.sh PACKAGE FOLDER
# The archives are those that this machine takes its packages from; its apt stays as it is. A second call does nothing.
set -eu
package=$1 folder=$2
[ -d "$folder" ] && exit 0
mkdir -p "$(dirname "$folder")"
folder=$(cd "$(dirname "$folder")" && pwd)/$(basename "$folder")
state=$(mktemp -d)
trap 'rm -rf "$state" "$folder.new"' EXIT
cd "$state"
apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(CREATED_BY) $(ORIGIN)' | sort -u |
    awk -v key=/usr/share/keyrings/debian-archive-keyring.gpg \
        '$3 == "main" && $4 == "Packages" && $5 == "Debian" {print "deb-src [signed-by=" key "]", $1, $2, $3}' \
    > sources.list
[ -s sources.list ] || {
    echo "debian-source.sh: apt on this machine knows no archive of Debian's; see apt-get indextargets" >&2; exit 3; }
mkdir -p lists/partial
set -- -o "Dir::State=$state" -o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state" \
    -o "Dir::Etc::sourcelist=$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Acquire::Languages=none -o APT::Sandbox::User=
# A source that is just being renewed must not spoil the others.
apt-get "$@" update -qq 2>words || sed 's/^/debian-source.sh: /' words >&2
apt-get "$@" source -qq --download-only "$package"
mkdir "$folder.new"
tar -xf "$(ls ./*.orig.tar.* | grep -v '\.asc$')" -C "$folder.new" --strip-components=1
tar -xf ./*.debian.tar.* -C "$folder.new"
for patch in $(sed -e 's/#.*//' "$folder.new/debian/patches/series" 2>/dev/null); do
    patch -s -p1 -d "$folder.new" -i "$folder.new/debian/patches/$patch"
done
ls ./*.dsc | sed 's,^\./,,; s/\.dsc$//' > "$folder.new/DEBIAN_SOURCE"
mv "$folder.new" "$folder"
echo "source: $folder ($(cat "$folder/DEBIAN_SOURCE"))"
