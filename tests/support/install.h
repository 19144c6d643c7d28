// SPDX-License-Identifier: Apache-2.0

// How installers lay out CUDA's files: what pip and NVIDIA's installer do with an artifact's files.
#pragma once

#include <filesystem>

namespace anycuda::test {

// `from` at `to`: a hard link where the file system can, else a copy. Not a symbolic link: wheels
// and toolkits hold files, and the loader follows links.
void place_file(const std::filesystem::path& from, const std::filesystem::path& to);

// The files below `folder` become this user's own: those that another user's cache lent by a second
// name are copied. For tests of file modes.
void own_files(const std::filesystem::path& folder);

void place_link(const std::filesystem::path& at, const std::filesystem::path& target);

// An unpacked wheel as pip leaves it below site-packages, with its metadata; of the headers only
// cuda.h.
void install_wheel(const std::filesystem::path& artifact,
                   const std::filesystem::path& site_packages);

// The wheel's cuda.h, for a toolkit's folder of headers.
void install_cuda_header(const std::filesystem::path& artifact,
                         const std::filesystem::path& include);

// The libraries of an unpacked wheel under the names of NVIDIA's installers:
// libcudart.so -> libcudart.so.12 -> libcudart.so.12.9.79
void install_chain(const std::filesystem::path& artifact, const std::filesystem::path& folder);

// The libraries in a folder without subfolders, with the links among them.
void install_flat(const std::filesystem::path& artifact, const std::filesystem::path& folder);

}  // namespace anycuda::test
