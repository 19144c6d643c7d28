// SPDX-License-Identifier: Apache-2.0

// Finds and loads components of CUDA, and refuses incompatible ones before they are used.
//
//   anycuda::compat::CompatibilityGuardRails rails;
//   auto nvrtc = rails.load_dynamic_library("nvrtc");
//   auto linker = rails.load_dynamic_library("nvJitLink");  // refused if it is of another major
//   std::string include = rails.find_headers("cudart");
//
// The candidates of a component are checked in the order of the search (find.h), after those in the
// roots of accepted companions; if the search finds none, in the root of the runtime (cudart). The
// first candidate that passes all checks is taken; if all fail, the error is the first candidate's
// and names the others. The checks, in this order: a component of the driver is remembered without
// further checks; one that is released independently of toolkits has insufficient metadata; then
// the candidate's toolkit must be known and go with the caller's constraint, with every component
// that was accepted before, and with the driver. A refused candidate is not remembered. Asking
// again for an accepted component changes nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anycuda/compat/catalogue.h"
#include "anycuda/compat/driver.h"
#include "anycuda/compat/errors.h"
#include "anycuda/compat/find.h"
#include "anycuda/compat/rules.h"
#include "anycuda/compat/settings.h"

namespace anycuda::compat {

// The types of options and pipelines, also in this namespace.
using anycuda::DriverCompat;
using anycuda::DriverFacts;
using anycuda::Format;
using anycuda::Mode;
using anycuda::Version;

// The formats that flow from one component to another: {"nvrtc", "nvJitLink", {Format::ltoir}}.
struct Pipeline {
  std::string producer;
  std::string consumer;
  std::vector<Format> formats;
};

// "PTX", "CUBIN", "ELF", "LTO-IR", "NVVM-IR", without regard to case and hyphens;
// UnknownNameError for others.
Format format_named(std::string_view name);
const char* name_of(Format format);

struct Options {
  // Unset: ANYCUDA_API_COMPAT, else ANYCUDA_COMPAT, else strict. `off` finds and loads without any
  // check.
  std::optional<Mode> mode;
  // A PEP 440 specifier that every toolkit component must satisfy by its major.minor: "==13.*".
  std::optional<std::string> constraint;
  // Facts about the driver. Unset: the machine's driver is asked when a rule needs it. Given
  // without a branch: only the branch is asked for when a rule needs it. `present = false`:
  // without a driver the driver rule refuses nothing.
  std::optional<DriverFacts> driver;
  // Unset: ANYCUDA_DRIVER_COMPAT.
  std::optional<DriverCompat> driver_compat;
  // Pairs of names that may be of different majors; not companions, and two cudart never.
  std::vector<std::pair<std::string, std::string>> allow_mixed_majors;
  std::vector<Pipeline> pipelines;
};

struct LoadedLibrary {
  void* handle = nullptr;  // dlopen's; the library stays loaded for the life of the process
  std::string path;
  bool was_loaded = false;  // the process had loaded it before this instance did
};

class GuardRailsImpl;

class CompatibilityGuardRails {
 public:
  // Throws SettingError (also for an invalid variable that an option overrides),
  // ConstraintError, UnknownNameError.
  explicit CompatibilityGuardRails(const Options& options = {});
  ~CompatibilityGuardRails();
  CompatibilityGuardRails(const CompatibilityGuardRails&) = delete;
  CompatibilityGuardRails& operator=(const CompatibilityGuardRails&) = delete;

  // For all of these, `name` is a name in the catalogue. They throw UnknownNameError, NotFoundError
  // and the errors of the rules. Thread-safe: the accepted components are the result of the
  // threads' calls in some order. (A child that is forked while another thread is in one of these
  // functions must make a new instance.)

  // A library that the process has loaded already is preferred to every file. Also throws
  // LoadError. A library that a rule refuses is not loaded; one that was loaded before stays, and
  // the error says so. A library that is not the examined file, or that reports another CUDA than
  // its file, is closed again, and the next candidate is tried (cudart 11 and nvJitLink before 12.3
  // are not asked for their version, since that call would initialise them). No lock is held while
  // a library is opened: its constructors may call the guard rails.
  LoadedLibrary load_dynamic_library(std::string_view name);
  // The library that load_dynamic_library() would take, by the same rules. It counts as accepted,
  // but is not loaded, so the version that it reports is not compared with its file's.
  std::string find_dynamic_library(std::string_view name);
  Located locate_dynamic_library(std::string_view name);
  std::string find_headers(std::string_view name);
  Located locate_headers(std::string_view name);
  std::string find_static_library(std::string_view name);
  Located locate_static_library(std::string_view name);
  std::string find_bitcode_library(std::string_view name);
  Located locate_bitcode_library(std::string_view name);
  std::string find_program(std::string_view name);
  Located locate_program(std::string_view name);

  // May be called before, between or after the loads; a pipeline is checked as soon as both ends
  // are known. A refused pipeline is not remembered. Throws ToolkitMismatchError, UnknownNameError.
  void declare_pipeline(const Pipeline& pipeline);

  Mode mode() const;

  // Clears the cached searches, metadata and driver answers; keeps accepted components, declared
  // pipelines and options.
  void clear_caches();

 private:
  std::unique_ptr<GuardRailsImpl> impl_;
};

// The one instance of the process, made with default options at the first call; it lives until the
// process ends. If making it throws, the next call tries again.
CompatibilityGuardRails& process_guard_rails();

// The next process_guard_rails() makes a new instance, which reads the variables again and starts
// without accepted components, pipelines and cached results. Libraries stay loaded, and the new
// instance prefers them to every file (LoadedLibrary::was_loaded); only the rules forget them.
// References to the old instance stay valid. Thread-safe.
void reset_process_guard_rails();

// The same on process_guard_rails().
LoadedLibrary load_dynamic_library(std::string_view name);
std::string find_dynamic_library(std::string_view name);
Located locate_dynamic_library(std::string_view name);
std::string find_headers(std::string_view name);
Located locate_headers(std::string_view name);
std::string find_static_library(std::string_view name);
Located locate_static_library(std::string_view name);
std::string find_bitcode_library(std::string_view name);
Located locate_bitcode_library(std::string_view name);
std::string find_program(std::string_view name);
Located locate_program(std::string_view name);
void declare_pipeline(const Pipeline& pipeline);

}  // namespace anycuda::compat
