// SPDX-License-Identifier: Apache-2.0
#include "anycuda/linker/linker.h"

#include <utility>

#include "linker/backends/backend.h"
#include "linker/backends/context.h"
#include "linker/base/message_text.h"
#include "linker/cache/through.h"
#include "linker/plan.h"

namespace anycuda {

using linker::Backend;
using linker::ClosedError;

struct Linker::State {
  State(std::vector<linker::Input> inputs, linker::Options options)
      : plan(linker::plan_of(std::move(inputs), std::move(options))) {
    if (!report().backend) throw linker::BackendError(report().reason);
    warnings = plan.driver.warnings;
    for (const linker::Item& item : plan.items) {
      if (item.contents.warning.empty()) continue;
      warnings.push_back(linker::quoted(item.name) + ": " + item.contents.warning);
    }
  }

  std::string link(linker::CodeCache* cache) {
    const linker::Options& options = plan.options;
    logs = {};
    linker::revalidate(plan.items);
    if (report().backend == Backend::driver) {
      const std::string problem = linker::why_no_context();
      if (!problem.empty()) {
        throw linker::BackendError("the driver's linker needs a current context, and " + problem +
                                   "; nvJitLink does not need one" + plan.selection.no_nvjitlink);
      }
      linker::look_into(&plan.items, options, options.arch);
      return link_or_find(cache, {}, [&] {
        return linker::link_with_driver(plan.items, plan.driver.options, options.log_bytes, &logs);
      });
    }
    const std::string arch = options.arch.empty() ? linker::arch_of_context() : options.arch;
    linker::look_into(&plan.items, options, arch);
    std::vector<std::string> arguments = plan.nvjitlink;
    if (options.arch.empty()) arguments.insert(arguments.begin(), "-arch=" + arch);
    return link_or_find(cache, arguments, [&] {
      return linker::link_with_nvjitlink(plan.items, arguments, report().facts.nvjitlink,
                                         options.output, &logs);
    });
  }

  // `arguments`: of nvJitLink.
  template <typename Link>
  std::string link_or_find(linker::CodeCache* cache, std::vector<std::string> arguments,
                           Link link_now) {
    if (report().backend == Backend::driver) {
      for (const linker::DriverOption& option : plan.driver.options) {
        arguments.push_back(option.name + ("=" + std::to_string(option.value)));
      }
    }
    const auto key = [&] {
      return linker::link_key(plan.items, plan.options, report(), arguments);
    };
    const auto make = [&] {
      std::string bytes = link_now();
      return linker::Fields{std::move(bytes), logs.info, logs.error};
    };
    linker::Fields fields = linker::through(linker::Store::of(cache), key, make);
    logs = {std::move(fields[1]), std::move(fields[2])};
    return std::move(fields[0]);
  }

  linker::Code code(std::string bytes) const {
    const std::size_t others = plan.items.size() - 1;
    linker::Code code(std::move(bytes), linker::type_of(plan.options.output),
                      plan.items.front().name);
    if (others > 0) code.name += " and " + std::to_string(others) + " more";
    code.log = logs.info;
    if (!code.log.empty() && !logs.error.empty() && code.log.back() != '\n') code.log += '\n';
    code.log += logs.error;
    for (const linker::Item& item : plan.items) {
      code.lowered_names.insert(item.input.lowered_names().begin(),
                                item.input.lowered_names().end());
    }
    return code;
  }

  const linker::BackendReport& report() const { return plan.selection.report; }

  linker::Plan plan;
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

linker::Code Linker::link() { return link(nullptr); }
linker::Code Linker::link(linker::CodeCache& cache) { return link(&cache); }

linker::Code Linker::link(linker::CodeCache* cache) {
  State& state = existing(state_);
  if (state.closed) throw ClosedError("this Linker was closed: create another one to link again");
  return state.code(state.link(cache));
}

const std::string& Linker::info_log() const { return existing(state_).logs.info; }
const std::string& Linker::error_log() const { return existing(state_).logs.error; }

// The link state is gone since link() returned; what is left is what came in.
void Linker::close() noexcept {
  if (state_ == nullptr) return;
  state_->closed = true;
  std::vector<linker::Item>().swap(state_->plan.items);
}

bool Linker::closed() const { return state_ == nullptr || state_->closed; }

Backend Linker::backend() const { return *existing(state_).report().backend; }
const std::string& Linker::selection_reason() const { return existing(state_).report().reason; }
linker::Version Linker::driver_version() const { return existing(state_).report().facts.driver; }
linker::Version Linker::nvjitlink_version() const {
  return existing(state_).report().facts.nvjitlink;
}
const std::vector<std::string>& Linker::warnings() const { return existing(state_).warnings; }

}  // namespace anycuda
