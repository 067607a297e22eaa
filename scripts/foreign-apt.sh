#!/bin/sh
# Downloads a Debian package of another architecture and unpacks it; the machine's own apt and dpkg stay as they are.
# Usage: foreign-apt.sh ARCHITECTURE PACKAGE FOLDER   (armhf, arm64; PACKAGE may be a meta package of kernels)
# The sources are this machine's own. Leaves the unpacked tree in FOLDER.
set -eu
arch=$1 package=$2 folder=$3
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
mkdir -p "$state/lists/partial" "$state/archives/partial"
: > "$state/status"
set -- -o "Dir::State=$state" -o "Dir::State::status=$state/status" -o "Dir::State::lists=$state/lists" \
    -o "Dir::Cache=$state" -o "Dir::Cache::archives=$state/archives" -o "APT::Architecture=$arch" \
    -o "APT::Architectures=$arch" -o Acquire::Languages=none -o APT::Sandbox::User=
# A source that has nothing for that architecture, or is just being renewed, must not spoil the others.
apt-get "$@" update -qq 2>"$state/words" || sed 's/^/foreign-apt.sh: /' "$state/words" >&2
# A meta package such as linux-image-arm64 names the real one.
real=$(apt-cache "$@" depends --important "$package" 2>/dev/null | awk '/Depends: linux-image-[0-9]/{print $2; exit}')
cd "$state"
echo "downloading ${real:-$package} ($arch)"
apt-get "$@" download -qq "${real:-$package}" 2>/dev/null || apt-get "$@" download "${real:-$package}"
dpkg -x ./*.deb "$folder"
