// SPDX-License-Identifier: Apache-2.0

// cuSPARSE of CUDA 12 and a driver that record their calls, for the adapters of the first
// functions. Descriptors and memory are counted: a leak fails the test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cusparse_adapters.h"
#include "tests/stubs/adapters/call_arguments.h"
#include "tests/stubs/adapters/fake_library.h"

namespace anycuda::test {

// As the library and the driver see them.
template <typename... Args>
Words words(Args... args) {
  return {word(args)...};
}

// A call that was made, in order with all others.
struct Call {
  std::string name;
  Words arguments;
};
bool operator==(const Call& one, const Call& other);
void PrintTo(const Call& call, std::ostream* out);

// A descriptor: the function that created it, and that function's arguments behind the first.
struct Made {
  std::string function;
  Words arguments;
  bool alive = true;
};

class SparseFakes : public ::testing::Test {
 protected:
  void SetUp() override;
  // Nothing may be left.
  void TearDown() override;

  // A descriptor that the adapter handed to a call.
  static const Made& made(Word descriptor);
  // The calls of that name; the only one.
  static std::vector<Call> all(const std::string& name);
  static Words only(const std::string& name);
  static bool was_called(const std::string& name);

  // Makes `call` succeed, and then fail at each of the library's and the driver's functions in
  // turn: its status is handed on, and nothing is left behind.
  static void expect_every_failure_handed_on(const std::function<unsigned()>& call);

  static v11::cusparseHandle_t handle();
  static v11::cusparseMatDescr_t description();
};

// What the library and the driver answer.
struct Answers {
  v12::cusparseIndexBase_t base = v12::CUSPARSE_INDEX_BASE_ZERO;
  v12::cusparseMatrixType_t type = v12::CUSPARSE_MATRIX_TYPE_GENERAL;
  std::size_t bytes = 0;   // of each workspace
  std::int64_t count = 0;  // of entries, which the analysis finds
  driver::CUstreamCaptureStatus capture = driver::CU_STREAM_CAPTURE_STATUS_NONE;
  bool has_context = true;  // of this thread; the library makes one
};
extern Answers answers;
// The call of that number fails, and what it says.
extern int failing_call;
constexpr unsigned kFailure = 77;

// The types, as the generic functions number them.
template <typename T>
constexpr v12::cudaDataType kType = std::is_same_v<T, float>            ? v12::CUDA_R_32F
                                    : std::is_same_v<T, double>         ? v12::CUDA_R_64F
                                    : std::is_same_v<T, v11::cuComplex> ? v12::CUDA_C_32F
                                                                        : v12::CUDA_C_64F;

// An address in the GPU's memory, which is never read.
template <typename T>
T* at(Word address) {
  return reinterpret_cast<T*>(address);
}

}  // namespace anycuda::test
