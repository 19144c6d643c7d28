// SPDX-License-Identifier: Apache-2.0

// Folders of libraries below the system's root.
// (Arrays of letters: pointers would be one relocation each whenever a program starts.)
#pragma once

namespace anycuda {

#if defined(__x86_64__)
#define ANYCUDA_MULTIARCH "usr/lib/x86_64-linux-gnu"
constexpr char kTarget[] = "targets/x86_64-linux/lib";  // below a toolkit
#else
#define ANYCUDA_MULTIARCH "usr/lib/aarch64-linux-gnu"
constexpr char kTarget[] = "targets/sbsa-linux/lib";
#endif
#define ANYCUDA_DRIVER_CONTAINER "run/nvidia/driver/" ANYCUDA_MULTIARCH

// Where a host puts its driver into a guest or a container: they come before the distribution's.
constexpr char kHostsDriver[][24] = {
    "usr/lib/wsl/lib",         // WSL 2
    ".singularity.d/libs",     // Apptainer, --nv
    "usr/local/nvidia/lib64",  // containers of Google Kubernetes Engine and others
    "usr/local/nvidia/lib",
    "run/opengl-driver/lib",  // NixOS
};
constexpr char kShared[][32] = {ANYCUDA_MULTIARCH, "usr/lib64", "usr/lib"};
// Where the driver is without ld.so.cache naming it.
constexpr char kOtherDriver[][48] = {
    ANYCUDA_MULTIARCH "/nvidia/current",  // Debian's alternatives
    "usr/lib/nvidia/current",
    ANYCUDA_MULTIARCH "/tegra",  // Jetson
    ANYCUDA_MULTIARCH "/nvidia",
    ANYCUDA_DRIVER_CONTAINER,  // the GPU Operator's driver container
    "run/nvidia/driver/usr/lib64",
    "usr/local/cuda/compat",  // forward compatibility: NVIDIA's package cuda-compat
};

}  // namespace anycuda
