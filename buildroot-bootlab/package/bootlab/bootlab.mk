# SPDX-License-Identifier: MIT
################################################################################
#
# bootlab
#
################################################################################

# Nothing is fetched, built or installed: the options are what post-image.sh reads.
BOOTLAB_SOURCE =
BOOTLAB_LICENSE = MIT

$(eval $(generic-package))
