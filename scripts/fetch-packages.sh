#!/bin/sh
# Downloads Debian packages with everything they depend on and unpacks them into one folder: a root tree to boot.
# Usage: fetch-packages.sh ARCHITECTURE FOLDER PACKAGE...   (armhf, arm64, amd64, ...)
# The sources are this machine's own; its apt and dpkg stay as they are, and nothing of the packages is run. Needs no
# root: owners and device nodes come from the system file. Recommended packages are left out. A second call does nothing.
# SUITE=NAME in the environment takes the packages from another suite of the same archive (trixie, bookworm-backports).
# Leaves the tree in FOLDER, and its packages with their versions in FOLDER.packages.
set -eu
arch=$1 folder=$2
shift 2
list=${folder%/}.packages
# The list's first line says what was asked for.
asked="# $arch ${SUITE:+$SUITE: }$*"
[ "$(head -n 1 "$list" 2>/dev/null)" = "$asked" ] && exit 0
state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
mkdir -p "$state/lists/partial" "$state/archives/partial"
: > "$state/status"
# shellcheck disable=SC2086  # suite_options is a list of words
apt() {
    apt-get -o "Dir::State=$state" -o "Dir::State::status=$state/status" -o "Dir::State::lists=$state/lists" \
        -o "Dir::Cache=$state" -o "Dir::Cache::archives=$state/archives" -o "APT::Architecture=$arch" \
        -o "APT::Architectures=$arch" -o Acquire::Languages=none -o APT::Sandbox::User= -o Debug::NoLocking=1 $suite_options "$@"
}
if [ -n "${SUITE:-}" ]; then
    # A backports suite lacks what it shares with its release, so the release stands beside it.
    apt-get indextargets --format '$(REPO_URI) $(COMPONENT) $(CREATED_BY) $(ORIGIN) $(RELEASE)' | sort -u |
        awk -v key=/usr/share/keyrings/debian-archive-keyring.gpg -v suite="$SUITE" -v release="${SUITE%-backports}" '
            $2 != "main" || $3 != "Packages" || $4 != "Debian" || $5 ~ /-/ { next }
            { print "deb [signed-by=" key "]", $1, suite, "main"
              if (release != suite) print "deb [signed-by=" key "]", $1, release, "main" }' | sort -u > "$state/sources.list"
    [ -s "$state/sources.list" ] || {
        echo "fetch-packages.sh: apt on this machine knows no archive of Debian's; see apt-get indextargets" >&2; exit 3; }
    suite_options="-o Dir::Etc::sourcelist=$state/sources.list -o Dir::Etc::sourceparts=/dev/null -o APT::Default-Release=$SUITE"
else
    suite_options=""
fi
# A source that has nothing for that architecture, or is just being renewed, must not spoil the others.
apt update -qq 2>"$state/words" || sed 's/^/fetch-packages.sh: /' "$state/words" >&2
echo "downloading $* ($arch) with what they depend on"
apt install -qq --yes --download-only --no-install-recommends "$@" >"$state/words" 2>&1 || {
    tail -n 20 "$state/words" >&2
    exit 3
}
rm -rf "$folder.new"
mkdir -p "$folder.new"
echo "$asked" > "$state/list"
for package in "$state"/archives/*.deb; do
    # dpkg -x would follow no link of the tree that is there, and needs none: every file keeps its package's own path.
    dpkg -x "$package" "$folder.new"
    dpkg-deb --show --showformat='${Package} ${Version} ${Installed-Size}\n' "$package" >> "$state/list"
done
rm -rf "$folder"
mv "$folder.new" "$folder"
mv "$state/list" "$list"
echo "packages: $(($(wc -l < "$list") - 1)) in $folder, $(du -sm "$folder" | cut -f1) MiB"
