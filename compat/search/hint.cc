// SPDX-License-Identifier: Apache-2.0
#include "compat/search/hint.h"

#include <initializer_list>

#include "compat/base/lexical_path.h"
#include "compat/search/reason.h"

namespace anycuda {
namespace {

bool any(const Report& report, Verdict verdict) {
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    const bool counts = report.reached(*c) && c->image.state == FileState::usable;
    if (counts && c->verdict == verdict) return true;
  }
  return false;
}

// The file that ended the search, since it could not be closed; nullptr: none did.
const char* file_that_stays(const Report& report) {
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    if (c->stays_open) return c->path;
  }
  return nullptr;
}

bool refused_by_driver(const Report& report) {
  for (const Verdict verdict :
       {Verdict::driver_too_old, Verdict::driver_failed, Verdict::no_metadata}) {
    if (any(report, verdict)) return true;
  }
  return false;
}

// Where the dynamic linker and CUDA libraries would find NVIDIA's stub for linking, also in front
// of a driver that is installed later; nullptr: nowhere.
const Candidate* link_stub(const Report& report) {
  for (const Candidate* c = report.candidates(); c != nullptr; c = c->next) {
    if (report.reached(*c) && c->image.state == FileState::link_stub) return c;
  }
  return nullptr;
}

const char* link_stub_hint(const Report& report, const Candidate& stub, Arena* arena) {
  const char* const folder = stub.path != nullptr ? arena->copy(folder_of(stub.path)) : nullptr;
  if (folder == nullptr) return report.library().install_hint;
  return arena->format(
      "%s, and remove %s from %s", report.library().install_hint, folder,
      stub.tier == SearchTier::library_path ? "LD_LIBRARY_PATH" : "the dynamic linker's path");
}

// A newer driver helps wherever an older release of the library would.
const char* driver_hint(const Report& report, Arena* arena) {
  const LibraryDescriptor& library = report.library();
  const char* article = article_of(library.product);
  const Version driver = report.driver.cuda;
  if (any(report, Verdict::driver_too_old)) {
    const char* text = arena->format("update the driver, or install %s %s of CUDA %d or older",
                                     article, library.product, driver.major);
    if (text == nullptr || library.rules.output == Output::none) return text;
    return arena->format("%s; if its output is for another machine, set %s=off", text,
                         kStubModeVariable);
  }
  if (any(report, Verdict::driver_failed)) {
    return arena->format("repair the driver (does nvidia-smi work?), or set %s=best_effort",
                         kStubModeVariable);
  }
  return arena->format(
      "set %s=best_effort (it accepts libraries of unknown version), or install %s %s of CUDA "
      "%d.%d or older by pip, conda or NVIDIA's installer",
      kStubModeVariable, article, library.product, driver.major, driver.minor);
}

const char* install_of(const Report& report, Bond bond, Arena* arena) {
  const LibraryDescriptor& library = report.library();
  return arena->format("install %s %s of CUDA %d, the major that the process has loaded",
                       article_of(library.product), library.product, report.major_of(bond));
}

}  // namespace

const char* hint_for(const Report& report, Arena* arena) {
  const LibraryDescriptor& library = report.library();
  const char* text = nullptr;
  if (report.request.policy.wrong_count != 0) {
    const WrongSetting& wrong = report.request.policy.wrong[0];
    text = arena->format("set %s to %s, or unset it", wrong.variable, values_of(wrong.variable));
  } else if (any(report, Verdict::other_loaded)) {
    text = arena->format("unset %s: the process has already loaded another %s", library.variable,
                         library.product);
  } else if (report.variable_names_a_file()) {
    text = arena->format("correct %s or unset it: while it is set, no other place is searched",
                         library.variable);
  } else if (const char* path = file_that_stays(report)) {
    text = arena->format("remove %s, and start the program again", path);
  } else if (refused_by_driver(report)) {
    text = driver_hint(report, arena);
  } else if (any(report, Verdict::other_group)) {
    text = install_of(report, Bond::group, arena);
  } else if (any(report, Verdict::other_runtime)) {
    text = install_of(report, Bond::runtime, arena);
  } else if (any(report, Verdict::other_major)) {
    text = arena->format("install %s %s of CUDA %s, or unset ANYCUDA_CROSS_MAJOR",
                         article_of(library.product), library.product,
                         majors_like(library, report.request.caller_major).text);
  } else if (const Candidate* stub = link_stub(report)) {
    text = link_stub_hint(report, *stub, arena);
  } else {
    text = arena->format("%s, or set %s to the library's full path", library.install_hint,
                         library.variable);
  }
  return text != nullptr ? text : library.install_hint;
}

FunctionHint function_hint(const LibraryDescriptor& library, int caller_major, int library_major) {
  const bool own =
      caller_major == kUnversionedCaller || library_major == caller_major ||
      (library_major > caller_major && library_major <= library.newest_like(caller_major));
  return own ? FunctionHint::newer_library : FunctionHint::own_major;
}

}  // namespace anycuda
