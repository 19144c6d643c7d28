// Opens real libraries by their paths, as an application's plugins do, and calls functions by name:
//
//   open_libraries open:/…/libcublas.so.12 cublasCreate_v2 maps:libcublas
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
bool call(const std::string& name) {
  using Create = int(void**);
  auto* const create = reinterpret_cast<Create*>(dlsym(library, name.c_str()));
  if (create == nullptr) {
    steps::say(name, dlerror());
    return false;
  }
  void* object = nullptr;
  steps::say(name, std::to_string(create(&object)));
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
    if (argument.rfind("open:", 0) == 0) {
      if (!open(argument.substr(5))) return 2;
    } else if (argument.rfind("maps:", 0) == 0) {
      maps(argument.substr(5));
    } else if (!call(argument)) {
      return 2;
    }
  }
  return 0;
}
