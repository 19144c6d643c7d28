// SPDX-License-Identifier: Apache-2.0
#include "compat/search/reason.h"

#include <cstring>

#include "compat/base/lexical_path.h"
#include "compat/base/log.h"
#include "compat/base/text.h"
#include "compat/outcome_texts.h"
#include "compat/rules/gpu_rule.h"
#include "compat/search/evaluation.h"
#include "compat/search/machine/machine.h"

namespace anycuda {
namespace {

const char* or_nothing(const char* text) { return text != nullptr ? text : ""; }

bool is_plain(char c) { return c >= ' ' && static_cast<unsigned char>(c) < kFirstField; }

const char* flag(bool is_set) { return is_set ? " " : ""; }

// "" where a text may ask for it, and the search has no value; nullptr without memory.
const char* value_of(Field field, const Subject& subject) {
  const Report& report = subject.report;
  const LibraryDescriptor& library = report.library();
  const Candidate* const candidate = subject.candidate;
  const auto number = [&](int value) { return subject.arena->format("%d", value); };
  const auto pair = [&](int major, int minor) {
    return subject.arena->format("%d.%d", major, minor);
  };
  const auto relative = [&] {
    return report.relative(candidate->verdict == Verdict::other_group ? Bond::group
                                                                      : Bond::runtime);
  };
  switch (field) {
    case Field::a_product:
      return subject.arena->format("%s %s", article_of(library.product), library.product);
    case Field::callers:
      return subject.arena->copy(majors_like(library, report.request.caller_major).text);
    case Field::cuda:
      return pair(report.driver.cuda.major, report.driver.cuda.minor);
    case Field::detail:
      return candidate->image.state == FileState::other_library
                 ? or_nothing(candidate->image.detail)
                 : candidate->image.detail;
    case Field::driver:
      return report.driver_path;
    case Field::driver_failure:
      return describe_failed_driver(report.driver_path, report.driver.error, subject.arena);
    case Field::driver_major:
      return number(report.driver.cuda.major);
    case Field::earlier:
      return or_nothing(library.earlier_soname);
    case Field::error:
      return std::strerror(candidate->image.error);
    case Field::folder:
      return candidate->path != nullptr ? subject.arena->copy(folder_of(candidate->path)) : "";
    case Field::install:
      return library.install_hint;
    case Field::lacking:
      return candidate->lacking;
    case Field::linker_path:
      return candidate->tier == SearchTier::library_path ? "LD_LIBRARY_PATH"
                                                         : "the dynamic linker's path";
    case Field::listed:
      return flag(candidate->listed_only);
    case Field::loaded:
      return flag(candidate->tier == SearchTier::loaded);
    case Field::loaded_major:
      return number(report.loaded_major);
    case Field::major:
      return number(known_version(*candidate).major);
    case Field::mode:
      return report.request.policy.mode_variable;
    case Field::needs:
      return candidate->image.needs_runtime != 0 ? number(candidate->image.needs_runtime) : "";
    case Field::newest:
      return number(library.rules.newest_known_major);
    case Field::oldest_supported: {
      const int oldest = oldest_gpu_of(known_version(*candidate).major);
      return pair(oldest / 10, oldest % 10);
    }
    case Field::output:
      return flag(library.rules.output != Output::none);
    case Field::path:
      return candidate->path;
    case Field::peer:
      return library.peer != nullptr ? library.peer->product : "library";
    case Field::peer_path:
      return report.peer_paths[0];
    case Field::process_major:
      return number(report.process.major);
    case Field::process_path:
      return report.process.path;
    case Field::problem:
      return candidate->toolkit.problem;
    case Field::product:
      return library.product;
    case Field::python:
      return flag(report.in_python && report.candidates() == nullptr);
    case Field::relative:
      return relative() != nullptr ? relative()->relative->library->product : nullptr;
    case Field::relative_major:
      return relative() != nullptr ? number(relative()->image.version.major) : nullptr;
    case Field::relative_path:
      return relative() != nullptr ? relative()->path : nullptr;
    case Field::setting:
      return report.request.policy.wrong[0].variable;
    case Field::stub_mode:
      return kStubModeVariable;
    case Field::tried:
      return flag(candidate->tried);
    case Field::values:
      return values_of(report.request.policy.wrong[0].variable);
    case Field::variable:
      return library.variable;
  }
  return nullptr;
}

// Writes the text, or only measures it: `out` may be nullptr.
std::size_t put(const char* form, const Subject& subject, char* out) {
  std::size_t length = 0;
  bool hidden = false;
  for (; *form != '\0'; ++form) {
    const bool asks = *form == kIf || *form == kUnless;
    if (*form == kEnd) hidden = false;
    if (*form == kEnd || (hidden && !asks)) continue;
    const char* value = form;
    std::size_t size = 1;
    if (!is_plain(*form)) {
      value = value_of(static_cast<Field>(form[asks ? 1 : 0]), subject);
      if (value == nullptr) return text::kNowhere;
      size = std::strlen(value);
    }
    if (asks) {
      hidden = (size == 0) == (*form++ == kIf);
      continue;
    }
    if (out != nullptr) std::memcpy(out + length, value, size);
    length += size;
  }
  return length;
}

const char* filled(const char* form, const Candidate& candidate, const Report& report,
                   Arena* arena) {
  const char* const text = fill(form, {report, &candidate, arena});
  return text != nullptr ? text : "reason unknown, since memory ran out";
}

}  // namespace

const char* fill(const char* form, const Subject& subject) {
  const char* end = form;
  while (is_plain(*end)) ++end;
  if (*end == '\0') return form;
  const std::size_t length = put(form, subject, nullptr);
  if (length == text::kNowhere) return nullptr;
  auto* const out = static_cast<char*>(subject.arena->take(length + 1));
  return out != nullptr && put(form, subject, out) == length ? out : nullptr;
}

const char* article_of(const char* product) {
  return text::lower(product[0]) == 'n' && text::lower(product[1]) == 'v' ? "an" : "a";
}

const char* describe_failed_driver(const char* path, int status, Arena* arena) {
  const char* cause = status == Driver::kNoFunction  ? "no such function"
                      : status == Driver::kNoVersion ? "no version returned"
                                                     : arena->format("error %d", status);
  if (cause == nullptr) return nullptr;
  return arena->format("%s does not report which CUDA it supports (cuDriverGetVersion: %s)", path,
                       cause);
}

const char* reason_of(const Candidate& candidate, const Report& report, Arena* arena) {
  const FileState state = candidate.image.state;
  const char* const form = state == FileState::usable
                               ? text::row(kVerdictReasons, candidate.verdict)
                               : text::row(kStateReasons, state);
  const char* const reason = filled(form, candidate, report, arena);
  if (!candidate.stays_open) return reason;
  const char* whole =
      arena->format("%s; it cannot be closed again, so no other file is opened", reason);
  return whole != nullptr ? whole : reason;
}

void log_passed_over(const Candidate& candidate, const Report& report, Arena* arena) {
  if (!log_enabled(LogLevel::warn)) return;
  const std::size_t mark = arena->mark();
  log_line(LogLevel::warn, "%s: passed over %s: %s", report.library().name, candidate.path,
           reason_of(candidate, report, arena));
  arena->rewind(mark);
}

const char* reason_of_preference(const Candidate& chosen, const Candidate& passed,
                                 const Report& report, Arena* arena) {
  return filled(text::row(kPreferenceReasons, preference_of(report, chosen, passed)), passed,
                report, arena);
}

const char* refused_setting(const Report& report, Arena* arena) {
  if (report.request.policy.wrong_count == 0) return "";
  const WrongSetting& wrong = report.request.policy.wrong[0];
  const char* text = arena->format("invalid %s=%s", wrong.variable, wrong.value);
  return text != nullptr ? text : wrong.variable;
}

}  // namespace anycuda
