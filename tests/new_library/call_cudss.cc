// SPDX-License-Identifier: Apache-2.0

// cuDSS: what it answers without a GPU (tests/maths/programs/calls.h).
#include <cudss.h>

#include "maths/programs/calls.h"

namespace {

using calls::line;

// The library keeps these addresses and does not read the memory.
void* address(std::uintptr_t value) { return reinterpret_cast<void*>(value); }
std::uintptr_t value_of(void* address) { return reinterpret_cast<std::uintptr_t>(address); }

void version() { calls::properties("property", cudssGetProperty); }

// By number: 0.7 has renumbered the parameters, and a stub hands on the number that it gets.
void config() {
  cudssConfig_t config = nullptr;
  line("config create", cudssConfigCreate(&config), config);
  for (int number = 0; number < 8; ++number) {
    const auto parameter = static_cast<cudssConfigParam_t>(number);
    const std::string name = "config " + std::to_string(number);
    int value[4] = {-1, -1, -1, -1};  // none of them is larger
    int wanted[4] = {1, 0, 0, 0};
    std::size_t size = 77;
    line(name, cudssConfigGet(config, parameter, value, sizeof(int), &size), value[0], size);
    line(name + " set", cudssConfigSet(config, parameter, wanted, sizeof(int)));
    line(name + " then", cudssConfigGet(config, parameter, value, sizeof(int), nullptr), value[0]);
  }
  line("config destroy", cudssConfigDestroy(config));
  line("config destroy none", cudssConfigDestroy(nullptr));
}

void dense() {
  cudssMatrix_t matrix = nullptr;
  std::int64_t rows = 77, columns = 77, leading = 77;
  void* values = address(77);
  cudaDataType_t type = CUDA_R_8I;
  cudssLayout_t layout = CUDSS_LAYOUT_ROW_MAJOR;
  int format = 77;
  line("dense create",
       cudssMatrixCreateDn(&matrix, 5, 2, 6, address(64), CUDA_R_64F, CUDSS_LAYOUT_COL_MAJOR),
       matrix);
  line("dense format", cudssMatrixGetFormat(matrix, &format), format);
  line("dense set", cudssMatrixSetValues(matrix, address(128)));
  const cudssStatus_t status =
      cudssMatrixGetDn(matrix, &rows, &columns, &leading, &values, &type, &layout);
  line("dense get", status, rows, columns, leading, value_of(values));
  line("dense kind", type, layout);
  line("dense destroy", cudssMatrixDestroy(matrix));
}

void sparse() {
  cudssMatrix_t matrix = nullptr;
  std::int64_t rows = 77, columns = 77, nonzeros = 77;
  void *starts = nullptr, *ends = nullptr, *indices = nullptr, *values = nullptr;
  cudaDataType_t index = CUDA_R_8I, type = CUDA_R_8I;
  cudssMatrixType_t kind = CUDSS_MTYPE_GENERAL;
  cudssMatrixViewType_t view = CUDSS_MVIEW_FULL;
  cudssIndexBase_t base = CUDSS_BASE_ZERO;
  line("sparse create",
       cudssMatrixCreateCsr(&matrix, 5, 5, 8, address(64), nullptr, address(128), address(256),
                            CUDA_R_32I, CUDA_R_64F, CUDSS_MTYPE_SPD, CUDSS_MVIEW_UPPER,
                            CUDSS_BASE_ONE),
       matrix);
  const cudssStatus_t status =
      cudssMatrixGetCsr(matrix, &rows, &columns, &nonzeros, &starts, &ends, &indices, &values,
                        &index, &type, &kind, &view, &base);
  line("sparse get", status, rows, columns, nonzeros);
  line("sparse pointers", value_of(starts), value_of(ends), value_of(indices), value_of(values));
  line("sparse kind", index, type, kind, view, base);
  line("sparse destroy", cudssMatrixDestroy(matrix));
}

void handle() {
  cudssHandle_t handle = nullptr;
  auto* data = static_cast<cudssData_t>(address(77));
  line("create", cudssCreate(&handle), handle);
  line("stream", cudssSetStream(nullptr, nullptr));
  line("data create", cudssDataCreate(nullptr, &data));
  line("execute",
       cudssExecute(nullptr, CUDSS_PHASE_ANALYSIS, nullptr, nullptr, nullptr, nullptr, nullptr));
  line("destroy", cudssDestroy(nullptr));
}

void from_0_7_on() {
#if CUDSS_VERSION >= 700
  cudssHandle_t handle = nullptr;
  int devices[1] = {0};
  std::int64_t first = 77, last = 77;
  line("create on several", cudssCreateMg(&handle, 1, devices), handle);
  line("distribution", cudssMatrixGetDistributionRow1d(nullptr, &first, &last));
  line("set distribution", cudssMatrixSetDistributionRow1d(nullptr, 0, 4));
#endif
}

}  // namespace

int main(int argc, char** argv) {
  return calls::make(argc, argv,
                     {{"version", version},
                      {"config", config},
                      {"dense", dense},
                      {"sparse", sparse},
                      {"handle", handle},
                      {"from-0-7-on", from_0_7_on}});
}
