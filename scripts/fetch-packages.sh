#!/bin/sh
# Downloads Debian packages with everything they depend on and unpacks them into one folder: a root tree to boot.
# Usage: fetch-packages.sh ARCHITECTURE FOLDER PACKAGE...   (armhf, arm64, amd64, ...)
# The sources are this machine's own; its apt and dpkg stay as they are, and nothing of the packages is run. Needs no
# root: owners and device nodes come from the system file. Recommended packages are left out. A second call does nothing.
# Leaves the tree in FOLDER, and its packages with their versions in FOLDER.packages.
set -eu
arch=$1 folder=$2
shift 2
list=${folder%/}.packages
# The list's first line says what was asked for.
[ "$(head -n 1 "$list" 2>/dev/null)" = "# $arch $*" ] && exit 0
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
mkdir -p "$state/lists/partial" "$state/archives/partial"
: > "$state/status"
apt() {
    apt-get -o "Dir::State=$state" -o "Dir::State::status=$state/status" -o "Dir::State::lists=$state/lists" \
        -o "Dir::Cache=$state" -o "Dir::Cache::archives=$state/archives" -o "APT::Architecture=$arch" \
        -o "APT::Architectures=$arch" -o Acquire::Languages=none -o APT::Sandbox::User= -o Debug::NoLocking=1 "$@"
}
# A source that has nothing for that architecture, or is just being renewed, must not spoil the others.
apt update -qq 2>"$state/words" || sed 's/^/fetch-packages.sh: /' "$state/words" >&2
echo "downloading $* ($arch) with what they depend on"
apt install -qq --yes --download-only --no-install-recommends "$@" >"$state/words" 2>&1 || {
    tail -n 20 "$state/words" >&2
    exit 3
}
rm -rf "$folder.new"
mkdir -p "$folder.new"
echo "# $arch $*" > "$state/list"
for package in "$state"/archives/*.deb; do
    # dpkg -x would follow no link of the tree that is there, and needs none: every file keeps its package's own path.
    dpkg -x "$package" "$folder.new"
    dpkg-deb --show --showformat='${Package} ${Version} ${Installed-Size}\n' "$package" >> "$state/list"
done
rm -rf "$folder"
mv "$folder.new" "$folder"
mv "$state/list" "$list"
echo "packages: $(($(wc -l < "$list") - 1)) in $folder, $(du -sm "$folder" | cut -f1) MiB"
