// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <system_error>
#include <utility>

#include "anycuda/linker/cache.h"
#include "compat/base/environment.h"
#include "linker/cache/store.h"
#include "linker/inputs/check.h"

namespace anycuda::linker {
namespace {

constexpr std::uint64_t kLeastBytes = 1024;

// A relative path is of the working folder at construction.
std::string absolute(const std::string& folder) {
  if (folder.empty()) return {};
  if (folder.find('\0') != std::string::npos) refuse("folder", "has a zero byte in it");
  std::error_code unknown;
  const std::filesystem::path path = std::filesystem::absolute(folder, unknown);
  return unknown ? folder : path.string();
}

CacheFolder folder_for(const std::string& given) {
  return choose_folder(absolute(given),
                       {environment_variable("ANYCUDA_CODE_CACHE"),
                        environment_variable("XDG_CACHE_HOME"), environment_variable("HOME")});
}

}  // namespace

CodeCache::CodeCache(const std::string& folder, CacheOptions options) {
  if (options.max_bytes < kLeastBytes) {
    refuse("max_bytes", "is " + std::to_string(options.max_bytes) +
                            ": the least is 1024; ANYCUDA_CODE_CACHE=off switches caches off");
  }
  store_ = std::make_unique<Store>(folder_for(folder), options.max_bytes);
}
CodeCache::~CodeCache() = default;
CodeCache::CodeCache(CodeCache&& other) noexcept = default;
CodeCache& CodeCache::operator=(CodeCache&& other) noexcept = default;

// A cache that was moved from is not enabled.
bool CodeCache::enabled() const { return store_ != nullptr && store_->enabled(); }

const std::string& CodeCache::folder() const {
  static const auto* const none = new std::string;
  return store_ != nullptr ? store_->folder() : *none;
}

CacheCounts CodeCache::counts() const {
  return store_ != nullptr ? store_->counts() : CacheCounts();
}

std::string CodeCache::problem() const { return store_ != nullptr ? store_->problem() : ""; }

void CodeCache::clear() {
  if (store_ != nullptr) store_->clear();
}

}  // namespace anycuda::linker
