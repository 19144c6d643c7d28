// SPDX-License-Identifier: Apache-2.0

// A process with several copies of the runtime's stub. The arguments are steps (steps.h):
//   copy:FILE       open a copy; the steps behind it are about it
//   use:NUMBER      about the NUMBER-th copy again
//   call:NAME       call `int NAME(buffer, 8, 0, 0)` of the copy, found by dlsym
//   call:NAME@NODE  the same with dlvsym
//   from:FILE       calls come from that object (caller_object.c), and no longer from the program
//   version         cudaRuntimeGetVersion of the copy
//   set:NAME=VALUE  set a variable
//   race:NUMBER     NUMBER threads make the first calls, each through another copy and object
//   register:NAME   register a fat binary with one kernel, as a static constructor does
//   unregister      take it back
//   close           dlclose, and say whether it is gone
#include <atomic>

#include "steps.h"

namespace {

using Text = const std::string&;
using Function = int (*)(void*, std::size_t, std::size_t, std::size_t);
using Caller = int (*)(Function, void*);

std::vector<void*> copies;
std::vector<Caller> callers;
void* used = nullptr;
Caller caller = nullptr;
char buffer[4096];

std::string open_copy(Text file) {
  used = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (used == nullptr) return dlerror();
  copies.push_back(used);
  return "yes";
}

std::string use_copy(Text number) {
  used = copies.at(std::stoul(number) - 1);
  return number;
}

std::string call_from(Text file) {
  void* object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) return dlerror();
  caller = reinterpret_cast<Caller>(dlsym(object, "call_from_here"));
  callers.push_back(caller);
  return "yes";
}

template <typename Type>
Type function(void* copy, Text text) {
  const std::size_t at = text.find('@');
  const std::string name = text.substr(0, at);
  return reinterpret_cast<Type>(at == std::string::npos
                                    ? dlsym(copy, name.c_str())
                                    : dlvsym(copy, name.c_str(), text.substr(at + 1).c_str()));
}

std::string call(Text text) {
  const auto called = function<Function>(used, text);
  if (called == nullptr) return std::string("not found: ") + dlerror();
  return std::to_string(caller != nullptr ? caller(called, buffer) : called(buffer, 8, 0, 0));
}

int version_of(void* copy, Caller from) {
  int version = 0;
  const auto called = function<Function>(copy, "cudaRuntimeGetVersion");
  const int status = from != nullptr ? from(called, &version) : called(&version, 0, 0, 0);
  return status == 0 ? version : -status;
}

std::string version(Text) { return std::to_string(version_of(used, caller)); }

std::string set_variable(Text text) {
  const std::size_t equals = text.find('=');
  return setenv(text.substr(0, equals).c_str(), text.substr(equals + 1).c_str(), 1) == 0 ? "yes"
                                                                                         : "no";
}

std::string race(Text number) {
  const std::size_t count = std::stoul(number);
  std::atomic<std::size_t> ready{0};
  std::vector<int> found(count);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < count) {
      }
      found[i] = version_of(copies[i % copies.size()],
                            callers.empty() ? nullptr : callers[i % callers.size()]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int one : found) {
    if (one != found[0]) return std::to_string(found[0]) + " and " + std::to_string(one);
  }
  return "one version";
}

struct FatBinary {
  int magic = 0x466243b1;
  int version = 1;
  const void* data = nullptr;
  void* unused = nullptr;
};
FatBinary fat_binaries[8];
std::size_t registered = 0;
std::vector<void**> handles;

std::string register_kernel(Text name) {
  void** handle =
      function<void** (*)(void*)>(used, "__cudaRegisterFatBinary")(&fat_binaries[registered++]);
  handles.push_back(handle);
  using Register =
      void (*)(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
  static std::vector<std::string> names(8);
  names[registered - 1] = name;
  char* text = names[registered - 1].data();
  function<Register>(used, "__cudaRegisterFunction")(handle, text, text, text, -1, nullptr, nullptr,
                                                     nullptr, nullptr, nullptr);
  function<void (*)(void**)>(used, "__cudaRegisterFatBinaryEnd")(handle);
  return "done";
}

std::string unregister(Text) {
  function<void (*)(void**)>(used, "__cudaUnregisterFatBinary")(handles.back());
  handles.pop_back();
  return "done";
}

std::string close_copy(Text) {
  const std::string name = static_cast<const link_map*>(used)->l_name;
  dlclose(used);
  return dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD) == nullptr ? "gone" : "still there";
}

}  // namespace

int main(int argc, char** argv) {
  return steps::make_all(argc, argv,
                         {{"copy", open_copy},
                          {"use", use_copy},
                          {"from", call_from},
                          {"call", call},
                          {"version", version},
                          {"set", set_variable},
                          {"race", race},
                          {"register", register_kernel},
                          {"unregister", unregister},
                          {"close", close_copy}});
}
