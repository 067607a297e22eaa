# SPDX-License-Identifier: MIT
#
# After an image is made, describe it as a system of bootlab; on request boot it in exact mode, and fail the build
# where it is over budget or slower than a base.
#
#   IMAGE_CLASSES += "bootlab"           in local.conf or a distribution
#   BOOTLAB_BOOT = "1"                   boot it, too
#   BOOTLAB_BUDGET = "total=3.2s kernel=500ms"
#   BOOTLAB_AGAINST = "/srv/release-1.0/system.toml"
#
# The file and what the boot showed lie in ${DEPLOY_DIR_IMAGE}/bootlab-IMAGE.

BOOTLAB ??= "bootlab"
BOOTLAB_BOOT ??= "0"
BOOTLAB_BUDGET ??= ""
BOOTLAB_AGAINST ??= ""
BOOTLAB_ARGUMENTS ??= ""
# What `bootlab new --from` reads, words: the deploy folder has kernel, device trees, images and qemuboot.conf. Where it
# has several images, name the files: "${DEPLOY_DIR_IMAGE}/bzImage ${DEPLOY_DIR_IMAGE}/${IMAGE_LINK_NAME}.ext4".
BOOTLAB_FROM ??= "${DEPLOY_DIR_IMAGE}"
BOOTLAB_DIR ??= "${DEPLOY_DIR_IMAGE}/bootlab-${IMAGE_BASENAME}"
BOOTLAB_STORE ??= "${TOPDIR}/bootlab"

do_bootlab[vardeps] += "BOOTLAB_BOOT BOOTLAB_BUDGET BOOTLAB_AGAINST BOOTLAB_ARGUMENTS BOOTLAB_FROM"
do_bootlab[depends] += "virtual/kernel:do_deploy"
# What is booted is a file that no signature covers, if BOOTLAB_AGAINST names one.
do_bootlab[nostamp] = "${@'1' if d.getVar('BOOTLAB_AGAINST') else ''}"

do_bootlab() {
    mkdir -p "${BOOTLAB_DIR}"
    set --
    for source in ${BOOTLAB_FROM}; do
        set -- "$@" --from "$source"
    done
    ${BOOTLAB} new "${BOOTLAB_DIR}/system.toml" --force "$@"
    if [ "${BOOTLAB_BOOT}" != "1" ]; then
        return 0
    fi
    set -- "${BOOTLAB_DIR}/system.toml" --store "${BOOTLAB_STORE}"
    if [ -z "${BOOTLAB_BUDGET}${BOOTLAB_AGAINST}" ]; then
        ${BOOTLAB} boot "$@" ${BOOTLAB_ARGUMENTS}
        ${BOOTLAB} report last --store "${BOOTLAB_STORE}" --html "${BOOTLAB_DIR}/report.html"
        return 0
    fi
    for budget in ${BOOTLAB_BUDGET}; do
        set -- "$@" --budget "$budget"
    done
    if [ -n "${BOOTLAB_AGAINST}" ]; then
        set -- "$@" --against "${BOOTLAB_AGAINST}"
    fi
    code=0
    ${BOOTLAB} gate "$@" --html "${BOOTLAB_DIR}/report.html" --junit "${BOOTLAB_DIR}/gate.xml" \
        --markdown "${BOOTLAB_DIR}/gate.md" ${BOOTLAB_ARGUMENTS} || code=$?
    if [ "$code" = 11 ]; then
        bbfatal "the boot is over budget, slower than its base, or does not work: ${BOOTLAB_DIR}/gate.md"
    elif [ "$code" = 14 ]; then
        bbwarn "bootlab cannot tell whether the boot keeps its budgets: ${BOOTLAB_DIR}/gate.md"
    elif [ "$code" != 0 ]; then
        bbfatal "bootlab ended with $code before there was an answer"
    fi
}

addtask bootlab after do_image_complete before do_build
