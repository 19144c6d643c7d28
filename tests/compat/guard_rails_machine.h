// SPDX-License-Identifier: Apache-2.0

// A made-up machine for the guard rails: which component of which toolkit is installed where, the
// driver's answers, the loaded libraries; and the queries that it got, in order.
//
//   RailsMachine machine;
//   machine.library("nvrtc", "12.9").library("nvJitLink", "13.5").driver("13.0", 580);
//   GuardRailsImpl rails = machine.rails();
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compat/library/guard_rails_impl.h"

namespace anycuda::compat::test {

Version version(const std::string& text);  // "12.9", "" is unknown

class RailsMachine {
 public:
  // "": its toolkit is unknown.
  RailsMachine& install(Kind kind, const std::string& name, const std::string& toolkit);
  RailsMachine& library(const std::string& name, const std::string& toolkit) {
    return install(Kind::dynamic_library, name, toolkit);
  }
  RailsMachine& headers(const std::string& name, const std::string& toolkit) {
    return install(Kind::headers, name, toolkit);
  }
  // A further candidate, in a later place than those before.
  RailsMachine& also(Kind kind, const std::string& name, const std::string& toolkit,
                     const std::string& path);
  // In a root outside all search tiers.
  RailsMachine& below(const std::string& root, Kind kind, const std::string& name,
                      const std::string& toolkit, const std::string& path);
  // What is installed lies elsewhere from now on.
  RailsMachine& move(Kind kind, const std::string& name, const std::string& path);
  // A copy that other code has loaded, of this SONAME.
  RailsMachine& loaded(const std::string& name, const std::string& toolkit,
                       const std::string& soname);
  // 0: NVML does not say.
  RailsMachine& driver(const std::string& cuda, int branch = 0);
  RailsMachine& no_driver();
  RailsMachine& unopenable(const std::string& name);
  // What is wrong with the library once it is open.
  RailsMachine& lies(const std::string& name, const std::string& what);
  // The CUDA that the library reports once it is open.
  RailsMachine& reports(const std::string& name, const std::string& toolkit);
  // A file of each component that is passed over, with the reason.
  RailsMachine& passed_over(const std::string& file);
  RailsMachine& cannot_close();
  // Runs while a library is opened, as its constructors do.
  RailsMachine& while_opening(std::function<void(const std::string& path)> what);

  // ANYCUDA_COMPAT and the like are not read: what options leave open has its default.
  GuardRailsImpl rails(const Options& options = {});
  System system();

  std::vector<std::string> asked() const;  // "find nvrtc", "read <path>", "driver", "open <path>"
  int times_asked(const std::string& what) const;
  // "/home/me/venv/nvrtc-12.9": where install() and loaded() put things.
  static std::string path(Kind kind, const std::string& name, const std::string& toolkit);

 private:
  struct Installed {
    const Component* component;
    Located located;
    Version toolkit;
  };
  void note(const std::string& what);
  ToolkitAnswer version_of(const std::string& path);
  std::vector<LoadedImage> images_of(const Component& component);
  OpenedLibrary open(const ComponentInstance& instance, const std::string& name,
                     const AcceptsVersion& accepts);

  mutable std::mutex mutex_;
  std::vector<Installed> installed_;
  std::vector<std::pair<std::string, Installed>> below_;  // with the root
  std::vector<std::pair<const Component*, LoadedImage>> loaded_;
  std::vector<Installed> loaded_toolkits_;
  std::optional<Version> driver_;
  int branch_ = 0;
  std::string unopenable_;
  std::vector<std::string> passed_;
  std::map<std::string, std::string> lies_;
  std::map<std::string, Version> reported_;
  bool stays_open_ = false;
  std::function<void(const std::string&)> while_opening_;
  std::vector<std::string> asked_;
};

// What a call throws, by name: "accepted", "ToolkitMismatchError", "InsufficientMetadataError", ...
std::string outcome(const std::function<void()>& call);
// Its message, "" if nothing is thrown.
std::string message(const std::function<void()>& call);

Options with_mode(Mode mode);

}  // namespace anycuda::compat::test
