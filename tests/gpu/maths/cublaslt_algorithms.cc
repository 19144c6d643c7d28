// SPDX-License-Identifier: Apache-2.0

// cuBLASLt: algorithms by their numbers, what they can and how they are set; descriptors of
// transforms; the log, versions, texts, and the library's settings.
#include <cstdio>
#include <cstring>

#include "cublaslt_support.h"

// Newer than the oldest CUDA 13, whose library a program started natively may have.
#if CUDART_VERSION >= 13010
#pragma weak cublasLtGroupedMatrixLayoutCreate
#endif
#if CUDART_VERSION >= 13030
#pragma weak cublasLtMatmulAlgoGetHeuristicForStream
#pragma weak cublasLtMatmulAlgoCheckForStream
#endif

namespace maths {
namespace {

constexpr int kM = 64, kN = 32, kK = 48;
constexpr Types kSingle{CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F};

struct Data {
  std::vector<float> a = random_values<float>(kM * kK, 1), b = random_values<float>(kK * kN, 2);
  std::vector<double> want = flat(product(a, b, kM, kN, kK));
  DeviceArray<float> on_a{a}, on_b{b}, on_d{static_cast<std::size_t>(kM) * kN};
};

// What an algorithm lists: none of these lists has more.
struct List {
  std::uint32_t all[1024];
};
std::vector<std::uint32_t> listed(Check& check, const cublasLtMatmulAlgo_t* algorithm,
                                  cublasLtMatmulAlgoCapAttributes_t attribute) {
  Guarded<List> list;
  Guarded<std::size_t> written{std::size_t{0}};
  if (!CALL(check, cublasLtMatmulAlgoCapGetAttribute(algorithm, attribute, list->all,
                                                     sizeof list->all, written.get()))) {
    return {};
  }
  INTACT(check, list);
  INTACT(check, written);
  return {list->all, list->all + *written / sizeof list->all[0]};
}

// Sets a number of an algorithm and reads it again.
void set(Check& check, Guarded<cublasLtMatmulAlgo_t>& algorithm,
         cublasLtMatmulAlgoConfigAttributes_t attribute, std::uint32_t value) {
  Guarded<std::uint32_t> read;
  Guarded<std::size_t> written;
  NEED(check,
       cublasLtMatmulAlgoConfigSetAttribute(algorithm.get(), attribute, &value, sizeof value));
  NEED(check, cublasLtMatmulAlgoConfigGetAttribute(algorithm.get(), attribute, read.get(),
                                                   sizeof *read, written.get()));
  EXPECT(check, *read == value && *written == sizeof value);
  INTACT(check, read);
  INTACT(check, written);
}

// Each algorithm for such numbers, with the first of its tiles and stages that the library accepts.
void numbered(Check& check, cublasLtHandle_t handle) {
  constexpr int kMost = 64;
  struct Ids {
    int all[kMost];
  };
  Guarded<Ids> ids;
  Guarded<int> count;
  NEED(check,
       cublasLtMatmulAlgoGetIds(handle, kSingle.compute, kSingle.scale, kSingle.ab, kSingle.ab,
                                kSingle.cd, kSingle.cd, kMost, ids->all, count.get()));
  INTACT(check, ids);
  INTACT(check, count);
  EXPECT(check, *count > 0 && *count <= kMost);
  check.value("ids", *count);
  Data data;
  DeviceArray<char> workspace(4 << 20);
  const Product by(check, kSingle, kM, kN, kK);
  int ran = 0;
  for (int i = 0; check && i < *count; ++i) {
    Guarded<cublasLtMatmulAlgo_t> algorithm;
    NEED(check,
         cublasLtMatmulAlgoInit(handle, kSingle.compute, kSingle.scale, kSingle.ab, kSingle.ab,
                                kSingle.cd, kSingle.cd, ids->all[i], algorithm.get()));
    Guarded<std::int32_t> id;
    Guarded<std::size_t> written;
    NEED(check, cublasLtMatmulAlgoConfigGetAttribute(algorithm.get(), CUBLASLT_ALGO_CONFIG_ID,
                                                     id.get(), sizeof *id, written.get()));
    EXPECT(check, *id == ids->all[i]);
    INTACT(check, id);
    std::vector<std::uint32_t> tiles = listed(check, algorithm.get(), CUBLASLT_ALGO_CAP_TILE_IDS),
                               stages =
                                   listed(check, algorithm.get(), CUBLASLT_ALGO_CAP_STAGES_IDS);
    if (tiles.empty()) tiles = {CUBLASLT_MATMUL_TILE_UNDEFINED};
    if (stages.empty()) stages = {CUBLASLT_MATMUL_STAGES_UNDEFINED};
    bool accepted = false;
    for (std::uint32_t tile : tiles) {
      for (std::uint32_t stage : stages) {
        if (accepted) break;
        set(check, algorithm, CUBLASLT_ALGO_CONFIG_TILE_ID, tile);
        set(check, algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID, stage);
        Guarded<cublasLtMatmulHeuristicResult_t> result;
        const cublasStatus_t status = cublasLtMatmulAlgoCheck(
            handle, by.operation, by.a, by.b, by.d, by.d, algorithm.get(), result.get());
        INTACT(check, result);
        accepted = status == CUBLAS_STATUS_SUCCESS && result->workspaceSize <= workspace.count();
      }
    }
    INTACT(check, algorithm);
    if (!accepted) continue;
    ++ran;
    const float one = 1, zero = 0;
    NEED(check, cublasLtMatmul(handle, by.operation, &one, data.on_a.data(), by.a, data.on_b.data(),
                               by.b, &zero, data.on_d.data(), by.d, data.on_d.data(), by.d,
                               algorithm.get(), workspace.data(), workspace.count(), nullptr));
    NEED(check, cudaDeviceSynchronize());
    check.near("D", flat(data.on_d.get(check)), data.want, 1e-3);
    INTACT(check, algorithm);
  }
  check.value("ran", ran);
  EXPECT(check, ran > 0);
}

// A descriptor on the heap, of the sum of a matrix and another one's transpose.
void transform(Check& check, cublasLtHandle_t handle) {
  const auto a = random_values<double>(kM * kN, 3), b = random_values<double>(kN * kM, 4);
  DeviceArray<double> on_a(a), on_b(b), on_c(kM * kN);
  Guarded<cublasLtMatrixTransformDesc_t> operation;
  NEED(check, cublasLtMatrixTransformDescCreate(operation.get(), CUDA_R_64F));
  INTACT(check, operation);
  const std::int32_t turned = CUBLAS_OP_T;
  Guarded<std::int32_t> read;
  Guarded<std::size_t> written;
  NEED(check, cublasLtMatrixTransformDescSetAttribute(
                  *operation, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, &turned, sizeof turned));
  NEED(check,
       cublasLtMatrixTransformDescGetAttribute(*operation, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB,
                                               read.get(), sizeof *read, written.get()));
  EXPECT(check, *read == turned && *written == sizeof turned);
  INTACT(check, read);
  INTACT(check, written);
  cublasLtMatrixLayout_t straight = nullptr, other = nullptr;
  NEED(check, cublasLtMatrixLayoutCreate(&straight, CUDA_R_64F, kM, kN, kM));
  NEED(check, cublasLtMatrixLayoutCreate(&other, CUDA_R_64F, kN, kM, kN));
  const double two = 2, three = 3;
  NEED(check, cublasLtMatrixTransform(handle, *operation, &two, on_a.data(), straight, &three,
                                      on_b.data(), other, on_c.data(), straight, nullptr));
  NEED(check, cudaDeviceSynchronize());
  std::vector<double> want = transposed(b, kN, kM);
  for (int i = 0; i < kM * kN; ++i) want[i] = 2 * a[i] + 3 * want[i];
  check.near("2 A + 3 B'", on_c.get(check), want, 1e-14);
  NEED(check, cublasLtMatrixLayoutDestroy(straight));
  NEED(check, cublasLtMatrixLayoutDestroy(other));
  NEED(check, cublasLtMatrixTransformDescDestroy(*operation));
}

// Heuristics and the check of an algorithm for the GPU of a stream.
void for_stream(Check& check, cublasLtHandle_t handle) {
#if CUDART_VERSION >= 13030
  if (cublasLtMatmulAlgoGetHeuristicForStream == nullptr) return;
  const Product by(check, kSingle, kM, kN, kK);
  cublasLtMatmulPreference_t preference = nullptr;
  NEED(check, cublasLtMatmulPreferenceCreate(&preference));
  Guarded<cublasLtMatmulHeuristicResult_t> result, again;
  Guarded<int> found;
  CALL(check, cublasLtMatmulAlgoGetHeuristicForStream(handle, by.operation, by.a, by.b, by.d, by.d,
                                                      preference, 1, result.get(), found.get(),
                                                      nullptr)) &&
      CALL(check, cublasLtMatmulAlgoCheckForStream(handle, by.operation, by.a, by.b, by.d, by.d,
                                                   &result->algo, again.get(), nullptr));
  INTACT(check, result);
  INTACT(check, again);
  INTACT(check, found);
  if (check) EXPECT(check, *found == 1);
  NEED(check, cublasLtMatmulPreferenceDestroy(preference));
#else
  (void)check, (void)handle;  // from CUDA 13.3 on
#endif
}

// The layout of a group of matrices, whose sizes the device has.
void grouped(Check& check, cublasLtHandle_t) {
#if CUDART_VERSION >= 13010
  if (cublasLtGroupedMatrixLayoutCreate == nullptr) return;
  DeviceArray<int> rows(std::vector<int>{8, 16}), columns(std::vector<int>{4, 8});
  Guarded<cublasLtMatrixLayout_t> layout;
  NEED(check, cublasLtGroupedMatrixLayoutCreate(layout.get(), CUDA_R_16F, 2, rows.data(),
                                                columns.data(), rows.data()));
  INTACT(check, layout);
  NEED(check, cublasLtMatrixLayoutDestroy(*layout));
#else
  (void)check;                // from CUDA 13.1 on
#endif
}

void settings(Check& check, cublasLtHandle_t) {
  Guarded<std::size_t> before, after;
  NEED(check, cublasLtHeuristicsCacheGetCapacity(before.get()));
  NEED(check, cublasLtHeuristicsCacheSetCapacity(1234));
  NEED(check, cublasLtHeuristicsCacheGetCapacity(after.get()));
  EXPECT(check, *after >= 1234);
  check.value("capacity", static_cast<double>(*before));
  check.value("capacity_set", static_cast<double>(*after));
  NEED(check, cublasLtHeuristicsCacheSetCapacity(*before));
  INTACT(check, before);
  INTACT(check, after);
}

void texts(Check& check, cublasLtHandle_t) {
  Guarded<int> major;
  NEED(check, cublasLtGetProperty(MAJOR_VERSION, major.get()));
  INTACT(check, major);
  EXPECT(check, static_cast<std::size_t>(*major) == cublasLtGetVersion() / 10000);
  EXPECT(check, cublasLtGetCudartVersion() >= 11000);
  EXPECT(check, std::strcmp(cublasLtGetStatusName(CUBLAS_STATUS_INVALID_VALUE),
                            "CUBLAS_STATUS_INVALID_VALUE") == 0);
  EXPECT(check, std::strlen(cublasLtGetStatusString(CUBLAS_STATUS_INVALID_VALUE)) > 5);
}

int logged = 0;
void count_line(int, const char* function, const char* message) {
  logged += function != nullptr && message != nullptr;
}

// Lines of the log come to a function and to a file until it is turned off for good.
void log(Check& check, cublasLtHandle_t handle) {
  const Data data;
  const float one = 1, zero = 0;
  const auto multiply = [&] {
    const Product by(check, kSingle, kM, kN, kK);
    if (check) {
      by.run(check, handle, &one, data.on_a.data(), data.on_b.data(), &zero, data.on_d.data());
    }
  };
  std::FILE* file = std::tmpfile();
  if (file == nullptr) return check.fail("no temporary file");
  NEED(check, cublasLtLoggerSetCallback(count_line));
  NEED(check, cublasLtLoggerSetFile(file));
  NEED(check, cublasLtLoggerSetLevel(5));
  multiply();
  EXPECT(check, logged > 0);
  EXPECT(check, std::ftell(file) > 0);
  NEED(check, cublasLtLoggerSetLevel(0));
  const int before = logged;
  multiply();
  EXPECT(check, logged == before);
  NEED(check, cublasLtLoggerSetMask(1));
  NEED(check, cublasLtLoggerOpenFile("/dev/null"));
  NEED(check, cublasLtLoggerForceDisable());
  const int last = logged;
  multiply();
  EXPECT(check, logged == last);
}

}  // namespace

void run() {
  run_on_handle("cublaslt_algorithms", {{"numbered", numbered},
                                        {"transform", transform},
                                        {"for_stream", for_stream},
                                        {"grouped", grouped},
                                        {"settings", settings},
                                        {"texts", texts},
                                        {"log", log}});
}

}  // namespace maths
