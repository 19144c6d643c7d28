// SPDX-License-Identifier: Apache-2.0
#include "linker/cache/problem.h"

#include <system_error>

namespace anycuda::linker {
namespace {

const char* sentence(Problem problem) {
  switch (problem) {
    case Problem::none:
      return "";
    case Problem::switched_off:
      return "the cache is off: ANYCUDA_CODE_CACHE is off";
    case Problem::wrong_variable:
      return "the cache is off: ANYCUDA_CODE_CACHE is invalid, set it to off or to an absolute "
             "path";
    case Problem::no_folder:
      return "the cache is off: neither XDG_CACHE_HOME nor HOME is an absolute path, set "
             "ANYCUDA_CODE_CACHE";
    case Problem::reads_files:
      return "not cached: the source may include files from disk; pass the headers in memory, or "
             "pass compile() a text that changes with these files";
    case Problem::unknown_option:
      return "not cached: an option of the Program writes files, or is not known to "
             "have no effect beside the result";
    case Problem::time_macro:
      return "not cached: the source contains __DATE__ or __TIME__";
    case Problem::timing:
      return "not cached: the log has the times of the link (Options::time)";
    case Problem::index_input:
      return "not cached: an index lists other files";
    case Problem::unread_file:
      return "not cached: an input file is larger than 1 GiB or cannot be read";
    case Problem::changed:
      return "not cached: an input or a library changed meanwhile";
    case Problem::unknown_device:
      return "not cached: the architecture of the current device cannot be queried; set arch";
    case Problem::too_large:
      return "not cached: the result with its inputs is too large for CacheOptions::max_bytes or "
             "for the process's limit of file sizes";
    case Problem::open_folder:
      return "the cache's folder cannot be opened or created";
    case Problem::untrusted_folder:
      return "the cache's folder is not used: it belongs to another user, or others may write into "
             "it; run chmod 700 on it, or use another folder";
    case Problem::write_entry:
      return "an entry cannot be written";
  }
  return "";
}

}  // namespace

std::string describe(Problem problem, int error) {
  std::string text = sentence(problem);
  if (error != 0) text += ": " + std::generic_category().message(error);
  return text;
}

}  // namespace anycuda::linker
