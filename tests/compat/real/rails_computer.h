// SPDX-License-Identifier: Apache-2.0

// A machine (support/machine.h) on which programs/rails.cc runs, and what each of its steps
// printed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "support/install.h"
#include "support/machine.h"
#include "support/this_computer.h"

namespace anycuda::test {

inline std::string why_missing(std::initializer_list<const char*> artifacts) {
  for (const char* artifact : artifacts) {
    const std::string reason = Artifacts::of_this_build().why_missing(artifact);
    if (!reason.empty()) return reason;
  }
  return {};
}

#define NEEDS_ARTIFACTS(...) \
  if (const std::string reason = why_missing({__VA_ARGS__}); !reason.empty()) GTEST_SKIP() << reason

// One of those that guard_rails.cmake makes.
inline std::string fake_library(const std::string& name) {
  return std::string(ANYCUDA_BINARY_DIR) + "/programs/" + name;
}

inline std::filesystem::path file_of(const std::string& artifact, const std::string& name) {
  return Artifacts::of_this_build().file(artifact, name);
}

// Of a step that was done twice, what the second said.
class Steps {
 public:
  Steps(const std::vector<std::string>& steps, const ProcessResult& result) {
    EXPECT_TRUE(result.ok()) << result.describe();
    std::size_t at = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::string title = steps[i] + ": ";
      const std::size_t begin = result.out.find(title, at);
      if (begin == std::string::npos) continue;  // an option
      at = begin + title.size();
      const std::size_t next = i + 1 < steps.size()
                                   ? result.out.find("\n" + steps[i + 1] + ": ", at)
                                   : std::string::npos;
      const std::size_t end = next == std::string::npos ? result.out.size() - 1 : next;
      said_[steps[i]] = result.out.substr(at, end - at);
    }
  }
  std::string operator[](const std::string& step) const {
    const auto found = said_.find(step);
    return found != said_.end() ? found->second : "the step was not done";
  }

 private:
  std::map<std::string, std::string> said_;
};

class RailsComputer : public Machine {
 public:
  Steps rails(const std::vector<std::string>& steps) const {
    std::vector<std::string> argv = {std::string(ANYCUDA_BINARY_DIR) + "/programs/rails"};
    argv.insert(argv.end(), steps.begin(), steps.end());
    return Steps(steps, run(argv));
  }

  // A wheel in another site-packages, which is outside every environment.
  std::string extra_wheel(Component library, const std::string& version, const std::string& name) {
    const Path site = root() / name / "lib/python3.12/site-packages";
    install_wheel(Artifacts::of_this_build().folder(std::string(library.name) + "-" + version),
                  site);
    return site.string();
  }

  // An artifact that is of headers, as a wheel of that name and version has them.
  void wheel_of_headers(const std::string& artifact, const std::string& distribution,
                        const std::string& version) {
    namespace fs = std::filesystem;
    const Path from = Artifacts::of_this_build().folder(artifact);
    std::string record;
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
      if (!entry.is_regular_file() || entry.path().filename().string()[0] == '.') continue;
      const Path inside = fs::relative(entry.path(), from);
      place_file(entry.path(), site_packages() / inside);
      record += inside.string() + ",,\n";
    }
    std::string folder = distribution + "-" + version + ".dist-info";
    std::replace(folder.begin(), folder.begin() + static_cast<long>(distribution.size()), '-', '_');
    const Path info = site_packages() / folder;
    put_file(info / "RECORD", record);
    put_file(info / "METADATA",
             "Metadata-Version: 2.1\nName: " + distribution + "\nVersion: " + version + "\n");
    put_file("venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.0\n");
    env("VIRTUAL_ENV", (root() / "venv").string());
  }

  void remove_metadata() {
    for (const auto& entry : std::filesystem::directory_iterator(site_packages())) {
      if (entry.path().extension() == ".dist-info") std::filesystem::remove_all(entry.path());
    }
  }

  // A library that it needs has a name now that there is not: only the dynamic linker sees that.
  void need_what_is_not_there(const Path& file) {
    const Path copy = file.string() + ".own";
    std::filesystem::copy_file(file, copy);
    std::filesystem::rename(copy, file);
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    const std::size_t at = bytes.find(std::string("\0libpthread.so.0", 16));
    ASSERT_NE(at, std::string::npos);
    stream.clear();
    stream.seekp(static_cast<std::streamoff>(at) + 1);
    stream << "libnothere.so.0";
  }
};

}  // namespace anycuda::test
