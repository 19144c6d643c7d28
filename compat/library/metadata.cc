// SPDX-License-Identifier: Apache-2.0
#include "anycuda/compat/metadata.h"

#include <map>

#include "compat/base/arena.h"
#include "compat/base/environment.h"
#include "compat/metadata/site_packages.h"
#include "compat/metadata/toolkit_version.h"

namespace anycuda::compat {
namespace {

// The free memory in an arena that shows that a look-up was not short of memory.
constexpr std::size_t kSpare = std::size_t{16} << 10;

ToolkitAnswer kept(const ToolkitVersion& found) {
  return {found.version, found.source, found.file, found.problem, found.package};
}

}  // namespace

// The stubs' metadata reader and its cached answers. An arena is never released in parts: when it
// is full, a new one replaces it and the folders that it has cached.
struct ToolkitMetadata::State {
  Arena arena;
  Sites sites{&arena, system_root()};
  std::map<std::string, ToolkitAnswer> answers;

  bool is_full() {
    const std::size_t mark = arena.mark();
    const bool full = arena.take(kSpare) == nullptr;
    arena.rewind(mark);
    return full;
  }
  ToolkitAnswer look_up(const std::string& path) {
    return kept(toolkit_version_of(path.c_str(), &arena, &sites));
  }
};

ToolkitMetadata::ToolkitMetadata() : state_(std::make_unique<State>()) {}
ToolkitMetadata::~ToolkitMetadata() = default;

ToolkitAnswer ToolkitMetadata::of_file(const std::string& path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = state_->answers.find(path);
  if (known != state_->answers.end()) return known->second;
  ToolkitAnswer answer = state_->look_up(path);
  if (state_->is_full()) {
    auto fresh = std::make_unique<State>();
    fresh->answers.swap(state_->answers);
    state_ = std::move(fresh);
    answer = state_->look_up(path);
  }
  return state_->answers.emplace(path, answer).first->second;
}

void ToolkitMetadata::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  state_ = std::make_unique<State>();
}

}  // namespace anycuda::compat
