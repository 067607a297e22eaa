# SPDX-License-Identifier: MIT
# An apt of its own in a temporary folder: the machine's apt and dpkg stay as they are. To be sourced (set -eu is the caller's),
# with ARCHITECTURE and SUITE as arguments. Defines apt_private and apt_private_cache, leaves the folder's name in $apt_state and
# removes it at the end. The sources are this machine's own; with a SUITE (trixie, bookworm-backports, sid) they are that
# suite of the same archive, and its release beside it: a backports suite lacks what it shares with its release.
apt_arch=$1 apt_suite=$2
apt_state=$(mktemp -d)
trap 'rm -rf "$apt_state"' EXIT
mkdir -p "$apt_state/lists/partial" "$apt_state/archives/partial"
: > "$apt_state/status"
apt_suite_options=""
apt_private_options() {
    echo "-o Dir::State=$apt_state -o Dir::State::status=$apt_state/status -o Dir::State::lists=$apt_state/lists" \
        "-o Dir::Cache=$apt_state -o Dir::Cache::archives=$apt_state/archives -o APT::Architecture=$apt_arch" \
        "-o APT::Architectures=$apt_arch -o Acquire::Languages=none -o APT::Sandbox::User= -o Debug::NoLocking=1" \
        "$apt_suite_options"
}
# shellcheck disable=SC2046  # a list of words
apt_private() { apt-get $(apt_private_options) "$@"; }
# shellcheck disable=SC2046
apt_private_cache() { apt-cache $(apt_private_options) "$@"; }
if [ -n "$apt_suite" ]; then
    apt-get indextargets --format '$(REPO_URI) $(COMPONENT) $(CREATED_BY) $(ORIGIN) $(RELEASE)' | sort -u |
        awk -v key=/usr/share/keyrings/debian-archive-keyring.gpg -v suite="$apt_suite" -v release="${apt_suite%-backports}" '
            $2 != "main" || $3 != "Packages" || $4 != "Debian" || $5 ~ /-/ { next }
            { print "deb [signed-by=" key "]", $1, suite, "main"
              if (release != suite) print "deb [signed-by=" key "]", $1, release, "main" }' | sort -u > "$apt_state/sources.list"
    [ -s "$apt_state/sources.list" ] || {
        echo "$0: apt on this machine knows no archive of Debian's; see apt-get indextargets" >&2; exit 3; }
    apt_suite_options="-o Dir::Etc::sourcelist=$apt_state/sources.list -o Dir::Etc::sourceparts=/dev/null -o APT::Default-Release=$apt_suite"
fi
# A source that has nothing for that architecture, or is just being renewed, must not spoil the others.
apt_private update -qq 2>"$apt_state/words" || sed "s#^#$0: #" "$apt_state/words" >&2
