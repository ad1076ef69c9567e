# SPDX-License-Identifier: GPL-2.0-only
# What the arm64 machine of tests/vm/lib/qemu.sh is made of.
CONFIG_ARM_VIRT=y
CONFIG_ARM_GICV3_TCG=y
CONFIG_VIRTIO_SERIAL=y
# QEMU 7.2 does not link without it.
CONFIG_ARM_V7M=y
