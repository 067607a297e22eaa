#!/bin/sh
# SPDX-License-Identifier: MIT
# A gate of the boot time, as every CI runs it. What is asked for stands in the environment:
#   BOOTLAB_SYSTEM    the system file (default system.toml)
#   BOOTLAB_FROM      instead: an image, a kernel, a build folder (words) that is described first
#   BOOTLAB_RUN       instead: a command that tells a boot (ssh vm systemd-analyze)
#   BOOTLAB_AGAINST   the base: git:BRANCH, a system file, history
#   BOOTLAB_BUILD     the command that builds the base in its checkout
#   BOOTLAB_BUDGET    budgets, one a line
#   BOOTLAB_ARGUMENTS more words for `bootlab gate`
#   BOOTLAB_INSTALL   what pip installs where there is no bootlab; BOOTLAB_PACKAGES: what apt-get installs
#   BOOTLAB_FORGE     github, gitlab, lava, or empty; BOOTLAB_COMMENT=true: comment on the request of this job
#   BOOTLAB_KCIDB     the name of your CI system in KCIDB: a report for KernelCI is written, kcidb.json
#   BOOTLAB_REVISION  the commit that is booted, for that report
#   BOOTLAB_REPORT_URL  where the files of boot-time/ can be seen
# It leaves boot-time/ (report.html, comment.md, badge.svg, gate.xml) and ends with the code of the gate.
set -eu

out=boot-time
mkdir -p "$out"

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

if [ -n "${BOOTLAB_PACKAGES:-}" ] && command -v apt-get > /dev/null; then
    missing=
    for package in $BOOTLAB_PACKAGES; do
        dpkg -s "$package" > /dev/null 2>&1 || missing="$missing $package"
    done
    if [ -n "$missing" ]; then
        as_root apt-get update -q
        # shellcheck disable=SC2086 # words
        as_root apt-get install -q -y --no-install-recommends $missing
    fi
fi
if ! command -v bootlab > /dev/null && [ -n "${BOOTLAB_INSTALL:-}" ]; then
    python3 -m venv .bootlab-venv
    # shellcheck disable=SC2086 # words
    .bootlab-venv/bin/pip install -q $BOOTLAB_INSTALL
    PATH="$PWD/.bootlab-venv/bin:$PATH"
fi

system=${BOOTLAB_SYSTEM:-system.toml}
if [ -n "${BOOTLAB_FROM:-}" ]; then
    system=.bootlab-ci/system.toml
    mkdir -p .bootlab-ci
    set --
    for source in $BOOTLAB_FROM; do set -- "$@" --from "$source"; done
    bootlab new "$system" --force "$@"
fi

if [ -n "${BOOTLAB_RUN:-}" ]; then set -- --run "$BOOTLAB_RUN"; else set -- "$system"; fi
[ -z "${BOOTLAB_AGAINST:-}" ] || set -- "$@" --against "$BOOTLAB_AGAINST"
[ -z "${BOOTLAB_BUILD:-}" ] || set -- "$@" --build "$BOOTLAB_BUILD"
newline='
'
old_ifs=$IFS
IFS=$newline
for budget in ${BOOTLAB_BUDGET:-}; do set -- "$@" --budget "$budget"; done
IFS=$old_ifs
[ -z "${BOOTLAB_FORGE:-}" ] || set -- "$@" --annotate "$BOOTLAB_FORGE"
[ "${BOOTLAB_COMMENT:-}" != true ] || [ -z "${BOOTLAB_FORGE:-}" ] || set -- "$@" --comment "$BOOTLAB_FORGE"
[ -z "${BOOTLAB_REPORT_URL:-}" ] || set -- "$@" --report-url "$BOOTLAB_REPORT_URL"
[ -z "${BOOTLAB_KCIDB:-}" ] || set -- "$@" --kcidb "$out/kcidb.json" --kcidb-origin "$BOOTLAB_KCIDB"
[ -z "${BOOTLAB_REVISION:-}" ] || set -- "$@" --revision "$BOOTLAB_REVISION"

code=0
# shellcheck disable=SC2086 # words
bootlab gate "$@" --html "$out/report.html" --markdown "$out/comment.md" --badge "$out/badge.svg" \
    --junit "$out/gate.xml" ${BOOTLAB_ARGUMENTS:-} || code=$?
case $code in
    0) answer=passed ;;
    11) answer=failed ;;
    14) answer=undecided ;;
    *) answer=error ;;
esac
[ -z "${GITHUB_OUTPUT:-}" ] || echo "answer=$answer" >> "$GITHUB_OUTPUT"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || [ ! -f "$out/comment.md" ] || cat "$out/comment.md" >> "$GITHUB_STEP_SUMMARY"
exit "$code"
