// SPDX-License-Identifier: Apache-2.0

// Attributes of a matmul preference between CUDA 11 and 13, which gave number 13 another meaning:
// the value of the one, taken for the other, would change the search for an algorithm. All other
// attributes are the same and are forwarded.
#include "cublaslt_adapters.h"

namespace anycuda {
namespace {

constexpr unsigned kFirstOther = v13::CUBLASLT_MATMUL_PREF_GROUPED_AVERAGE_REDUCTION_DIM;
static_assert(v11::CUBLASLT_MATMUL_PREF_SM_COUNT_TARGET == kFirstOther,
              "the two attributes must have the same number");

unsigned refuse_of_11(const char* function) {
  return refuse(v13::CUBLAS_STATUS_NOT_SUPPORTED, function,
                "CUDA 13 has no CUBLASLT_MATMUL_PREF_SM_COUNT_TARGET (another attribute has its "
                "number): do not use it, or install cuBLASLt of CUDA 11");
}

unsigned refuse_of_13(const char* function) {
  return refuse(
      v11::CUBLAS_STATUS_NOT_SUPPORTED, function,
      "CUDA 11 has no attributes for grouped matrices: do not use them, or install cuBLASLt "
      "of CUDA 13");
}

}  // namespace

unsigned adapt_preference_set_of_11(v11::cublasLtMatmulPreference_t preference, unsigned attribute,
                                    const void* value, std::size_t size) {
  if (attribute == kFirstOther) return refuse_of_11("cublasLtMatmulPreferenceSetAttribute");
  return v13::cublasLtMatmulPreferenceSetAttribute(preference, attribute, value, size);
}

unsigned adapt_preference_get_of_11(v11::cublasLtMatmulPreference_t preference, unsigned attribute,
                                    void* value, std::size_t size, std::size_t* written) {
  if (attribute == kFirstOther) return refuse_of_11("cublasLtMatmulPreferenceGetAttribute");
  return v13::cublasLtMatmulPreferenceGetAttribute(preference, attribute, value, size, written);
}

unsigned adapt_preference_set_of_13(v13::cublasLtMatmulPreference_t preference, unsigned attribute,
                                    const void* value, std::size_t size) {
  if (attribute >= kFirstOther) return refuse_of_13("cublasLtMatmulPreferenceSetAttribute");
  return v11::cublasLtMatmulPreferenceSetAttribute(preference, attribute, value, size);
}

unsigned adapt_preference_get_of_13(v13::cublasLtMatmulPreference_t preference, unsigned attribute,
                                    void* value, std::size_t size, std::size_t* written) {
  if (attribute >= kFirstOther) return refuse_of_13("cublasLtMatmulPreferenceGetAttribute");
  return v11::cublasLtMatmulPreferenceGetAttribute(preference, attribute, value, size, written);
}

}  // namespace anycuda
