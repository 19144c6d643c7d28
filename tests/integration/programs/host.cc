// SPDX-License-Identifier: Apache-2.0

// A program that knows no CUDA: it loads the files it is given, as an interpreter does, and calls
// functions in them by name. The arguments are steps (steps.h), on the file that was opened last:
//   import:FILE     open it
//   call:NAME       call `int NAME()` of it, found by dlsym
//   call:NAME@NODE  the same with dlvsym
//   close           close it, and say whether it is gone
//   mark:NAME       leaves a trace for strace
#include <unistd.h>

#include "steps.h"

namespace {

using Text = const std::string&;

struct Opened {
  void* handle;
  std::string file;
};
std::vector<Opened> opened;

std::string import_file(Text file) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return dlerror();
  opened.push_back({handle, file});
  return "yes";
}

std::string call(Text text) {
  const std::size_t at = text.find('@');
  const std::string name = text.substr(0, at);
  void* function = at == std::string::npos
                       ? dlsym(opened.back().handle, name.c_str())
                       : dlvsym(opened.back().handle, name.c_str(), text.substr(at + 1).c_str());
  if (function == nullptr) return std::string("not found: ") + dlerror();
  return std::to_string(reinterpret_cast<int (*)()>(function)());
}

std::string close_file(Text) {
  const Opened last = opened.back();
  opened.pop_back();
  dlclose(last.handle);
  return dlopen(last.file.c_str(), RTLD_NOW | RTLD_NOLOAD) == nullptr ? "gone" : "still there";
}

std::string mark(Text name) {
  access(("/anycuda-mark/" + name).c_str(), F_OK);
  return "made";
}

}  // namespace

int main(int argc, char** argv) {
  return steps::make_all(
      argc, argv, {{"import", import_file}, {"call", call}, {"close", close_file}, {"mark", mark}});
}
