// SPDX-License-Identifier: Apache-2.0

// The machine's oldest GPU, as the kernel's files tell it: no library is opened, and no GPU wakes.
#pragma once

namespace anycuda {

// The lowest compute capability that one of the driver's GPUs may have, 75 for 7.5: the number of
// its PCI device tells whether it is older. 0: not known. `root`: as Machine::root.
//
// Sources: the driver's folder /proc/driver/nvidia/gpus has an entry for each of its GPUs, named by
// its place on the bus; the file `device` of that place in /sys has its number (kernel
// documentation, "sysfs-bus-pci"); the PCI ID database: NVIDIA's GPUs before Turing (7.5) have
// numbers below 0x1e00, and all later ones have higher numbers.
int oldest_gpu_below(const char* root);

}  // namespace anycuda
