# SPDX-License-Identifier: GPL-2.0-only
# What the x86_64 machine of tests/vm/lib/qemu.sh is made of.
CONFIG_Q35=y
CONFIG_HPET=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_SERIAL=y
