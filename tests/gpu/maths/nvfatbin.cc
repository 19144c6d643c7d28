// SPDX-License-Identifier: Apache-2.0

// nvFatbin: fat binaries of PTX and of a CUBIN, loaded by the driver and run.
#include <cuda.h>
#include <nvFatbin.h>

#include "check.h"
#include "memory.h"

// The stub's answer for a function that the loaded nvFatbin lacks.
inline bool is_absent(nvFatbinResult) { return false; }
inline bool is_absent(CUresult) { return false; }

// Of CUDA 13.1: natively it may be missing.
#pragma weak nvFatbinAddTileIR

namespace maths {
namespace {

// Each thread writes seven times its number.
constexpr char kPtx[] = R"(.version 7.0
.target sm_52
.address_size 64
.visible .entry sevenfold(.param .u64 to) {
  .reg .b32 %r<3>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [to];
  cvta.to.global.u64 %d2, %d1;
  mov.u32 %r1, %tid.x;
  mul.lo.s32 %r2, %r1, 7;
  mul.wide.u32 %d3, %r1, 4;
  add.s64 %d3, %d2, %d3;
  st.global.u32 [%d3], %r2;
  ret;
}
)";

void version(Check& check) {
  Guarded<unsigned> major, minor;
  NEED(check, nvFatbinVersion(major.get(), minor.get()));
  INTACT(check, major);
  INTACT(check, minor);
  check.value("major", *major);
  check.value("minor", *minor);
  EXPECT(check, *major >= 12);
  EXPECT(check, nvFatbinGetErrorString(NVFATBIN_ERROR_INTERNAL) != nullptr);
}

// A fat binary, to which `add` adds code.
template <typename Add>
std::vector<char> made(Check& check, Add add) {
  const char* options[] = {"-64", "-compress=true"};
  Guarded<nvFatbinHandle> handle;
  std::vector<char> bytes;
  if (!CALL(check, nvFatbinCreate(handle.get(), options, 2))) return bytes;
  INTACT(check, handle);
  add(*handle);
  Guarded<std::size_t> size;
  if (CALL(check, nvFatbinSize(*handle, size.get()))) {
    INTACT(check, size);
    constexpr std::size_t kGuard = 64;
    bytes.assign(*size + kGuard, '\xA5');
    CALL(check, nvFatbinGet(*handle, bytes.data()));
    for (std::size_t i = *size; i < bytes.size(); ++i) {
      if (bytes[i] != '\xA5') check.fail("written past the end of the fat binary");
    }
  }
  CALL(check, nvFatbinDestroy(handle.get()));
  INTACT(check, handle);
  return bytes;
}

// The driver's functions, as the runtime finds them: the program is linked only with the runtime.
template <typename Function>
Function driver(Check& check, const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  CALL(check, cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result));
  if (found == nullptr) check.fail(std::string("the driver has no ") + name);
  return reinterpret_cast<Function>(found);
}

// The kernel in a fat binary writes what it should.
void run_kernel(Check& check, const std::vector<char>& fatbin) {
  const auto load = driver<decltype(&cuModuleLoadData)>(check, "cuModuleLoadData");
  const auto unload = driver<decltype(&cuModuleUnload)>(check, "cuModuleUnload");
  const auto find = driver<decltype(&cuModuleGetFunction)>(check, "cuModuleGetFunction");
  const auto launch = driver<decltype(&cuLaunchKernel)>(check, "cuLaunchKernel");
  if (!check || fatbin.empty()) return;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  NEED(check, load(&module, fatbin.data()));
  NEED(check, find(&function, module, "sevenfold"));
  constexpr int kThreads = 64;
  DeviceArray<int> numbers(kThreads);
  int* to = numbers.data();
  void* parameters[] = {&to};
  NEED(check, launch(function, 1, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr));
  NEED(check, cudaDeviceSynchronize());
  const std::vector<int> got = numbers.get(check);
  for (int i = 0; i < kThreads; ++i) {
    if (got[i] != 7 * i) return check.fail("the kernel wrote other numbers");
  }
  NEED(check, unload(module));
}

void add_ptx(Check& check, nvFatbinHandle handle) {
  CALL(check, nvFatbinAddPTX(handle, kPtx, sizeof kPtx, "52", "sevenfold", ""));
}

void module(Check& check) {
  const std::vector<char> fatbin = made(check, [&](nvFatbinHandle to) { add_ptx(check, to); });
  check.value("size", static_cast<double>(fatbin.size()));
  NEED(check, cudaFree(nullptr));  // makes the context
  run_kernel(check, fatbin);
}

// The driver's linker makes a CUBIN of the same PTX.
void cubin(Check& check) {
  NEED(check, cudaFree(nullptr));
  const auto create = driver<decltype(&cuLinkCreate)>(check, "cuLinkCreate");
  const auto add = driver<decltype(&cuLinkAddData)>(check, "cuLinkAddData");
  const auto complete = driver<decltype(&cuLinkComplete)>(check, "cuLinkComplete");
  const auto destroy = driver<decltype(&cuLinkDestroy)>(check, "cuLinkDestroy");
  if (!check) return;
  CUlinkState state = nullptr;
  NEED(check, create(0, nullptr, nullptr, &state));
  NEED(check, add(state, CU_JIT_INPUT_PTX, const_cast<char*>(kPtx), sizeof kPtx, "sevenfold", 0,
                  nullptr, nullptr));
  void* code = nullptr;
  std::size_t size = 0;
  NEED(check, complete(state, &code, &size));
  cudaDeviceProp properties{};
  NEED(check, cudaGetDeviceProperties(&properties, 0));
  const std::string architecture = std::to_string(properties.major * 10 + properties.minor);
  const std::vector<char> fatbin = made(check, [&](nvFatbinHandle to) {
    CALL(check, nvFatbinAddCubin(to, code, size, architecture.c_str(), "sevenfold"));
  });
  check.value("size", static_cast<double>(fatbin.size()));
  run_kernel(check, fatbin);
  NEED(check, destroy(state));
}

// What is not code of its kind gets the same answer as natively.
void other_kinds(Check& check) {
  const char nothing[64] = "not code";
  made(check, [&](nvFatbinHandle to) {
    add_ptx(check, to);
    check.value("LTO IR",
                nvFatbinAddLTOIR(to, nothing, sizeof nothing, "90", "nothing", "-arch=sm_90"));
    check.value("index", nvFatbinAddIndex(to, nothing, sizeof nothing, "nothing"));
    check.value("relocatable", nvFatbinAddReloc(to, nothing, sizeof nothing));
#if CUDART_VERSION >= 13010
    if (nvFatbinAddTileIR != nullptr) {
      EXPECT(check, nvFatbinAddTileIR(to, nothing, sizeof nothing, "nothing", "") >= 0);
    }
#endif
  });
}

void refusals(Check& check) {
  Guarded<nvFatbinHandle> handle;
  const char* options[] = {"-no-such-option"};
  REFUSED(check, NVFATBIN_ERROR_UNRECOGNIZED_OPTION, nvFatbinCreate(handle.get(), options, 1));
  EXPECT(check, handle.intact());
}

}  // namespace

void run() {
  run_topics<>("nvfatbin", {{"version", version},
                            {"module", module},
                            {"cubin", cubin},
                            {"other_kinds", other_kinds},
                            {"refusals", refusals}});
}

}  // namespace maths
