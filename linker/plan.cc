// SPDX-License-Identifier: Apache-2.0
#include "linker/plan.h"

#include <utility>

namespace anycuda::linker {
namespace {

void translate(Plan* plan) {
  const BackendReport& report = plan->selection.report;
  if (report.backend == Backend::nvjitlink) {
    plan->nvjitlink = nvjitlink_options(plan->options, report.facts.nvjitlink);
    for (const Item& item : plan->items) nvjitlink_type(item, report.facts.nvjitlink);
  } else if (report.backend == Backend::driver) {
    for (const Item& item : plan->items) driver_type(item);
    plan->driver = driver_options(plan->options, has_lto_ir(plan->items));
  }
}

}  // namespace

Plan plan_of(std::vector<Input> inputs, Options options) {
  Plan plan;
  plan.options = std::move(options);
  plan.items = checked(std::move(inputs));
  check(plan.options);
  if (plan.options.output != Output::ptx) plan.options.arch = real_arch(plan.options.arch);
  check(plan.items, plan.options);
  look_into(&plan.items, plan.options, plan.options.arch);
  plan.selection = select_backend(plan.options, has_lto_ir(plan.items));
  translate(&plan);
  return plan;
}

BackendReport which_backend(std::vector<Input> inputs, Options options) {
  return plan_of(std::move(inputs), std::move(options)).selection.report;
}

}  // namespace anycuda::linker
