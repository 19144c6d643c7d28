// SPDX-License-Identifier: Apache-2.0

// nvJitLink documentation, "Basic Usage" and "Functions".
#include <algorithm>

#include "anycuda/linker/probe.h"
#include "api/nvjitlink_api.h"
#include "device_code/rules/lto_ir.h"
#include "linker/backends/backend.h"
#include "linker/base/message_text.h"
#include "linker/base/results.h"
#include "linker/inputs/detect_type.h"
#include "linker/inputs/file_head.h"

namespace anycuda::linker {
namespace {

using SizeFunction = unsigned (*)(::nvJitLink*, unsigned long*);

class Handle {
 public:
  Handle() = default;
  ~Handle() {
    if (handle_ != nullptr) api::nvJitLinkDestroy(&handle_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  // After a failed creation the handle must not be destroyed.
  unsigned create(const std::vector<std::string>& options) {
    std::vector<const char*> texts;
    texts.reserve(options.size());
    for (const std::string& option : options) texts.push_back(option.c_str());
    ::nvJitLink* handle = nullptr;
    const unsigned result =
        api::nvJitLinkCreate(&handle, static_cast<unsigned>(texts.size()), texts.data());
    if (result == api::NVJITLINK_SUCCESS) handle_ = handle;
    return result;
  }
  ::nvJitLink* get() const { return handle_; }

 private:
  ::nvJitLink* handle_ = nullptr;
};

template <typename Get>
std::string log_of(::nvJitLink* handle, SizeFunction size_of, Get get) {
  unsigned long size = 0;
  if (size_of(handle, &size) != api::NVJITLINK_SUCCESS || size == 0) return {};
  std::string text(size + 1, '\0');
  if (get(handle, text.data()) != api::NVJITLINK_SUCCESS) return {};
  text.resize(text.find('\0'));
  return text;
}

// nvJitLink 13 takes it as if it were its own.
bool has_lto_ir_of_12(const Item& item) {
  if (!item.input.is_file()) {
    return has_lto_ir_before_13(item.input.content().data(), item.input.content().size());
  }
  const FileHead head = read_head(item.name.c_str(), kWhole);
  return has_lto_ir_before_13(head.bytes.data(), head.bytes.size());
}

void refuse_lto_ir_of_12(const Item& item, Version version) {
  if (version.major < 13 || !has_lto_ir_of_12(item)) return;
  throw InputError("the input " + quoted(item.name) + " (" + name_of(item.type) +
                       ") holds LTO-IR made by CUDA 12, and nvJitLink is " + describe(version) +
                       ": NVIDIA supports LTO-IR only within a major; compile it with an NVRTC or "
                       "nvcc of CUDA " +
                       std::to_string(version.major) + ", or install nvJitLink 12",
                   item.name);
}

bool is_lto(const std::vector<std::string>& options) {
  return std::find(options.begin(), options.end(), "-lto") != options.end();
}

class Link {
 public:
  Link(const std::vector<Item>& items, std::vector<std::string> options, Version version,
       Logs* logs)
      : items_(items), options_(std::move(options)), version_(version), logs_(logs) {}

  std::string run(Output output) {
    require(handle_.create(options_), "nvJitLinkCreate");
    for (const Item& item : items_) add(item);
    require(api::nvJitLinkComplete(handle_.get()), "nvJitLinkComplete");
    keep_logs();
    return checked_output(output_of(output), output, "nvJitLinkComplete", items_, options_, *logs_);
  }

 private:
  void keep_logs() {
    if (handle_.get() == nullptr) return;
    logs_->error = log_of(handle_.get(), api::nvJitLinkGetErrorLogSize, api::nvJitLinkGetErrorLog);
    logs_->info = log_of(handle_.get(), api::nvJitLinkGetInfoLogSize, api::nvJitLinkGetInfoLog);
  }

  void require(unsigned result, const std::string& call) {
    if (result == api::NVJITLINK_SUCCESS) return;
    keep_logs();
    throw link_error({call + " (nvJitLink " + describe(version_) + ")", nvjitlink_result(result),
                      static_cast<int>(result), hint()},
                     items_, options_, *logs_);
  }

  // The driver is opened only if its version can matter.
  std::string hint() const {
    std::string hint = hint_for_newer(items_, "nvJitLink", version_);
    if (hint.empty() || is_lto(options_)) return hint;
    return hint_for_newer(items_, "nvJitLink", version_, probe_driver().version);
  }

  void add(const Item& item) {
    const unsigned type = nvjitlink_type(item, version_);
    const std::string& bytes = item.input.content();
    if (item.input.is_file()) {
      return require(api::nvJitLinkAddFile(handle_.get(), type, item.name.c_str()),
                     "nvJitLinkAddFile of " + quoted(item.name));
    }
    require(
        api::nvJitLinkAddData(handle_.get(), type, bytes.data(), bytes.size(), item.name.c_str()),
        "nvJitLinkAddData of " + quoted(item.name));
  }

  template <typename Get>
  std::string get(SizeFunction size_of, const char* size_name, Get get_bytes, const char* name) {
    unsigned long size = 0;
    require(size_of(handle_.get(), &size), size_name);
    std::string bytes(size, '\0');
    require(get_bytes(handle_.get(), bytes.data()), name);
    return bytes;
  }

  std::string output_of(Output output) {
    switch (output) {
      case Output::ptx:
        return get(api::nvJitLinkGetLinkedPtxSize, "nvJitLinkGetLinkedPtxSize",
                   api::nvJitLinkGetLinkedPtx, "nvJitLinkGetLinkedPtx");
      case Output::lto_ir:
        return get(api::nvJitLinkGetLinkedLTOIRSize, "nvJitLinkGetLinkedLTOIRSize",
                   api::nvJitLinkGetLinkedLTOIR, "nvJitLinkGetLinkedLTOIR");
      default:
        return get(api::nvJitLinkGetLinkedCubinSize, "nvJitLinkGetLinkedCubinSize",
                   api::nvJitLinkGetLinkedCubin, "nvJitLinkGetLinkedCubin");
    }
  }

  const std::vector<Item>& items_;
  const std::vector<std::string> options_;
  const Version version_;
  Logs* logs_;
  Handle handle_;
};

}  // namespace

std::string link_with_nvjitlink(const std::vector<Item>& items, std::vector<std::string> options,
                                Version version, Output output, Logs* logs) {
  if (is_lto(options)) {
    for (const Item& item : items) refuse_lto_ir_of_12(item, version);
  }
  return Link(items, std::move(options), version, logs).run(output);
}

}  // namespace anycuda::linker
