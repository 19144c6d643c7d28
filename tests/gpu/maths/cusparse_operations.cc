// SPDX-License-Identifier: Apache-2.0

// cuSPARSE: a product with a sparse matrix whose operations are the program's own code.
#include <dlfcn.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "sparse_families.h"

namespace maths {
namespace {

constexpr int kRows = 30, kColumns = 22, kSides = 6;

// NVRTC beside the loaded cuSPARSE, which makes the code of operations for a product with them.
class Compiler {
 public:
  Compiler() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line) && library_ == nullptr;) {
      const std::size_t at = line.find('/'), name = line.rfind("/libcusparse.so.");
      if (at == std::string::npos || name == std::string::npos) continue;
      for (const char* file : {"/libnvrtc.so.13", "/libnvrtc.so.12", "/libnvrtc.so.11.2"}) {
        const std::string path = line.substr(at, name - at) + file;
        if (library_ == nullptr) library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      }
    }
  }
  explicit operator bool() const { return library_ != nullptr; }
  std::vector<char> operator()(Check& check, const char* source, const std::string& architecture) {
    void* program = nullptr;
    std::size_t size = 0;
    const char* options[] = {architecture.c_str(), "-rdc=true", "-dlto"};
    const bool made =
        call("nvrtcCreateProgram", &program, source, nullptr, 0, nullptr, nullptr) == 0 &&
        call("nvrtcCompileProgram", program, 3, options) == 0 &&
        call("nvrtcGetLTOIRSize", program, &size) == 0;
    std::vector<char> code(size);
    if (!made || call("nvrtcGetLTOIR", program, code.data()) != 0) check.fail("NVRTC refuses");
    if (program != nullptr) call("nvrtcDestroyProgram", &program);
    return code;
  }

 private:
  template <typename... Args>
  int call(const char* name, Args... args) {
    const auto function = reinterpret_cast<int (*)(Args...)>(dlsym(library_, name));
    return function == nullptr ? -1 : function(args...);
  }
  void* library_ = nullptr;
};

// A product whose addition, multiplication and end are the program's: the sum of a[i,k] b[k,j] + 1,
// and twice c[i,j].
void with_operations(Check& check, const Sparse& sparse) {
  Compiler compile;
  if (!compile) {
    std::printf("note no NVRTC beside cuSPARSE, so no product with operations\n");
    return;
  }
  Guarded<int> major, minor;
  NEED(check, cudaDeviceGetAttribute(major.get(), cudaDevAttrComputeCapabilityMajor, 0));
  NEED(check, cudaDeviceGetAttribute(minor.get(), cudaDevAttrComputeCapabilityMinor, 0));
  const std::string architecture = "-arch=compute_" + std::to_string(*major * 10 + *minor);
  const auto add =
      compile(check, "__device__ float add_op(float a, float b) { return a + b; }", architecture);
  const auto multiply = compile(
      check, "__device__ float mul_op(float a, float b) { return a * b + 1; }", architecture);
  const auto end = compile(
      check, "__device__ float epilogue(float sum, float c) { return sum + 2 * c; }", architecture);
  if (!check) return;
  const Csr csr(dense_with_holes(kRows, kColumns, 18), kRows, kColumns);
  const DeviceArray<int> rows(csr.rows), columns(csr.columns);
  const DeviceArray<float> values(as<float>(csr.values));
  const auto b = random_values<float>(kColumns * kSides, 19);
  const auto c = random_values<float>(kRows * kSides, 20);
  const DeviceArray<float> on_b(b), on_c(c);
  MADE(check, cusparseSpMatDescr_t, a_matrix, cusparseCreateCsr, cusparseDestroySpMat, kRows,
       kColumns, static_cast<std::int64_t>(csr.values.size()), rows.data(), columns.data(),
       values.data(), kInt, kInt, kBase0, CUDA_R_32F);
  MADE(check, cusparseDnMatDescr_t, b_matrix, cusparseCreateDnMat, cusparseDestroyDnMat, kColumns,
       kSides, kSides, on_b.data(), CUDA_R_32F, CUSPARSE_ORDER_ROW);
  MADE(check, cusparseDnMatDescr_t, c_matrix, cusparseCreateDnMat, cusparseDestroyDnMat, kRows,
       kSides, kSides, on_c.data(), CUDA_R_32F, CUSPARSE_ORDER_ROW);
  Guarded<std::size_t> size;
  Guarded<cusparseSpMMOpPlan_t> plan;
  NEED(check, cusparseSpMMOp_createPlan(sparse.handle, plan.get(), kN, kN, a_matrix, b_matrix,
                                        c_matrix, CUDA_R_32F, CUSPARSE_SPMM_OP_ALG_DEFAULT,
                                        add.data(), add.size(), multiply.data(), multiply.size(),
                                        end.data(), end.size(), size.get()));
  INTACT(check, size);
  INTACT(check, plan);
  const Workspace work(check, *size);
  NEED(check, cusparseSpMMOp(*plan, work.data()));
  std::vector<double> want;
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kSides; ++j) {
      double sum = 0;
      for (int at = csr.rows[i]; at < csr.rows[i + 1]; ++at) {
        sum += csr.values[at] * b[csr.columns[at] * kSides + j] + 1;
      }
      want.push_back(sum + 2 * c[i * kSides + j]);
    }
  }
  check.near("C", flat(on_c.get(check)), want, 1e-5);
  NEED(check, cusparseSpMMOp_destroyPlan(*plan));
}

}  // namespace

void run() { run_topics_with<Sparse>("cusparse_operations", {{"product", with_operations}}); }

}  // namespace maths
