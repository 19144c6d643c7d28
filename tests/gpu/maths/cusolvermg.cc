// SPDX-License-Identifier: Apache-2.0

// cuSOLVERMg: matrices whose columns are spread over all GPUs of the machine (one is enough).
#include <cusolverMg.h>

#include <memory>

#include "check.h"
#include "memory.h"
#include "numbers.h"

inline bool is_absent(cusolverStatus_t status) { return status == CUSOLVER_STATUS_NOT_SUPPORTED; }

namespace maths {
namespace {

constexpr int kRows = 96, kBlock = 16;
constexpr cublasFillMode_t kLower = CUBLAS_FILL_MODE_LOWER;

std::vector<int> all_devices(Check& check) {
  int count = 0;
  CALL(check, cudaGetDeviceCount(&count));
  std::vector<int> devices;
  for (int device = 0; device < count; ++device) devices.push_back(device);
  return devices;
}

class Solver {
 public:
  explicit Solver(Check& check) : devices(all_devices(check)) {
    let_them_share();
    Guarded<cusolverMgHandle_t> made;
    if (!CALL(check, cusolverMgCreate(made.get()))) return;
    INTACT(check, made);
    handle = *made;
    const int count = static_cast<int>(devices.size());
    if (!CALL(check, cusolverMgDeviceSelect(handle, count, devices.data()))) return;
    Guarded<cudaLibMgGrid_t> spread;
    if (!CALL(check, cusolverMgCreateDeviceGrid(spread.get(), 1, count, devices.data(),
                                                CUDALIBMG_GRID_MAPPING_COL_MAJOR))) {
      return;
    }
    INTACT(check, spread);
    grid = *spread;
  }
  ~Solver() {
    if (grid != nullptr) cusolverMgDestroyGrid(grid);
    if (handle != nullptr) cusolverMgDestroy(handle);
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  std::vector<int> devices;
  cusolverMgHandle_t handle = nullptr;
  cudaLibMgGrid_t grid = nullptr;

 private:
  void let_them_share() {
    for (const int device : devices) {
      cudaSetDevice(device);
      for (const int other : devices) {
        if (other != device && cudaDeviceEnablePeerAccess(other, 0) != cudaSuccess)
          cudaGetLastError();
      }
    }
    cudaSetDevice(0);
  }
};

// Blocks of columns, dealt to the devices in turn; between guard bytes on each.
template <typename T>
class Spread {
 public:
  Spread(const Solver& solver, int rows, int columns)
      : devices_(solver.devices), rows_(rows), columns_(columns) {
    const int blocks = columns / kBlock, count = static_cast<int>(devices_.size());
    for (const int device : devices_) {
      cudaSetDevice(device);
      const std::size_t own = (blocks + count - 1) / count;
      parts_.push_back(std::make_unique<DeviceArray<T>>(own * kBlock * rows));
      cudaDeviceSynchronize();  // its guard bytes: the library's streams do not wait for memset
      pointers_.push_back(parts_.back()->data());
    }
    cudaSetDevice(0);
  }
  // The copy of pageable memory may still be on its way when cudaMemcpy returns (CUDA Runtime API,
  // "API synchronization behavior"), and the library's streams do not wait for it.
  void put(Check& check, const std::vector<T>& values) {
    for (int block = 0; block < columns_ / kBlock; ++block) {
      CALL(check, cudaMemcpy(at(block), values.data() + block * elements(), elements() * sizeof(T),
                             cudaMemcpyDefault));
    }
    for (const int device : devices_) {
      cudaSetDevice(device);
      CALL(check, cudaDeviceSynchronize());
    }
    cudaSetDevice(0);
  }
  std::vector<T> get(Check& check) const {
    for (const auto& part : parts_) part->get(check);  // looks at the guard bytes
    std::vector<T> values(static_cast<std::size_t>(rows_) * columns_);
    for (int block = 0; block < columns_ / kBlock; ++block) {
      CALL(check, cudaMemcpy(values.data() + block * elements(), at(block), elements() * sizeof(T),
                             cudaMemcpyDefault));
    }
    return values;
  }
  template <typename Pointer = void>
  Pointer** pointers() {
    return reinterpret_cast<Pointer**>(pointers_.data());
  }

 private:
  std::size_t elements() const { return static_cast<std::size_t>(rows_) * kBlock; }
  T* at(int block) const {
    const int count = static_cast<int>(devices_.size());
    return parts_[block % count]->data() + block / count * elements();
  }
  std::vector<int> devices_;
  int rows_, columns_;
  std::vector<std::unique_ptr<DeviceArray<T>>> parts_;
  std::vector<T*> pointers_;
};

// How a matrix is spread.
class Form {
 public:
  Form(Check& check, const Solver& solver, int rows, int columns) {
    Guarded<cudaLibMgMatrixDesc_t> made;
    if (!CALL(check, cusolverMgCreateMatrixDesc(made.get(), rows, columns, rows, kBlock, CUDA_R_64F,
                                                solver.grid))) {
      return;
    }
    INTACT(check, made);
    value = *made;
  }
  ~Form() {
    if (value != nullptr) cusolverMgDestroyMatrixDesc(value);
  }
  Form(const Form&) = delete;
  Form& operator=(const Form&) = delete;
  cudaLibMgMatrixDesc_t value = nullptr;
};

// Memory of each device for one call.
class Workspace {
 public:
  Workspace(const Solver& solver, std::int64_t count) {
    for (const int device : solver.devices) {
      cudaSetDevice(device);
      parts_.push_back(std::make_unique<DeviceArray<double>>(count));
      cudaDeviceSynchronize();
      pointers_.push_back(parts_.back()->data());
    }
    cudaSetDevice(0);
  }
  void** pointers() { return pointers_.data(); }

 private:
  std::vector<std::unique_ptr<DeviceArray<double>>> parts_;
  std::vector<void*> pointers_;
};

struct Equations {
  Equations(Check& check, const Solver& solver)
      : matrix(positive_matrix(kRows, 3)),
        solution(random_values<double>(kRows * kBlock, 4)),
        right(product(matrix, solution, kRows, kBlock, kRows)),
        a(solver, kRows, kRows),
        b(solver, kRows, kBlock),
        form_of_a(check, solver, kRows, kRows),
        form_of_b(check, solver, kRows, kBlock) {
    a.put(check, matrix);
    b.put(check, right);
  }
  std::vector<double> matrix, solution, right;
  Spread<double> a, b;
  Form form_of_a, form_of_b;
};

void expect_none(Check& check, const Guarded<int>& info) {
  INTACT(check, info);
  check.equal("info", *info, 0);
}

void cholesky(Check& check, const Solver& solver) {
  Equations of(check, solver);
  Guarded<std::int64_t> factor, solve;
  NEED(check, cusolverMgPotrf_bufferSize(solver.handle, kLower, kRows, of.a.pointers(), 1, 1,
                                         of.form_of_a.value, CUDA_R_64F, factor.get()));
  NEED(check, cusolverMgPotrs_bufferSize(solver.handle, kLower, kRows, kBlock, of.a.pointers(), 1,
                                         1, of.form_of_a.value, of.b.pointers(), 1, 1,
                                         of.form_of_b.value, CUDA_R_64F, solve.get()));
  INTACT(check, factor);
  INTACT(check, solve);
  const std::int64_t size = *factor > *solve ? *factor : *solve;
  Workspace work(solver, size);
  Guarded<int> info;
  NEED(check, cusolverMgPotrf(solver.handle, kLower, kRows, of.a.pointers(), 1, 1,
                              of.form_of_a.value, CUDA_R_64F, work.pointers(), size, info.get()));
  expect_none(check, info);
  NEED(check, cusolverMgPotrs(solver.handle, kLower, kRows, kBlock, of.a.pointers(), 1, 1,
                              of.form_of_a.value, of.b.pointers(), 1, 1, of.form_of_b.value,
                              CUDA_R_64F, work.pointers(), size, info.get()));
  expect_none(check, info);
  NEED(check, cudaDeviceSynchronize());
  check.near("x", of.b.get(check), of.solution, 1e-9);
}

void inverse(Check& check, const Solver& solver) {
  Equations of(check, solver);
  Guarded<std::int64_t> factor, invert;
  NEED(check, cusolverMgPotrf_bufferSize(solver.handle, kLower, kRows, of.a.pointers(), 1, 1,
                                         of.form_of_a.value, CUDA_R_64F, factor.get()));
  NEED(check, cusolverMgPotri_bufferSize(solver.handle, kLower, kRows, of.a.pointers(), 1, 1,
                                         of.form_of_a.value, CUDA_R_64F, invert.get()));
  INTACT(check, factor);
  INTACT(check, invert);
  const std::int64_t size = *factor > *invert ? *factor : *invert;
  Workspace work(solver, size);
  Guarded<int> info;
  NEED(check, cusolverMgPotrf(solver.handle, kLower, kRows, of.a.pointers(), 1, 1,
                              of.form_of_a.value, CUDA_R_64F, work.pointers(), size, info.get()));
  NEED(check, cusolverMgPotri(solver.handle, kLower, kRows, of.a.pointers(), 1, 1,
                              of.form_of_a.value, CUDA_R_64F, work.pointers(), size, info.get()));
  expect_none(check, info);
  NEED(check, cudaDeviceSynchronize());
  std::vector<double> inverted = of.a.get(check);  // its lower half
  for (int j = 0; j < kRows; ++j) {
    for (int i = 0; i < j; ++i) inverted[i + j * kRows] = inverted[j + i * kRows];
  }
  std::vector<double> one(kRows * kRows);
  for (int i = 0; i < kRows; ++i) one[i + i * kRows] = 1;
  check.near("A inv(A)", product(of.matrix, inverted, kRows, kRows, kRows), one, 1e-9);
}

void lu(Check& check, const Solver& solver) {
  Equations of(check, solver);
  Spread<int> pivots(solver, 1, kRows);
  int** const where = pivots.pointers<int>();
  Guarded<std::int64_t> factor, solve;
  NEED(check, cusolverMgGetrf_bufferSize(solver.handle, kRows, kRows, of.a.pointers(), 1, 1,
                                         of.form_of_a.value, where, CUDA_R_64F, factor.get()));
  NEED(check, cusolverMgGetrs_bufferSize(solver.handle, CUBLAS_OP_N, kRows, kBlock, of.a.pointers(),
                                         1, 1, of.form_of_a.value, where, of.b.pointers(), 1, 1,
                                         of.form_of_b.value, CUDA_R_64F, solve.get()));
  INTACT(check, factor);
  INTACT(check, solve);
  const std::int64_t size = *factor > *solve ? *factor : *solve;
  Workspace work(solver, size);
  Guarded<int> info;
  NEED(check,
       cusolverMgGetrf(solver.handle, kRows, kRows, of.a.pointers(), 1, 1, of.form_of_a.value,
                       where, CUDA_R_64F, work.pointers(), size, info.get()));
  expect_none(check, info);
  NEED(check, cusolverMgGetrs(solver.handle, CUBLAS_OP_N, kRows, kBlock, of.a.pointers(), 1, 1,
                              of.form_of_a.value, where, of.b.pointers(), 1, 1, of.form_of_b.value,
                              CUDA_R_64F, work.pointers(), size, info.get()));
  expect_none(check, info);
  NEED(check, cudaDeviceSynchronize());
  check.near("x", of.b.get(check), of.solution, 1e-9);
  pivots.get(check);
}

void eigenvalues(Check& check, const Solver& solver) {
  Equations of(check, solver);
  std::vector<double> values(kRows);  // in the host's memory
  Guarded<std::int64_t> size;
  const cusolverEigMode_t vectors = CUSOLVER_EIG_MODE_VECTOR;
  NEED(check, cusolverMgSyevd_bufferSize(solver.handle, vectors, kLower, kRows, of.a.pointers(), 1,
                                         1, of.form_of_a.value, values.data(), CUDA_R_64F,
                                         CUDA_R_64F, size.get()));
  INTACT(check, size);
  Workspace work(solver, *size);
  Guarded<int> info;
  NEED(check, cusolverMgSyevd(solver.handle, vectors, kLower, kRows, of.a.pointers(), 1, 1,
                              of.form_of_a.value, values.data(), CUDA_R_64F, CUDA_R_64F,
                              work.pointers(), *size, info.get()));
  expect_none(check, info);
  NEED(check, cudaDeviceSynchronize());
  const std::vector<double> v = of.a.get(check);
  std::vector<double> scaled(v.size());
  for (int j = 0; j < kRows; ++j) {
    for (int i = 0; i < kRows; ++i) scaled[i + j * kRows] = v[i + j * kRows] * values[j];
  }
  check.near("A V", product(of.matrix, v, kRows, kRows, kRows), scaled, 1e-8);
}

void refusals(Check& check, const Solver& solver) {
  Guarded<std::int64_t> size;
  REFUSED(check, CUSOLVER_STATUS_INVALID_VALUE,
          cusolverMgPotrf_bufferSize(solver.handle, kLower, -1, nullptr, 1, 1, nullptr, CUDA_R_64F,
                                     size.get()));
  EXPECT(check, size.intact());
}

}  // namespace

void run() {
  run_topics_with<Solver>("cusolvermg", {{"cholesky", cholesky},
                                         {"inverse", inverse},
                                         {"lu", lu},
                                         {"eigenvalues", eigenvalues},
                                         {"refusals", refusals}});
}

}  // namespace maths
