#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a release ready, and publishes it when asked to. Usage: release.sh VERSION [--publish]
# Without --publish nothing leaves this machine: it checks the tree, the versions and the changelog, runs every test, builds
# the wheels and the source distribution, and lets twine and cargo check what would be uploaded. With --publish it does that,
# tags the commit and uploads: crates first, for they are immutable. A second call leaves out what is there already.
# Before it: scripts/fresh-roots.sh LOGS and `make test-qemu10` (CONTRIBUTING.md, Release).
# Needs: a clean checkout of main; for --publish what `cargo login` and twine's configuration keep.
set -eu
version=${1:-} publish=${2:-}
case "$version" in
[0-9]*.[0-9]*.[0-9]*) ;;
*) echo "usage: release.sh VERSION [--publish]" >&2; exit 2 ;;
esac
case "$publish" in "" | --publish) ;; *) echo "release.sh: what is $publish?" >&2; exit 2 ;; esac
cd "$(dirname "$0")/.."
stop() { echo "release.sh: $*" >&2; exit 1; }
crates="boottrace bootpage kernelimage kernelsource"

[ -z "$(git status --porcelain)" ] || stop "there are changes that are not committed: git status"
for file in pyproject.toml Cargo.toml; do
    grep -qx "version = \"$version\"" "$file" || stop "$file has another version: set it to $version, and commit"
done
grep -qE "^## $version \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" CHANGELOG.md ||
    stop "CHANGELOG.md has no heading '## $version (YEAR-MONTH-DAY)': name the release there, with its date"
grep -q '^## Unreleased' CHANGELOG.md && stop "CHANGELOG.md still has '## Unreleased': move its lines below $version"
tag="v$version"
if there=$(git rev-parse -q --verify "refs/tags/$tag^{commit}"); then
    [ "$there" = "$(git rev-parse HEAD)" ] || stop "tag $tag is on another commit"
fi

make check EXAMPLES=all
make docs
make test-all AFTER=check
make wheels
.venv/bin/python -m venv target/release-tools
target/release-tools/bin/pip install -q --disable-pip-version-check "twine>=6,<7"
target/release-tools/bin/twine check --strict dist/*
for crate in $crates; do cargo publish --locked --dry-run -p "$crate"; done

if [ -z "$publish" ]; then
    echo "release.sh: $version is ready in dist/; nothing was published. To publish: scripts/release.sh $version --publish"
    exit 0
fi
for crate in $crates; do
    cargo info --registry crates-io "$crate@$version" >/dev/null 2>&1 || cargo publish --locked -p "$crate"
done
target/release-tools/bin/twine upload --skip-existing dist/*
git rev-parse -q --verify "refs/tags/$tag" >/dev/null || git tag -a "$tag" -m "bootlab $version"
echo "release.sh: $version is published. Push its tag: git push origin $tag"
