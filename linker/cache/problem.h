// SPDX-License-Identifier: Apache-2.0

// Why a result was not cached, or the cache could not be used.
#pragma once

#include <cstdint>
#include <string>

namespace anycuda::linker {

enum class Problem : std::uint32_t {
  none,
  // The cache is off.
  switched_off,
  wrong_variable,
  no_folder,
  // The result is not cacheable.
  reads_files,
  unknown_option,
  time_macro,
  timing,
  index_input,
  unread_file,
  changed,
  unknown_device,
  too_large,
  // The folder or an entry cannot be used.
  open_folder,
  untrusted_folder,
  write_entry
};

// One sentence with what to do; with the error's text if `error` is not 0. "" for `none`.
std::string describe(Problem problem, int error = 0);

}  // namespace anycuda::linker
