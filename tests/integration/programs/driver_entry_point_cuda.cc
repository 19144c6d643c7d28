// SPDX-License-Identifier: Apache-2.0

// A program compiled with the newest cuda.h, which therefore uses the newest form of each function
// (steps.h). Linked with the stub: an older driver lacks some of them.
#include <cuda.h>

#include "steps.h"

// An older form of cuCtxCreate: the newest header has no name for it.
extern "C" CUresult cuCtxCreate_v3(CUcontext*, CUexecAffinityParam*, int, unsigned, CUdevice);

namespace {

using Text = const std::string&;

template <typename Call>
std::string handle(const char* name, Call call) {
  void* made = &made;
  const std::string result = steps::status(name, [&] { return call(&made); });
  return result + (made == nullptr ? " null" : made == &made ? " untouched" : " made");
}

std::string context(Text) {  // cuCtxCreate_v4
  return handle("context", [](void** made) {
    return cuCtxCreate(reinterpret_cast<CUcontext*>(made), nullptr, 0, 0);
  });
}

std::string older_context(Text) {
  return handle("older-context", [](void** made) {
    return cuCtxCreate_v3(reinterpret_cast<CUcontext*>(made), nullptr, 0, 0, 0);
  });
}

std::string elapsed(Text) {  // cuEventElapsedTime_v2
  float time = 77;
  return steps::status("elapsed", [&] { return cuEventElapsedTime(&time, nullptr, nullptr); });
}

std::string advise(Text) {  // cuMemAdvise_v2
  return steps::status("advise",
                       [] { return cuMemAdvise(0, 0, CU_MEM_ADVISE_SET_READ_MOSTLY, {}); });
}

std::string add_node(Text) {  // cuGraphAddNode_v2
  return handle("add-node", [](void** made) {
    return cuGraphAddNode(reinterpret_cast<CUgraphNode*>(made), nullptr, nullptr, nullptr, 0,
                          nullptr);
  });
}

std::string green_context(Text) {  // since 12.4
  return handle("green-context", [](void** made) {
    return cuGreenCtxCreate(reinterpret_cast<CUgreenCtx*>(made), nullptr, 0, 0);
  });
}

// Name of the function behind an address, and of its file.
std::string name_of(void* address) {
  Dl_info found = {};
  if (address == nullptr) return "null";
  if (dladdr(address, &found) == 0 || found.dli_sname == nullptr) return "unknown";
  const std::string file = found.dli_fname;
  return std::string(found.dli_sname) + " of " + file.substr(file.rfind('/') + 1);
}

// "cuMemAlloc,12000": status, the function's name, the driver's word on it.
std::string address(Text text) {
  const std::size_t comma = text.find(',');
  void* found = nullptr;
  auto word = static_cast<CUdriverProcAddressQueryResult>(77);
  const std::string result = steps::status("address", [&] {
    return cuGetProcAddress(text.substr(0, comma).c_str(), &found,
                            std::stoi(text.substr(comma + 1)), CU_GET_PROC_ADDRESS_DEFAULT, &word);
  });
  return result + " " + name_of(found) + " " + std::to_string(word);
}

}  // namespace

int main(int argc, char** argv) {
  return steps::make_all(argc, argv,
                         {{"context", context},
                          {"older-context", older_context},
                          {"elapsed", elapsed},
                          {"advise", advise},
                          {"add-node", add_node},
                          {"green-context", green_context},
                          {"address", address}});
}
