// SPDX-License-Identifier: Apache-2.0
#include "anycuda/linker/linker.h"

#include <utility>

#include "linker/backends/backend.h"
#include "linker/backends/context.h"
#include "linker/backends/translate.h"
#include "linker/base/message_text.h"
#include "linker/inputs/check.h"
#include "linker/select_backend.h"

namespace anycuda {

using linker::Backend;
using linker::ClosedError;

// Wrong inputs and values are reported before the choice of a backend, its limits after it.
struct Linker::State {
  State(std::vector<linker::Input> inputs, linker::Options how)
      : options(std::move(how)), items(linker::checked(std::move(inputs))) {
    linker::check(options);
    linker::check(items, options);
    linker::look_into(&items, options, options.arch);
    selection = linker::select_backend(options, linker::has_lto_ir(items));
    if (selection.backend == Backend::nvjitlink) {
      nvjitlink = linker::nvjitlink_options(options, selection.nvjitlink);
      for (const linker::Item& item : items) linker::nvjitlink_type(item, selection.nvjitlink);
    } else {
      for (const linker::Item& item : items) linker::driver_type(item);
      driver = linker::driver_options(options, linker::has_lto_ir(items));
    }
    warnings = driver.warnings;
    for (const linker::Item& item : items) {
      if (item.contents.warning.empty()) continue;
      warnings.push_back(linker::quoted(item.name) + ": " + item.contents.warning);
    }
  }

  std::string link() {
    logs = {};
    linker::revalidate(items);
    if (selection.backend == Backend::driver) {
      const std::string problem = linker::why_no_context();
      if (!problem.empty()) {
        throw linker::BackendError("the driver's linker needs a current context, and " + problem +
                                   "; nvJitLink does not need one" + selection.no_nvjitlink);
      }
      linker::look_into(&items, options, options.arch);
      return linker::link_with_driver(items, driver.options, options.log_bytes, &logs);
    }
    const std::string arch = options.arch.empty() ? linker::arch_of_context() : options.arch;
    linker::look_into(&items, options, arch);
    std::vector<std::string> arguments = nvjitlink;
    if (options.arch.empty()) arguments.insert(arguments.begin(), "-arch=" + arch);
    return linker::link_with_nvjitlink(items, std::move(arguments), selection.nvjitlink,
                                       options.output, &logs);
  }

  linker::Options options;
  std::vector<linker::Item> items;
  linker::Selection selection{};
  std::vector<std::string> nvjitlink;
  linker::DriverOptions driver;
  std::vector<std::string> warnings;
  linker::Logs logs;
  bool closed = false;
};

namespace {

template <typename State>
State& existing(const std::unique_ptr<State>& state) {
  if (state == nullptr) throw ClosedError("this Linker was moved to another: use that one");
  return *state;
}

}  // namespace

Linker::Linker(std::vector<linker::Input> inputs, linker::Options options)
    : state_(std::make_unique<State>(std::move(inputs), std::move(options))) {}
Linker::~Linker() = default;
Linker::Linker(Linker&& other) noexcept = default;
Linker& Linker::operator=(Linker&& other) noexcept = default;

std::string Linker::link() {
  State& state = existing(state_);
  if (state.closed) throw ClosedError("this Linker was closed: create another one to link again");
  return state.link();
}

const std::string& Linker::info_log() const { return existing(state_).logs.info; }
const std::string& Linker::error_log() const { return existing(state_).logs.error; }

// The link state is gone since link() returned; what is left is what came in.
void Linker::close() noexcept {
  if (state_ == nullptr) return;
  state_->closed = true;
  std::vector<linker::Item>().swap(state_->items);
}

bool Linker::closed() const { return state_ == nullptr || state_->closed; }

Backend Linker::backend() const { return existing(state_).selection.backend; }
const std::string& Linker::selection_reason() const { return existing(state_).selection.reason; }
linker::Version Linker::driver_version() const { return existing(state_).selection.driver; }
linker::Version Linker::nvjitlink_version() const { return existing(state_).selection.nvjitlink; }
const std::vector<std::string>& Linker::warnings() const { return existing(state_).warnings; }

}  // namespace anycuda
