// SPDX-License-Identifier: Apache-2.0

// Does what its arguments say, one after the other: "+FILE" opens an object, "-N" closes the Nth
// that was opened, "call" calls CUDA, "init" has the last object ask for its module.
// Linked once against the stub and once against the recorder itself.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "runtime.h"

int main(int count, char** arguments) {
  std::vector<void*> objects;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument[0] == '+') {
      objects.push_back(dlopen(argument.c_str() + 1, RTLD_LAZY));
      if (objects.back() == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
      }
    } else if (argument[0] == '-') {
      dlclose(objects.at(std::strtoul(argument.c_str() + 1, nullptr, 10)));
    } else if (argument == "call") {
      int devices = 0;
      const int status = cudaGetDeviceCount(&devices);
      std::printf("devices %d:%d\n", status, devices);
    } else if (argument == "init") {
      const auto init = reinterpret_cast<int (*)()>(dlsym(objects.back(), "init_module"));
      std::printf("init %d\n", init());
    }
  }
  return 0;
}
