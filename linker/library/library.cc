// SPDX-License-Identifier: Apache-2.0
#include "anycuda/linker/library.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "api/cuda_api.h"
#include "linker/base/message_text.h"
#include "linker/inputs/check.h"
#include "linker/library/driver_calls.h"

namespace anycuda {
namespace {

using linker::InputType;
using linker::need_function;
using linker::quoted;

constexpr std::size_t kLogBytes = std::size_t{16} << 10;

// The driver may compile PTX only when it is first used in a context. Its documentation does not
// say whether it writes to the log then, so the memory for it lives as long as the library.
class JitLog {
 public:
  static constexpr unsigned kCount = 2;
  unsigned* keys() { return keys_.data(); }
  void** values() { return values_.data(); }
  std::string text() const { return {bytes_.data(), strnlen(bytes_.data(), bytes_.size() - 1)}; }

 private:
  std::array<char, kLogBytes> bytes_ = {};
  std::array<unsigned, kCount> keys_ = {api::CU_JIT_ERROR_LOG_BUFFER,
                                        api::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, kCount> values_ = {bytes_.data(), reinterpret_cast<void*>(kLogBytes - 1)};
};

}  // namespace

struct Library::State {
  State() = default;
  ~State() {
    if (library != nullptr) api::cuLibraryUnload(library);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::string about() const { return "of " + quoted(name); }
  // The name in the code.
  const std::string& lowered(const std::string& wanted) const {
    const auto found = lowered_names.find(wanted);
    return found != lowered_names.end() ? found->second : wanted;
  }
  using GetVariable = unsigned (*)(unsigned long long*, std::size_t*, CUlib_st*, const char*);
  linker::Variable variable(const std::string& wanted, GetVariable get,
                            const char* function) const {
    linker::Variable found;
    const std::string& name_in_code = lowered(wanted);
    linker::require(get(&found.address, &found.bytes, library, name_in_code.c_str()), function,
                    "for " + quoted(name_in_code) + " " + about(), log.text());
    return found;
  }

  std::string name;
  std::map<std::string, std::string> lowered_names;
  JitLog log;
  CUlib_st* library = nullptr;
};

namespace {

const linker::Item& loadable(const linker::Item& item) {
  if (item.type == InputType::ptx || item.type == InputType::cubin ||
      item.type == InputType::fatbin) {
    return item;
  }
  throw linker::InputError("the input " + quoted(item.name) + " (" + linker::name_of(item.type) +
                               ") cannot be loaded: a library is PTX, a CUBIN or a fatbin; make a "
                               "CUBIN of it with a Linker",
                           item.name);
}

template <typename State>
const State& existing(const std::shared_ptr<const State>& state) {
  if (state != nullptr) return *state;
  throw linker::DriverError("the Library is empty: call Library::load first",
                            api::CUDA_ERROR_INVALID_HANDLE);
}

std::string listed(std::vector<std::string> names) {
  constexpr std::size_t kMost = 20;
  if (names.empty()) return "none";
  const std::size_t more = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - more);
  return linker::in_one_line(linker::joined(names, ", ")) +
         (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

// "; its kernels are: a, b", or "" if the driver does not list them.
std::string kernels_of(const Library& library) {
  try {
    return "; its kernels are: " + listed(library.kernel_names());
  } catch (const linker::Error&) {
    return "";
  }
}

}  // namespace

Library Library::load(const linker::Input& input) {
  const std::vector<linker::Item> items = linker::checked({input});
  const linker::Item& item = loadable(items.front());
  need_function("cuLibraryLoadData");
  auto state = std::make_shared<State>();
  state->name = item.name;
  state->lowered_names = item.input.lowered_names();
  JitLog& log = state->log;
  CUlib_st* library = nullptr;
  const bool file = item.input.is_file();
  const unsigned result =
      file ? api::cuLibraryLoadFromFile(&library, item.name.c_str(), log.keys(), log.values(),
                                        JitLog::kCount, nullptr, nullptr, 0)
           : api::cuLibraryLoadData(&library, item.input.content().c_str(), log.keys(),
                                    log.values(), JitLog::kCount, nullptr, nullptr, 0);
  linker::require(result, file ? "cuLibraryLoadFromFile" : "cuLibraryLoadData", state->about(),
                  log.text());
  state->library = library;
  Library loaded;
  loaded.state_ = std::move(state);
  loaded.owner_ = loaded.state_;
  return loaded;
}

CUlib_st* Library::handle() const { return state_ != nullptr ? state_->library : nullptr; }

const std::string& Library::name() const {
  static const auto* const none = new std::string;
  return state_ != nullptr ? state_->name : *none;
}

Kernel Library::kernel(const std::string& name) const {
  const State& state = existing(state_);
  const std::string& lowered = state.lowered(name);
  CUkern_st* kernel = nullptr;
  const unsigned result = api::cuLibraryGetKernel(&kernel, state.library, lowered.c_str());
  if (result == api::CUDA_ERROR_NOT_FOUND) {
    throw linker::DriverError("the library " + quoted(state.name) + " has no kernel " +
                                  quoted(lowered) + kernels_of(*this),
                              static_cast<int>(result));
  }
  linker::require(result, "cuLibraryGetKernel", "for " + quoted(lowered) + " " + state.about(),
                  state.log.text());
  return Kernel::wrap(kernel, owner_, lowered);
}

std::vector<std::string> Library::kernel_names() const {
  const State& state = existing(state_);
  need_function("cuLibraryEnumerateKernels");
  unsigned count = 0;
  linker::require(api::cuLibraryGetKernelCount(&count, state.library), "cuLibraryGetKernelCount",
                  state.about(), state.log.text());
  std::vector<CUkern_st*> kernels(count);
  std::vector<std::string> names;
  if (count == 0) return names;
  linker::require(api::cuLibraryEnumerateKernels(kernels.data(), count, state.library),
                  "cuLibraryEnumerateKernels", state.about(), state.log.text());
  for (CUkern_st* kernel : kernels) {
    const char* name = nullptr;
    linker::require(api::cuKernelGetName(&name, kernel), "cuKernelGetName", state.about());
    names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

linker::Variable Library::global(const std::string& name) const {
  return existing(state_).variable(name, api::cuLibraryGetGlobal, "cuLibraryGetGlobal");
}

linker::Variable Library::managed(const std::string& name) const {
  return existing(state_).variable(name, api::cuLibraryGetManaged, "cuLibraryGetManaged");
}

}  // namespace anycuda
