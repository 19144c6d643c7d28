// SPDX-License-Identifier: Apache-2.0
#include "compat/search/reason.h"

#include <cstring>

#include "compat/base/text.h"
#include "compat/rules/gpu_rule.h"
#include "compat/search/evaluation.h"

namespace anycuda {
namespace {

const char* or_unknown(const char* text) {
  return text != nullptr ? text : "reason unknown, since memory ran out";
}

const char* reason_of_file(const Candidate& candidate, const Report& report, Arena* arena) {
  const ImageFacts& image = candidate.image;
  const char* product = report.library().product;
  switch (image.state) {
    case FileState::usable:
      return "usable";
    case FileState::missing:
      return candidate.listed_only ? "no such file, but ld.so.cache lists it" : "no such file";
    case FileState::unreadable:
      return or_unknown(arena->format("cannot be read (%s)", std::strerror(image.error)));
    case FileState::not_a_file:
      return "not a regular file";
    case FileState::not_absolute:
      return "not a full path: it must begin with /";
    case FileState::has_tokens:
      return "dlopen() replaces the $ in its path ($ORIGIN, $LIB, $PLATFORM): use another path";
    case FileState::not_trusted:
      return "found above the caller's folder, and another user can change it: correct its owner "
             "or permissions, or name its folder in LD_LIBRARY_PATH";
    case FileState::not_elf:
      return "not an ELF shared library";
    case FileState::other_architecture:
      return "built for another CPU architecture";
    case FileState::truncated:
      return "truncated: it ends before its own segments; install it again";
    case FileState::other_library:
      if (image.detail == nullptr || *image.detail == '\0') {
        return or_unknown(
            arena->format("not %s %s: it has no SONAME", article_of(product), product));
      }
      return or_unknown(arena->format("not %s %s: its SONAME is '%s'", article_of(product), product,
                                      image.detail));
    case FileState::anycuda_stub:
      return "an anycuda stub, not the library itself";
    case FileState::required_symbol_missing:
      return or_unknown(arena->format("incomplete: it lacks %s, which every program needs",
                                      or_unknown(image.detail)));
    case FileState::out_of_memory:
      return "not read: out of memory";
    case FileState::open_failed:
      return or_unknown(
          arena->format("the dynamic linker refused it: %s", or_unknown(image.detail)));
    case FileState::other_file_opened:
      return or_unknown(arena->format("the dynamic linker opened another file for it, %s",
                                      or_unknown(image.detail)));
    case FileState::other_version:
      return or_unknown(arena->format("its SONAME says CUDA %d, but the library reports CUDA %s",
                                      image.version.major, or_unknown(image.detail)));
    case FileState::link_stub:
      return "NVIDIA's stub for linking, not a driver (it returns CUDA_ERROR_STUB_LIBRARY)";
  }
  return "unknown";
}

// "needs a driver for CUDA 13"; for a compiler or linker "its output needs ...".
const char* subject_of_requirement(const LibraryDescriptor& library) {
  return library.rules.output == Output::none ? "" : "its output ";
}

const char* reason_of_driver(const Candidate& candidate, const Report& report, Arena* arena) {
  const Version version = known_version(candidate);
  const DriverFacts& driver = report.driver;
  switch (candidate.verdict) {
    case Verdict::driver_too_old:
      return arena->format(
          "%sneeds a driver for CUDA %d; %s supports up to CUDA %d.%d (update the driver, or "
          "install %s %s of CUDA %d; if NVIDIA's cuda-compat package is in use, set "
          "%s=assume_forward_compat)",
          subject_of_requirement(report.library()), version.major, report.driver_path,
          driver.cuda.major, driver.cuda.minor, article_of(report.library().product),
          report.library().product, driver.cuda.major, kDriverCompatVariable);
    case Verdict::driver_failed:
      return arena->format(
          "%s, and %s=strict requires it (repair the driver, or set %s=best_effort)",
          or_unknown(describe_failed_driver(report.driver_path, driver.error, arena)),
          report.request.policy.mode_variable, kStubModeVariable);
    default:
      return "unknown";
  }
}

const char* reason_of_metadata(const Candidate& candidate, const Report& report, Arena* arena) {
  const char* problem = candidate.toolkit.problem;
  return arena->format(
      "its exact CUDA %d version is unknown (%s); %s=strict requires it: %s supports up to CUDA "
      "%d.%d (install it by pip, conda or NVIDIA's installer, or set %s=best_effort)",
      candidate.image.version.major, problem, report.request.policy.mode_variable,
      report.driver_path, report.driver.cuda.major, report.driver.cuda.minor, kStubModeVariable);
}

const char* reason_of_relative(const Candidate& candidate, const Report& report, Bond bond,
                               Arena* arena) {
  const LoadedRelative* const loaded = report.relative(bond);
  if (loaded == nullptr) return "unknown";
  const char* product = loaded->relative->library->product;
  if (bond == Bond::group) {
    return arena->format(
        "of CUDA %d, and the process has loaded %s of CUDA %d, %s: they exchange handles, so a "
        "process must load them from one CUDA major",
        known_version(candidate).major, product, loaded->image.version.major, loaded->path);
  }
  const int needed = candidate.image.needs_runtime;
  return arena->format("%s CUDA %d, and the process has loaded the %s of CUDA %d, %s",
                       needed != 0 ? "it needs the runtime of" : "of",
                       needed != 0 ? needed : known_version(candidate).major, product,
                       loaded->image.version.major, loaded->path);
}

const char* reason_of_verdict(const Candidate& candidate, const Report& report, Arena* arena) {
  const Version version = candidate.image.version;
  switch (candidate.verdict) {
    case Verdict::accepted:
      return candidate.tried ? "usable" : "not needed";
    case Verdict::newer_than_known:
      return or_unknown(arena->format(
          "CUDA %d is newer than this anycuda knows (up to %d); update anycuda or install CUDA %d",
          version.major, report.library().rules.newest_known_major,
          report.library().rules.newest_known_major));
    case Verdict::other_major:
      if (report.library().earlier_soname != nullptr) {
        return or_unknown(arena->format("ANYCUDA_CROSS_MAJOR=reject allows only %s",
                                        report.library().earlier_soname));
      }
      return or_unknown(arena->format(
          "of CUDA %d, and ANYCUDA_CROSS_MAJOR=reject allows only the caller's CUDA %s",
          version.major, majors_like(report.library(), report.request.caller_major).text));
    case Verdict::other_group:
      return or_unknown(reason_of_relative(candidate, report, Bond::group, arena));
    case Verdict::other_runtime:
      return or_unknown(reason_of_relative(candidate, report, Bond::runtime, arena));
    case Verdict::other_loaded:
      return or_unknown(
          arena->format("of CUDA %d, and the process has loaded another, of CUDA %d: a process "
                        "can use only one of them",
                        version.major, report.loaded_major));
    case Verdict::no_metadata:
      return or_unknown(reason_of_metadata(candidate, report, arena));
    case Verdict::driver_too_old:
    case Verdict::driver_failed:
      return or_unknown(reason_of_driver(candidate, report, arena));
  }
  return "unknown";
}

}  // namespace

const char* reason_of(const Candidate& candidate, const Report& report, Arena* arena) {
  const bool usable = candidate.image.state == FileState::usable;
  const char* reason = usable ? reason_of_verdict(candidate, report, arena)
                              : reason_of_file(candidate, report, arena);
  if (!candidate.stays_open) return reason;
  const char* whole =
      arena->format("%s; it cannot be closed again, so no other file is opened", reason);
  return whole != nullptr ? whole : reason;
}

const char* article_of(const char* product) {
  return text::lower(product[0]) == 'n' && text::lower(product[1]) == 'v' ? "an" : "a";
}

const char* describe_failed_driver(const char* path, int status, Arena* arena) {
  const char* cause = status == Driver::kNoFunction  ? "no such function"
                      : status == Driver::kNoVersion ? "no version returned"
                                                     : arena->format("error %d", status);
  return arena->format("%s does not report which CUDA it supports (cuDriverGetVersion: %s)", path,
                       or_unknown(cause));
}

const char* reason_of_preference(const Candidate& chosen, const Candidate& passed,
                                 const Report& report, Arena* arena) {
  const char* peer = report.library().peer != nullptr ? report.library().peer->product : "library";
  switch (preference_of(report, chosen, passed)) {
    case Preference::gpu:
      return or_unknown(arena->format(
          "CUDA %d has no code for GPUs older than compute capability %d.%d, and this machine has "
          "one",
          known_version(passed).major, oldest_gpu_of(known_version(passed).major) / 10,
          oldest_gpu_of(known_version(passed).major) % 10));
    case Preference::ptx:
      return or_unknown(arena->format("%s supports up to CUDA %d.%d and cannot compile its PTX",
                                      report.driver_path, report.driver.cuda.major,
                                      report.driver.cuda.minor));
    case Preference::lto_ir:
      return or_unknown(arena->format("it cannot exchange LTO-IR with the %s of this process, %s",
                                      peer, report.peers[0].path));
    case Preference::callers_major:
      return or_unknown(
          arena->format("the program was built for CUDA %d, and its LTO-IR, if it has any, works "
                        "only in that major",
                        report.request.caller_major));
    case Preference::runtimes_major:
      return or_unknown(arena->format("the process has loaded the CUDA runtime of CUDA %d, %s",
                                      report.major_of(Bond::runtime),
                                      report.relative(Bond::runtime)->path));
    case Preference::known_major:
      return "no name tells which CUDA it belongs to";
    case Preference::newest:
    case Preference::none:
      break;
  }
  return "not needed";
}

const char* refused_setting(const Report& report, Arena* arena) {
  if (report.request.policy.wrong_count == 0) return "";
  const WrongSetting& wrong = report.request.policy.wrong[0];
  const char* text = arena->format("invalid %s=%s", wrong.variable, wrong.value);
  return text != nullptr ? text : wrong.variable;
}

}  // namespace anycuda
