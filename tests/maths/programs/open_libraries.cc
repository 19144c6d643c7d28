// SPDX-License-Identifier: Apache-2.0

// Opens real libraries by their paths, as an application's plugins do, and calls functions by name:
//
//   open_libraries open:/…/libcublas.so.12 create:cublasCreate_v2 text:cublasGetStatusString
//   maps:libcublas
#include <fstream>
#include <set>

#include "integration/programs/steps.h"

namespace {

void* library = nullptr;  // the last that was opened

bool open(const std::string& file) {
  library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  steps::say("open", library != nullptr ? "yes" : dlerror());
  return library != nullptr;
}

// A function that makes an object and returns a status; the object is not used.
bool create(const std::string& name) {
  using Create = int(void**);
  auto* const function = reinterpret_cast<Create*>(dlsym(library, name.c_str()));
  if (function == nullptr) return false;
  void* object = nullptr;
  steps::say(name, std::to_string(function(&object)));
  return true;
}

// A function that has a text for a status.
bool text(const std::string& name) {
  using Text = const char*(int);
  auto* const function = reinterpret_cast<Text*>(dlsym(library, name.c_str()));
  if (function == nullptr) return false;
  const char* const result = function(1);
  steps::say(name, result != nullptr ? result : "(null)");
  return true;
}

// All mapped files whose name contains `part`, stubs and drop-ins too, in the order of their paths.
void maps(const std::string& part) {
  std::set<std::string> files;
  std::ifstream stream("/proc/self/maps");
  for (std::string line; std::getline(stream, line);) {
    const std::size_t path = line.find('/');
    if (path == std::string::npos) continue;
    if (line.find(part, line.rfind('/')) != std::string::npos) files.insert(line.substr(path));
  }
  for (const std::string& file : files) steps::say("mapped", file);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t colon = argument.find(':');
    const std::string step = argument.substr(0, colon);
    const std::string rest = colon == std::string::npos ? "" : argument.substr(colon + 1);
    bool made = true;
    if (step == "maps") {
      maps(rest);
    } else {
      made = step == "open" ? open(rest) : step == "text" ? text(rest) : create(rest);
    }
    if (!made) return 2;
  }
  return 0;
}
