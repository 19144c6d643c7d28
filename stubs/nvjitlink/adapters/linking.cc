// SPDX-License-Identifier: Apache-2.0

// Links of a program built for CUDA 12 by a linker of 13, which would take LTO-IR of 12 as if it
// were LTO-IR of 13. LTO-IR is only promised to work within a major, so it is refused; PTX, CUBIN
// and LTO-IR of 13 (from an NVRTC of 13 in this process) are forwarded.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "device_code/rules/lto_ir.h"
#include "nvjitlink_adapters.h"

namespace anycuda {
namespace {

// The links without LTO, which ignore LTO-IR: a fatbin may hold some beside its machine code. A
// link that does not fit into this table, or that was created by another function, counts as one
// with LTO.
constexpr int kPlaces = 64;
std::atomic<v12::nvJitLinkHandle> without_lto[kPlaces];

bool exchange(v12::nvJitLinkHandle before, v12::nvJitLinkHandle after) {
  for (auto& place : without_lto) {
    v12::nvJitLinkHandle expected = before;
    if (place.compare_exchange_strong(expected, after)) return true;
  }
  return false;
}

bool has_lto(v12::nvJitLinkHandle link) {
  for (const auto& place : without_lto) {
    if (place.load() == link) return false;
  }
  return true;
}

// The linker compares the beginnings of options.
bool is_lto(const char* option) {
  return option != nullptr &&
         (std::strncmp(option, "-lto", 4) == 0 || std::strncmp(option, "-dlto", 5) == 0);
}

v12::nvJitLinkResult refuse_lto_ir(const char* function) {
  return refuse(v12::NVJITLINK_ERROR_INTERNAL, function,
                "its input has LTO-IR of CUDA 12, which NVIDIA supports only within CUDA 12: "
                "install nvJitLink 12, or pass PTX or CUBIN");
}

bool may_hold_lto_ir(v12::nvJitLinkHandle link, v12::nvJitLinkInputType type) {
  return type != v12::NVJITLINK_INPUT_PTX && type != v12::NVJITLINK_INPUT_CUBIN && has_lto(link);
}

// The linker reports input that cannot be read.
bool file_has_lto_ir(const char* name) {
  const KeepErrno errno_scope;
  const int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  struct stat status;
  bool found = false;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    auto* content = static_cast<char*>(std::malloc(size));
    std::size_t have = 0;
    while (content != nullptr && have < size) {
      const ssize_t got = read(file, content + have, size - have);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      have += static_cast<std::size_t>(got);
    }
    found = content == nullptr || has_lto_ir_before_13(content, have);  // no memory: nothing silent
    std::free(content);
  }
  close(file);
  return found;
}

}  // namespace

ANYCUDA_ADAPTER v12::nvJitLinkResult adapt_link_create(v12::nvJitLinkHandle* link,
                                                       v12::uint32_t count, const char** options) {
  bool lto = false;
  for (v12::uint32_t i = 0; options != nullptr && i < count; ++i) lto = lto || is_lto(options[i]);
  const v12::nvJitLinkResult result = v13::nvJitLinkCreate(link, count, options);
  if (result != v12::NVJITLINK_SUCCESS) return result;
  exchange(*link, nullptr);  // of a link whose destruction the stub did not see
  if (!lto) exchange(nullptr, *link);
  return result;
}

// Forgotten first: as soon as it is destroyed another link may get its handle.
ANYCUDA_ADAPTER v12::nvJitLinkResult adapt_link_destroy(v12::nvJitLinkHandle* link) {
  if (link != nullptr && *link != nullptr) exchange(*link, nullptr);
  return v13::nvJitLinkDestroy(link);
}

ANYCUDA_ADAPTER v12::nvJitLinkResult adapt_link_add_data(v12::nvJitLinkHandle link,
                                                         v12::nvJitLinkInputType type,
                                                         const void* data, std::size_t size,
                                                         const char* name) {
  if (may_hold_lto_ir(link, type) && data != nullptr && has_lto_ir_before_13(data, size)) {
    return refuse_lto_ir("nvJitLinkAddData");
  }
  return v13::nvJitLinkAddData(link, type, data, size, name);
}

// The stub does not know the files that an index names.
ANYCUDA_ADAPTER v12::nvJitLinkResult adapt_link_add_file(v12::nvJitLinkHandle link,
                                                         v12::nvJitLinkInputType type,
                                                         const char* name) {
  if (may_hold_lto_ir(link, type) && name != nullptr &&
      (type == v12::NVJITLINK_INPUT_INDEX || file_has_lto_ir(name))) {
    return refuse_lto_ir("nvJitLinkAddFile");
  }
  return v13::nvJitLinkAddFile(link, type, name);
}

}  // namespace anycuda
