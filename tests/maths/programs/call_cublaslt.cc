// SPDX-License-Identifier: Apache-2.0

// cuBLASLt: what it answers without a GPU (calls.h).
#include <cublasLt.h>

#include "calls.h"

namespace {

using calls::line;

void version() {
  line("version", cublasLtGetVersion());
  line("runtime", cublasLtGetCudartVersion());
  calls::properties("property", cublasLtGetProperty);
}

void texts() {
  for (int status = -1; status <= 20; ++status) {
    line("status " + std::to_string(status), cublasLtGetStatusName(cublasStatus_t(status)),
         cublasLtGetStatusString(cublasStatus_t(status)));
  }
}

void create() {
  cublasLtHandle_t handle = nullptr;
  line("create", cublasLtCreate(&handle), handle);
  line("destroy", cublasLtDestroy(nullptr));
}

// Attributes by number, so that programs of all majors ask the same: those that the library has,
// some that it lacks. `last`: the last that every major's header has, for objects whose memory is
// the caller's.
template <typename Object, typename Set, typename Get>
void attributes(const std::string& name, Object object, Set set, Get get, int first, int last) {
  for (int attribute = first; attribute <= last; ++attribute) {
    const std::string each = name + " " + std::to_string(attribute);
    for (const std::size_t size : {std::size_t(4), std::size_t(8)}) {
      const std::int64_t value = size == 4 ? 1 : 2;
      line(each + " set " + std::to_string(size), set(object, attribute, &value, size));
    }
    std::int64_t value = 0;
    std::size_t written = 0;
    line(each + " get", get(object, attribute, &value, sizeof(value), &written), value, written);
    written = 0;
    line(each + " size", get(object, attribute, nullptr, 0, &written), written);
  }
}

// cublasLt's attributes are different enumerations.
#define SETTER(function, type)                                          \
  [](auto object, int attribute, const void* value, std::size_t size) { \
    return function(object, static_cast<type>(attribute), value, size); \
  }
#define GETTER(function, type)                                                          \
  [](auto object, int attribute, void* value, std::size_t size, std::size_t* written) { \
    return function(object, static_cast<type>(attribute), value, size, written);        \
  }
const auto set_layout = SETTER(cublasLtMatrixLayoutSetAttribute, cublasLtMatrixLayoutAttribute_t);
const auto get_layout = GETTER(cublasLtMatrixLayoutGetAttribute, cublasLtMatrixLayoutAttribute_t);
const auto set_matmul = SETTER(cublasLtMatmulDescSetAttribute, cublasLtMatmulDescAttributes_t);
const auto get_matmul = GETTER(cublasLtMatmulDescGetAttribute, cublasLtMatmulDescAttributes_t);
const auto set_transform =
    SETTER(cublasLtMatrixTransformDescSetAttribute, cublasLtMatrixTransformDescAttributes_t);
const auto get_transform =
    GETTER(cublasLtMatrixTransformDescGetAttribute, cublasLtMatrixTransformDescAttributes_t);
const auto set_preference =
    SETTER(cublasLtMatmulPreferenceSetAttribute, cublasLtMatmulPreferenceAttributes_t);
const auto get_preference =
    GETTER(cublasLtMatmulPreferenceGetAttribute, cublasLtMatmulPreferenceAttributes_t);

void created() {
  cublasLtMatrixLayout_t layout = nullptr;
  cublasLtMatmulDesc_t matmul = nullptr;
  cublasLtMatrixTransformDesc_t transform = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  line("create layout", cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 4, 8, 4), layout);
  attributes("layout", layout, set_layout, get_layout, 0, 20);
  line("destroy layout", cublasLtMatrixLayoutDestroy(layout));
  line("create matmul", cublasLtMatmulDescCreate(&matmul, CUBLAS_COMPUTE_32F, CUDA_R_32F), matmul);
  attributes("matmul", matmul, set_matmul, get_matmul, 0, 50);
  line("destroy matmul", cublasLtMatmulDescDestroy(matmul));
  line("create transform", cublasLtMatrixTransformDescCreate(&transform, CUDA_R_32F), transform);
  attributes("transform", transform, set_transform, get_transform, 0, 5);
  line("destroy transform", cublasLtMatrixTransformDescDestroy(transform));
  line("create preference", cublasLtMatmulPreferenceCreate(&preference), preference);
  attributes("preference", preference, set_preference, get_preference, 0, 12);
  // From 13 on 11 and 13 disagree (stubs/cublaslt/abi/adapters).
  attributes("preference", preference, set_preference, get_preference, 13, 16);
  line("destroy preference", cublasLtMatmulPreferenceDestroy(preference));
}

// Descriptors in the caller's memory, as large as its own header says: the library stays inside.
void in_place() {
  calls::Guarded layout(sizeof(cublasLtMatrixLayoutOpaque_t));
  auto* layout_at = layout.as<cublasLtMatrixLayoutOpaque_t>();
  line("init layout", cublasLtMatrixLayoutInit(layout_at, CUDA_R_32F, 4, 8, 4));
  attributes("layout in place", layout_at, set_layout, get_layout, 0, 7);
  line("layout's guard", layout.intact());
  calls::Guarded matmul(sizeof(cublasLtMatmulDescOpaque_t));
  auto* matmul_at = matmul.as<cublasLtMatmulDescOpaque_t>();
  line("init matmul", cublasLtMatmulDescInit(matmul_at, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  attributes("matmul in place", matmul_at, set_matmul, get_matmul, 0, 25);
  line("matmul's guard", matmul.intact());
  calls::Guarded transform(sizeof(cublasLtMatrixTransformDescOpaque_t));
  auto* transform_at = transform.as<cublasLtMatrixTransformDescOpaque_t>();
  line("init transform", cublasLtMatrixTransformDescInit(transform_at, CUDA_R_32F));
  attributes("transform in place", transform_at, set_transform, get_transform, 0, 3);
  line("transform's guard", transform.intact());
  calls::Guarded preference(sizeof(cublasLtMatmulPreferenceOpaque_t));
  auto* preference_at = preference.as<cublasLtMatmulPreferenceOpaque_t>();
  line("init preference", cublasLtMatmulPreferenceInit(preference_at));
  attributes("preference in place", preference_at, set_preference, get_preference, 0, 12);
  line("preference's guard", preference.intact());
}

void without_handle() {
  cublasLtMatmulAlgo_t algorithm = {};
  int ids[2] = {-1, -1};
  int count = -1;
  std::size_t written = 0;
  std::int32_t value = -1;
  line("matmul",
       cublasLtMatmul(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                      nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0, nullptr));
  line("transform", cublasLtMatrixTransform(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                            nullptr, nullptr, nullptr, nullptr, nullptr));
  line("algorithms", cublasLtMatmulAlgoGetIds(nullptr, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F,
                                              CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 2, ids, &count));
  line("get config", cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID,
                                                          &value, sizeof(value), &written));
}

void settings() {
  std::size_t capacity = 77;
  line("set capacity", cublasLtHeuristicsCacheSetCapacity(16));
  line("get capacity", cublasLtHeuristicsCacheGetCapacity(&capacity), capacity);
  line("log level", cublasLtLoggerSetLevel(0));
  line("log level out of range", cublasLtLoggerSetLevel(99));
  line("log mask", cublasLtLoggerSetMask(0));
  line("log callback", cublasLtLoggerSetCallback(nullptr));
  line("log file", cublasLtLoggerSetFile(nullptr));
  line("log off", cublasLtLoggerForceDisable());
}

void from_13_on() {
#if PROGRAM_MAJOR >= 13
  cublasLtEmulationDesc_t emulation = nullptr;
  line("create emulation", cublasLtEmulationDescCreate(&emulation));
  line("destroy emulation", cublasLtEmulationDescDestroy(emulation));
  cublasLtMatrixLayout_t layout = nullptr;
  line("create grouped layout",
       cublasLtGroupedMatrixLayoutCreate(&layout, CUDA_R_32F, 1, nullptr, nullptr, nullptr));
#endif
}

}  // namespace

int main(int argc, char** argv) {
  return calls::make(argc, argv,
                     {{"version", version},
                      {"texts", texts},
                      {"create", create},
                      {"created", created},
                      {"in-place", in_place},
                      {"without-handle", without_handle},
                      {"settings", settings},
                      {"from-13-on", from_13_on}});
}
