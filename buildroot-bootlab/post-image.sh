#!/bin/sh
# SPDX-License-Identifier: MIT
# The last of Buildroot's post-image scripts: describe the images, and on request boot and judge them.
# Buildroot sets BINARIES_DIR, BASE_DIR and BR2_CONFIG. The options stand in .config (package/bootlab/Config.in).
# It leaves images/bootlab: system.toml, report.html, gate.xml, gate.md.
set -eu
: "${BINARIES_DIR:?Buildroot sets it}" "${BASE_DIR:?Buildroot sets it}" "${BR2_CONFIG:?Buildroot sets it}"

option() { sed -n "s/^BR2_PACKAGE_BOOTLAB$1=//p" "$BR2_CONFIG" | sed 's/^"\(.*\)"$/\1/'; }

[ "$(option "")" = y ] || exit 0
bootlab=${BOOTLAB:-bootlab}
if ! command -v "$bootlab" > /dev/null; then
    echo "bootlab is not in PATH: pip install bootlab, or set BOOTLAB to its path" >&2
    exit 1
fi
out=$BINARIES_DIR/bootlab
mkdir -p "$out"

sources=$(option _FROM)
set --
for source in ${sources:-"$BASE_DIR"}; do set -- "$@" --from "$source"; done
"$bootlab" new "$out/system.toml" --force "$@"
[ "$(option _BOOT)" = y ] || exit 0

budgets=$(option _BUDGET) base=$(option _AGAINST)
set -- "$out/system.toml" --store "$BASE_DIR/bootlab"
if [ -z "$budgets$base" ]; then
    # shellcheck disable=SC2046 # words
    "$bootlab" boot "$@" $(option _ARGUMENTS)
    exec "$bootlab" report last --store "$BASE_DIR/bootlab" --html "$out/report.html"
fi
for budget in $budgets; do set -- "$@" --budget "$budget"; done
[ -z "$base" ] || set -- "$@" --against "$base"
code=0
# shellcheck disable=SC2046 # words
"$bootlab" gate "$@" --html "$out/report.html" --junit "$out/gate.xml" --markdown "$out/gate.md" \
    $(option _ARGUMENTS) || code=$?
case $code in
    0) ;;
    11) echo "the boot is over budget, slower than its base, or does not work: $out/gate.md" >&2; exit 1 ;;
    14) echo "WARNING: bootlab cannot tell whether the boot keeps its budgets: $out/gate.md" >&2 ;;
    *) echo "bootlab ended with $code before there was an answer" >&2; exit "$code" ;;
esac
