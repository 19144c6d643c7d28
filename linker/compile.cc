// SPDX-License-Identifier: Apache-2.0

// NVRTC documentation, "Basic Usage" and "Accessing Lowered Names".
#include "linker/compile.h"

#include <cstdio>
#include <mutex>
#include <shared_mutex>

#include "api/nvrtc_api.h"
#include "linker/backends/context.h"
#include "linker/base/message_text.h"
#include "linker/base/results.h"
#include "linker/cache/through.h"
#include "linker/compile_pch.h"
#include "linker/nvrtc_probe.h"
#include "linker/options/option_table.h"
#include "linker/probe_library.h"

namespace anycuda::linker {
namespace {

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> out;
  out.reserve(texts.size());
  for (const std::string& text : texts) out.push_back(text.c_str());
  return out;
}

class Handle {
 public:
  Handle() = default;
  ~Handle() { reset(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  unsigned create(const Source& source) {
    reset();
    std::vector<const char*> contents;
    std::vector<const char*> names;
    for (const Header& header : source.headers) {
      contents.push_back(header.content.c_str());
      names.push_back(header.name.c_str());
    }
    ::_nvrtcProgram* program = nullptr;
    const unsigned result =
        api::nvrtcCreateProgram(&program, source.text.c_str(), source.name.c_str(),
                                static_cast<int>(names.size()), contents.data(), names.data());
    if (result == api::NVRTC_SUCCESS) program_ = program;
    return result;
  }
  ::_nvrtcProgram* get() const { return program_; }

 private:
  void reset() {
    if (program_ != nullptr) api::nvrtcDestroyProgram(&program_);
  }

  ::_nvrtcProgram* program_ = nullptr;
};

class Compilation {
 public:
  Compilation(const Source& source, const ProgramOptions& options,
              std::vector<std::string> arguments, Compiled* out)
      : source_(source), options_(options), arguments_(std::move(arguments)), out_(out) {}

  void run(Output output) {
    // A second time if the precompiled header needs more memory than there was.
    const unsigned long needed = compile();
    if (needed > 0 && grow_pch_heap(needed)) compile();
    keep_bytes(output);
    keep_names();
  }

 private:
  // Returns the size of the heap that a precompiled header needs, or 0.
  unsigned long compile() {
    std::shared_lock<std::shared_mutex> heap(pch_heap_lock(), std::defer_lock);
    if (uses_pch(options_)) heap.lock();
    require(handle_.create(source_), "nvrtcCreateProgram");
    for (const std::string& expression : source_.expressions) {
      require(api::nvrtcAddNameExpression(handle_.get(), expression.c_str()),
              "nvrtcAddNameExpression of " + quoted(expression));
    }
    const std::vector<const char*> arguments = pointers(arguments_);
    const unsigned result = api::nvrtcCompileProgram(
        handle_.get(), static_cast<int>(arguments.size()), arguments.data());
    keep_log();
    require(result, "nvrtcCompileProgram");
    unsigned long needed = 0;
    if (creates_pch(options_)) out_->pch = pch_status_of(handle_.get(), &needed);
    return needed;
  }

  void require(unsigned result, const std::string& call) {
    if (result != api::NVRTC_SUCCESS) fail(call, nvrtc_result(result), static_cast<int>(result));
  }

  [[noreturn]] void fail(const std::string& call, const std::string& why, int result) {
    throw CompileError(call + " failed for " + quoted(source_.name) + " (NVRTC " +
                           describe(out_->nvrtc) + "): " + why + "\n  options: " +
                           (arguments_.empty() ? "none" : in_one_line(joined(arguments_, " "))) +
                           "\n  log: " + (out_->log.empty() ? "empty" : out_->log),
                       result, out_->log);
  }

  void keep_log() {
    unsigned long size = 0;
    if (api::nvrtcGetProgramLogSize(handle_.get(), &size) != api::NVRTC_SUCCESS) return;
    std::string text(size + 1, '\0');
    if (api::nvrtcGetProgramLog(handle_.get(), text.data()) != api::NVRTC_SUCCESS) return;
    text.resize(text.find('\0'));
    out_->log = std::move(text);
  }

  void keep_names() {
    for (const std::string& expression : source_.expressions) {
      const char* name = nullptr;
      require(api::nvrtcGetLoweredName(handle_.get(), expression.c_str(), &name),
              "nvrtcGetLoweredName of " + quoted(expression));
      out_->lowered[expression] = name;
    }
  }

  using SizeFunction = unsigned (*)(::_nvrtcProgram*, unsigned long*);
  using BytesFunction = unsigned (*)(::_nvrtcProgram*, char*);
  std::string get(SizeFunction size_of, BytesFunction bytes_of, const std::string& name) {
    unsigned long size = 0;
    require(size_of(handle_.get(), &size), name + "Size");
    std::string bytes(size, '\0');
    require(bytes_of(handle_.get(), bytes.data()), name);
    return bytes;
  }

  void keep_bytes(Output output) {
    if (output == Output::cubin) {
      out_->bytes = get(api::nvrtcGetCUBINSize, api::nvrtcGetCUBIN, "nvrtcGetCUBIN");
    } else if (output == Output::lto_ir) {
      out_->bytes = get(api::nvrtcGetLTOIRSize, api::nvrtcGetLTOIR, "nvrtcGetLTOIR");
    } else {
      out_->bytes = get(api::nvrtcGetPTXSize, api::nvrtcGetPTX, "nvrtcGetPTX");
      out_->bytes.erase(out_->bytes.find_last_not_of('\0') + 1);
    }
    if (out_->bytes.empty()) {
      fail("nvrtcCompileProgram",
           std::string("it returned no ") + name_of(output) +
               ": an option in ProgramOptions::others may request another output",
           0);
    }
  }

  const Source& source_;
  const ProgramOptions& options_;
  const std::vector<std::string> arguments_;
  Compiled* out_;
  Handle handle_;
};

bool has_zero(const std::string& text) { return text.find('\0') != std::string::npos; }

void check_source(const Source& source) {
  if (source.text.empty()) throw NoInputError("there is nothing to compile: the source is empty");
  bool zero = has_zero(source.text) || has_zero(source.name);
  for (const Header& header : source.headers) {
    zero = zero || has_zero(header.content) || has_zero(header.name);
  }
  for (const std::string& expression : source.expressions) zero = zero || has_zero(expression);
  if (!zero) return;
  throw InputError("a zero byte is in the source " + quoted(source.name) +
                       ", its headers, their names or its name expressions: NVRTC would ignore "
                       "the text after it",
                   source.name);
}

// The result as fields of an entry, and back. The key has the expressions.
Fields fields_of(const Source& source, Compiled* out) {
  Fields fields = {std::move(out->bytes), std::move(out->log)};
  for (const std::string& expression : source.expressions) {
    fields.push_back(out->lowered[expression]);
  }
  return fields;
}

void take(Fields fields, const Source& source, Compiled* out) {
  auto field = fields.begin();
  out->bytes = std::move(*field++);
  out->log = std::move(*field++);
  for (const std::string& expression : source.expressions) out->lowered[expression] = *field++;
}

}  // namespace

void compile_cuda(const Source& source, const ProgramOptions& options, Output output, Compiled* out,
                  const CacheUse& use) {
  check_source(source);
  std::vector<std::string> arguments = nvrtc_options(options, output);
  const NvrtcProbe nvrtc = probe_nvrtc();
  if (nvrtc.handle == nullptr) throw BackendError("compiling needs NVRTC, and " + nvrtc.reason);
  int major = 0;
  int minor = 0;
  const unsigned result = api::nvrtcVersion(&major, &minor);
  if (result != api::NVRTC_SUCCESS) {
    throw BackendError("nvrtcVersion of " + in_one_line(nvrtc.path) +
                       " failed: " + nvrtc_result(result));
  }
  out->nvrtc = {major, minor};
  if (output == Output::lto_ir && !has_symbol(nvrtc.handle, "nvrtcGetLTOIR")) {
    throw BackendError("LTO-IR needs NVRTC 12.0 or later; " + in_one_line(nvrtc.path) + " is " +
                       describe(out->nvrtc) + ": install a newer one, or compile to PTX");
  }
  check_versions(program_option_table(), options, "NVRTC", out->nvrtc);
  if (output == Output::cubin && options.arch.empty()) {
    arguments.insert(arguments.begin(), "-arch=" + arch_of_context());
  }
  // NVRTC 13.0 to 13.2 fail if they find a trace of theirs.
  if (!options.time_trace.empty()) std::remove(options.time_trace.c_str());
  const auto key = [&] {
    const Maker maker = nvrtc_maker(nvrtc.path, out->nvrtc);
    return compile_key(source, arguments, output, maker, use.files);
  };
  const auto make = [&] {
    Compilation(source, options, arguments, out).run(output);
    return fields_of(source, out);
  };
  take(through(Store::of(use.cache), key, make), source, out);
}

}  // namespace anycuda::linker
