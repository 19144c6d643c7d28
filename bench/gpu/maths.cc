// SPDX-License-Identifier: Apache-2.0

// One measured process of maths.py: what calls of cuBLAS, cuFFT and cuSPARSE take through the stub,
// and past it.
//
//     maths_bench WAY ROUNDS STUBS CUDART CUBLAS CUFFT CUSPARSE
//
// WAY is direct, stub, or both: then the two take turns, in random order, a batch at a time. STUBS
// is a folder, the others are NVIDIA's files, which the stubs take since they are loaded. A batch
// is some calls and one wait for the GPU. Prints a line for each way and case: its name and the
// median of its batches, in nanoseconds per call.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cufft.h>
#include <cusparse.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

void* opened(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
  return library;
}

void* found(void* library, const char* name) {
  void* function = dlsym(library, name);
  if (function == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
  return function;
}

// A variable that is named like the function that it leads to, and hides its declaration.
#define FUNCTION(name, library) \
  decltype(&::name) name = reinterpret_cast<decltype(&::name)>(found(library, #name))

void expect(long status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s: status %ld\n", what, status);
  std::exit(3);
}

// A second copy of a library would be another one than is compared with.
void expect_one_of_each(const char* const names[], std::size_t count) {
  std::vector<std::set<std::string>> files(count);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    for (std::size_t i = 0; i < count; ++i) {
      if (line.find(names[i]) != std::string::npos) files[i].insert(line.substr(line.find('/')));
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (files[i].size() == 1) continue;
    std::fprintf(stderr, "%zu files of %s in the process\n", files[i].size(), names[i]);
    std::exit(4);
  }
}

// Memory and waiting, of the runtime itself in both ways. A block of memory has a name, and both
// ways get the same one: how fast a GPU reaches memory depends on where it lies (SpMV on an H200 by
// 2 %).
struct Runtime {
  explicit Runtime(void* library) : library_(library) {}
  void* library_;
  FUNCTION(cudaDeviceSynchronize, library_);
  FUNCTION(cudaMalloc, library_);
  FUNCTION(cudaMemcpy, library_);
  FUNCTION(cudaMemset, library_);

  struct Block {
    void* start;
    std::size_t size;
  };
  std::map<std::string, Block> blocks_;

  template <typename T>
  T* memory(const std::string& name, std::size_t count) {
    const std::size_t size = count * sizeof(T);
    Block& block = blocks_[name];
    if (block.start == nullptr) {
      expect(cudaMalloc(&block.start, size), "cudaMalloc");
      expect(cudaMemset(block.start, 0, size), "cudaMemset");
      block.size = size;
    }
    // Both ways ask for the same.
    if (block.size != size) expect(-1, name.c_str());
    return static_cast<T*>(block.start);
  }
  template <typename T>
  T* copied(const std::string& name, const std::vector<T>& values) {
    T* got = memory<T>(name, values.size());
    expect(cudaMemcpy(got, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
           "cudaMemcpy");
    return got;
  }
};

struct Libraries {
  void *blas, *fft, *sparse;
};

// What is measured, in one way: a name, how many calls a batch has, and a call.
struct Case {
  std::string name;
  int calls;
  std::function<long()> call;
};

void add_products(Runtime& runtime, void* library, std::vector<Case>& cases) {
  static const float one = 1, zero = 0;
  FUNCTION(cublasCreate_v2, library);
  FUNCTION(cublasSgemm_v2, library);
  cublasHandle_t handle = nullptr;
  expect(cublasCreate_v2(&handle), "cublasCreate");
  for (const auto& [size, calls] : {std::pair{64, 200}, std::pair{512, 100}, std::pair{4096, 4}}) {
    const int n = size;
    const std::size_t count = std::size_t{1} * n * n;
    auto* a = runtime.memory<float>("a " + std::to_string(n), count);
    auto* b = runtime.memory<float>("b " + std::to_string(n), count);
    auto* c = runtime.memory<float>("c " + std::to_string(n), count);
    cases.push_back({"`cublasSgemm` " + std::to_string(size), calls, [=] {
                       return static_cast<long>(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, n,
                                                               n, n, &one, a, n, b, n, &zero, c,
                                                               n));
                     }});
  }
}

void add_transforms(Runtime& runtime, void* library, std::vector<Case>& cases) {
  FUNCTION(cufftPlan1d, library);
  FUNCTION(cufftPlan2d, library);
  FUNCTION(cufftExecC2C, library);
  auto* data = runtime.memory<cufftComplex>("transforms", std::size_t{1024} * 1024);
  cufftHandle line = 0, plane = 0;
  expect(cufftPlan1d(&line, 1024, CUFFT_C2C, 64), "cufftPlan1d");
  expect(cufftPlan2d(&plane, 1024, 1024, CUFFT_C2C), "cufftPlan2d");
  cases.push_back({"`cufftExecC2C` 64 x 1024", 200, [=] {
                     return static_cast<long>(cufftExecC2C(line, data, data, CUFFT_FORWARD));
                   }});
  cases.push_back({"`cufftExecC2C` 1024 x 1024", 100, [=] {
                     return static_cast<long>(cufftExecC2C(plane, data, data, CUFFT_FORWARD));
                   }});
}

// Matrices with ten numbers in each row.
void add_sparse(Runtime& runtime, void* library, std::vector<Case>& cases) {
  constexpr int kEach = 10;
  static const float one = 1, zero = 0;
  FUNCTION(cusparseCreate, library);
  FUNCTION(cusparseCreateCsr, library);
  FUNCTION(cusparseCreateDnVec, library);
  FUNCTION(cusparseSpMV_bufferSize, library);
  FUNCTION(cusparseSpMV, library);
  cusparseHandle_t handle = nullptr;
  expect(cusparseCreate(&handle), "cusparseCreate");
  for (const int count : {100, 100000}) {
    const std::string of = " of " + std::to_string(count);
    std::vector<int> rows, columns;
    for (int row = 0; row <= count; ++row) rows.push_back(row * kEach);
    for (int i = 0; i < count * kEach; ++i) {
      columns.push_back(static_cast<int>((i / kEach * 7L + i % kEach * 9973L) % count));
    }
    cusparseSpMatDescr_t a = nullptr;
    cusparseDnVecDescr_t x = nullptr, y = nullptr;
    expect(
        cusparseCreateCsr(&a, count, count, count * kEach, runtime.copied("rows" + of, rows),
                          runtime.copied("columns" + of, columns),
                          runtime.memory<float>("values" + of, count * kEach), CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
        "cusparseCreateCsr");
    expect(cusparseCreateDnVec(&x, count, runtime.memory<float>("x" + of, count), CUDA_R_32F),
           "cusparseCreateDnVec");
    expect(cusparseCreateDnVec(&y, count, runtime.memory<float>("y" + of, count), CUDA_R_32F),
           "cusparseCreateDnVec");
    std::size_t size = 0;
    const auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    expect(cusparseSpMV_bufferSize(handle, n, &one, a, x, &zero, y, CUDA_R_32F,
                                   CUSPARSE_SPMV_ALG_DEFAULT, &size),
           "cusparseSpMV_bufferSize");
    void* work = runtime.memory<char>("work" + of, size + 1);
    cases.push_back({"`cusparseSpMV` " + std::to_string(count * kEach), 200, [=] {
                       return static_cast<long>(cusparseSpMV(handle, n, &one, a, x, &zero, y,
                                                             CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                                                             work));
                     }});
  }
}

std::vector<Case> cases_of(Runtime& runtime, const Libraries& libraries) {
  std::vector<Case> cases;
  add_products(runtime, libraries.blas, cases);
  add_transforms(runtime, libraries.fft, cases);
  add_sparse(runtime, libraries.sparse, cases);
  return cases;
}

double batch(const Runtime& runtime, const Case& which) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < which.calls; ++i) {
    if (const long status = which.call(); status != 0) expect(status, which.name.c_str());
  }
  expect(runtime.cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / which.calls;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 8) return 1;
  const std::string way = arguments[1], stubs = arguments[3];
  const int rounds = std::atoi(arguments[2]);
  Runtime runtime(opened(arguments[4]));
  const Libraries real = {opened(arguments[5]), opened(arguments[6]), opened(arguments[7])};
  std::map<std::string, Libraries> libraries;
  if (way != "stub") libraries["direct"] = real;
  if (way != "direct") {
    libraries["stub"] = {opened(stubs + "/libcublas_stub.so"), opened(stubs + "/libcufft_stub.so"),
                         opened(stubs + "/libcusparse_stub.so")};
  }
  std::mt19937 random(std::random_device{}());
  std::vector<std::string> made;
  for (const auto& [name, these] : libraries) made.push_back(name);
  // Handles and plans allocate memory: which way is made first is left to chance.
  std::shuffle(made.begin(), made.end(), random);
  std::map<std::string, std::vector<Case>> ways;
  for (const std::string& name : made) ways[name] = cases_of(runtime, libraries[name]);
  if (way != "direct") {
    const char* const names[] = {"/libcudart.so.", "/libcublas.so.", "/libcufft.so.",
                                 "/libcusparse.so."};
    expect_one_of_each(names, std::size(names));
  }
  for (std::size_t i = 0; i < ways.begin()->second.size(); ++i) {
    std::vector<std::string> order;
    for (const auto& [name, cases] : ways) order.push_back(name);
    std::map<std::string, std::vector<double>> taken;
    for (int round = -3; round < rounds; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::string& name : order) {
        const double one = batch(runtime, ways[name][i]);
        if (round >= 0) taken[name].push_back(one);
      }
    }
    for (const auto& [name, all] : taken) {
      std::printf("%s\t%s\t%.1f\n", name.c_str(), ways[name][i].name.c_str(), median(all));
    }
  }
  return 0;
}
