# SPDX-License-Identifier: MIT
include $(sort $(wildcard $(BR2_EXTERNAL_BOOTLAB_PATH)/package/*/*.mk))
