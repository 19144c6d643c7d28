// SPDX-License-Identifier: Apache-2.0

// CUDA Driver API, "Module Management": cuLinkCreate and its like. The driver keeps pointers to the
// log buffers and to the array of option values until cuLinkDestroy has run, and writes into both;
// its documentation does not mention the array of keys, so that array lives as long.
#include <cstring>

#include "anycuda/linker/probe.h"
#include "api/cuda_api.h"
#include "linker/backends/backend.h"
#include "linker/base/message_text.h"
#include "linker/base/results.h"

namespace anycuda::linker {
namespace {

// A log buffer. The driver is given one byte less than its size, so the last byte stays zero.
class LogBuffer {
 public:
  explicit LogBuffer(std::size_t size) : bytes_(size + 1, '\0') {}
  char* data() { return bytes_.data(); }
  std::size_t size() const { return bytes_.size() - 1; }
  std::string text() const {
    std::string text(bytes_.data());
    if (text.size() + 1 < size()) return text;
    return text + "\n[cut: the log is full with " + std::to_string(size()) +
           " bytes; set a larger Options::log_bytes]";
  }

 private:
  std::vector<char> bytes_;
};

// Everything that the driver may write to until the link state is gone. The destructor's body runs
// before the members die, on every path.
class LinkState {
 public:
  LinkState(const std::vector<DriverOption>& options, std::size_t log_bytes)
      : info_(log_bytes), error_(log_bytes) {
    keys_.reserve(options.size() + 4);
    values_.reserve(options.size() + 4);
    add(api::CU_JIT_INFO_LOG_BUFFER, info_.data());
    add(api::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, reinterpret_cast<void*>(info_.size()));
    add(api::CU_JIT_ERROR_LOG_BUFFER, error_.data());
    add(api::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, reinterpret_cast<void*>(error_.size()));
    for (const DriverOption& option : options) {
      add(option.key, reinterpret_cast<void*>(option.value));
    }
  }
  ~LinkState() {
    if (state_ != nullptr) api::cuLinkDestroy(state_);
  }
  LinkState(const LinkState&) = delete;
  LinkState& operator=(const LinkState&) = delete;

  unsigned create() {
    ::CUlinkState_st* state = nullptr;
    const unsigned result = api::cuLinkCreate_v2(static_cast<unsigned>(keys_.size()), keys_.data(),
                                                 values_.data(), &state);
    if (result == api::CUDA_SUCCESS) state_ = state;
    return result;
  }
  ::CUlinkState_st* get() const { return state_; }
  Logs logs() const { return {info_.text(), error_.text()}; }

 private:
  void add(unsigned key, void* value) {
    keys_.push_back(key);
    values_.push_back(value);
  }

  LogBuffer info_;
  LogBuffer error_;
  std::vector<unsigned> keys_;
  std::vector<void*> values_;
  ::CUlinkState_st* state_ = nullptr;
};

const char* cure_of(unsigned result) {
  switch (result) {
    case api::CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return "\n  what to do: compile the PTX with an NVRTC or nvcc of the driver's CUDA or older, "
             "or install an nvJitLink of the driver's major";
    case api::CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
      return "\n  what to do: install the driver's libnvidia-ptxjitcompiler.so.1, which is missing";
    default:
      return "";
  }
}

class Link {
 public:
  Link(const std::vector<Item>& items, const std::vector<DriverOption>& options,
       std::size_t log_bytes, Logs* logs)
      : items_(items), options_(options), state_(options, log_bytes), logs_(logs) {}

  std::string run() {
    require(state_.create(), "cuLinkCreate");
    for (const Item& item : items_) add(item);
    void* cubin = nullptr;
    unsigned long size = 0;
    require(api::cuLinkComplete(state_.get(), &cubin, &size), "cuLinkComplete");
    *logs_ = state_.logs();
    // The driver's own memory, until the state is destroyed.
    std::string bytes(static_cast<const char*>(cubin), cubin != nullptr ? size : 0);
    return checked_output(std::move(bytes), Output::cubin, "cuLinkComplete", items_, option_texts(),
                          *logs_);
  }

 private:
  void require(unsigned result, const std::string& call) {
    if (result == api::CUDA_SUCCESS) return;
    *logs_ = state_.logs();
    std::string hint = hint_for_newer(items_, "the driver", probe_driver().version);
    if (hint.empty()) hint = cure_of(result);
    throw link_error({call, driver_result(result), static_cast<int>(result), std::move(hint)},
                     items_, option_texts(), *logs_);
  }

  std::vector<std::string> option_texts() const {
    std::vector<std::string> out;
    for (const DriverOption& option : options_) {
      out.push_back(std::string(option.name) + "=" + std::to_string(option.value));
    }
    return out;
  }

  void add(const Item& item) {
    const unsigned type = driver_type(item);
    if (item.input.is_file()) {
      return require(
          api::cuLinkAddFile_v2(state_.get(), type, item.name.c_str(), 0, nullptr, nullptr),
          "cuLinkAddFile of " + quoted(item.name));
    }
    const std::string& bytes = item.input.content();
    // PTX must end with a zero byte, and a std::string has one after its text. The driver does not
    // write to it.
    const bool lacks_end = item.type == InputType::ptx && bytes.back() != '\0';
    require(api::cuLinkAddData_v2(state_.get(), type, const_cast<char*>(bytes.data()),
                                  bytes.size() + (lacks_end ? 1 : 0), item.name.c_str(), 0, nullptr,
                                  nullptr),
            "cuLinkAddData of " + quoted(item.name));
  }

  const std::vector<Item>& items_;
  const std::vector<DriverOption>& options_;
  LinkState state_;
  Logs* logs_;
};

}  // namespace

std::string link_with_driver(const std::vector<Item>& items,
                             const std::vector<DriverOption>& options, std::size_t log_bytes,
                             Logs* logs) {
  return Link(items, options, log_bytes, logs).run();
}

}  // namespace anycuda::linker
