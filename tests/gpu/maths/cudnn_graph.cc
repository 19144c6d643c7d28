// SPDX-License-Identifier: Apache-2.0

// cuDNN 9: the interface of graphs: operations on tensors, of which the library makes a plan; also
// as a graph of CUDA.
#include <memory>

#include "cudnn_support.h"

namespace maths {
namespace {

// Values of attributes, which no prototype names; so the ABI database does not have them.
constexpr unsigned kPointwiseAdd = 0, kPointwiseRelu = 100, kReduceAdd = 0, kHeuristicsFallback = 2,
                   kHeuristicsA = 3;

// The interface of graphs: descriptors with attributes, which the library reads through untyped
// pointers.
class Backend {
 public:
  Backend(Check& check, cudnnBackendDescriptorType_t type) : check_(check) {
    Guarded<cudnnBackendDescriptor_t> made;
    if (!check || !CALL(check, cudnnBackendCreateDescriptor(type, made.get()))) return;
    INTACT(check, made);
    descriptor = *made;
  }
  ~Backend() {
    if (descriptor != nullptr) cudnnBackendDestroyDescriptor(descriptor);
  }
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  template <typename T>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
           const std::vector<T>& values) {
    if (!check_) return;
    CALL(check_, cudnnBackendSetAttribute(descriptor, name, type,
                                          static_cast<std::int64_t>(values.size()), values.data()));
  }
  void set(cudnnBackendAttributeName_t name, const Backend& other) {
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR,
        std::vector<cudnnBackendDescriptor_t>{other.descriptor});
  }
  void one(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, unsigned value) {
    set(name, type, std::vector<unsigned>{value});
  }
  void floats(cudnnBackendAttributeName_t name) {
    one(name, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  }
  void finalize() {
    if (check_) CALL(check_, cudnnBackendFinalize(descriptor));
  }
  cudnnBackendDescriptor_t descriptor = nullptr;

 private:
  Check& check_;
};

using Sizes = std::vector<std::int64_t>;

// A tensor of the graph, packed or with `strides`, and its memory.
struct Operand {
  Operand(Check& check, std::int64_t id, const Sizes& sizes, const Floats& values,
          Sizes strides = {})
      : id(id), tensor(check, CUDNN_BACKEND_TENSOR_DESCRIPTOR), memory(values) {
    if (strides.empty()) {
      strides.assign(sizes.size(), 1);
      for (std::size_t i = sizes.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * sizes[i];
    }
    tensor.floats(CUDNN_ATTR_TENSOR_DATA_TYPE);
    tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, sizes);
    tensor.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides);
    tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, Sizes{id});
    tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, Sizes{16});
    tensor.finalize();
  }
  std::int64_t id;
  Backend tensor;
  DeviceArray<float> memory;
};
using Operands = std::vector<const Operand*>;

// The plan of a graph with one operation.
struct Plan {
  Plan(Check& check, const Library& all, const Backend& operation)
      : check(check), all(all), operations(check, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR) {
    operations.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE,
                   std::vector<cudnnHandle_t>{all.handle()});
    operations.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    operations.finalize();
    for (unsigned mode : {kHeuristicsA, kHeuristicsFallback}) {
      if (check && plan == nullptr) make(mode);
    }
    EXPECT(check, plan != nullptr);
    if (!check) return;
    Guarded<std::int64_t> count, bytes;
    NEED(check, cudnnBackendGetAttribute(plan->descriptor, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                         CUDNN_TYPE_INT64, 1, count.get(), bytes.get()));
    INTACT(check, count);
    INTACT(check, bytes);
    work = std::make_unique<Bytes>(static_cast<std::size_t>(*bytes));
  }

  // The first of the engines that the library advises and that takes the graph.
  void make(unsigned mode) {
    constexpr int kMost = 8;
    Backend advice(check, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    advice.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, operations);
    advice.one(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
    advice.finalize();
    std::vector<std::unique_ptr<Backend>> engines;
    struct Descriptors {
      cudnnBackendDescriptor_t of[kMost];
    };
    Guarded<Descriptors> found;
    for (int i = 0; i < kMost; ++i) {
      engines.push_back(std::make_unique<Backend>(check, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
      found->of[i] = engines.back()->descriptor;
    }
    if (!check) return;
    Guarded<std::int64_t> count;
    NEED(check,
         cudnnBackendGetAttribute(advice.descriptor, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                  CUDNN_TYPE_BACKEND_DESCRIPTOR, kMost, count.get(), found->of));
    INTACT(check, count);
    INTACT(check, found);
    for (int i = 0; i < std::min<int>(kMost, *count) && plan == nullptr; ++i) {
      auto tried = std::make_unique<Backend>(check, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      tried->set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE,
                 std::vector<cudnnHandle_t>{all.handle()});
      tried->set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, *engines[i]);
      if (check && cudnnBackendFinalize(tried->descriptor) == CUDNN_STATUS_SUCCESS) {
        plan = std::move(tried);
      }
    }
  }

  std::unique_ptr<Backend> pack(const Operands& operands) const {
    auto made = std::make_unique<Backend>(check, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    Sizes ids;
    std::vector<void*> pointers;
    for (const Operand* operand : operands) {
      ids.push_back(operand->id);
      pointers.push_back(operand->memory.data());
    }
    made->set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, ids);
    made->set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, pointers);
    made->set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR,
              std::vector<void*>{work->data()});
    made->finalize();
    return made;
  }

  void execute(const Operands& operands) const {
    if (!check) return;
    const auto variables = pack(operands);
    if (!check) return;
    NEED(check, cudnnBackendExecute(all.handle(), plan->descriptor, variables->descriptor));
    all.wait(check);
    work->get(check);
  }

  Check& check;
  const Library& all;
  Backend operations;
  std::unique_ptr<Backend> plan;
  std::unique_ptr<Bytes> work;
};

constexpr int kSize = 64;
const Sizes kSquare = {1, kSize, kSize};

// y = relu(x), and y = a + b.
struct Pointwise {
  Pointwise(Check& check, unsigned mode, const Operand& x, const Operand* b, const Operand& y)
      : kind(check, CUDNN_BACKEND_POINTWISE_DESCRIPTOR),
        operation(check, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR) {
    kind.one(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
    kind.floats(CUDNN_ATTR_POINTWISE_MATH_PREC);
    kind.finalize();
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, kind);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x.tensor);
    if (b != nullptr) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b->tensor);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y.tensor);
    operation.finalize();
  }
  Backend kind, operation;
};

Doubles relu(const Floats& values) {
  Doubles result;
  for (float value : values) result.push_back(std::max(value, 0.0f));
  return result;
}

void pointwise(Check& check, const Library& all) {
  const Floats values = random_values<float>(kSize * kSize, 1),
               others = random_values<float>(kSize * kSize, 2);
  const Operand x(check, 'x', kSquare, values), b(check, 'b', kSquare, others),
      y(check, 'y', kSquare, Floats(values.size()));
  const Pointwise cut(check, kPointwiseRelu, x, nullptr, y), add(check, kPointwiseAdd, x, &b, y);
  if (!check) return;
  Plan(check, all, cut.operation).execute({&x, &y});
  check.near("relu", flat(y.memory.get(check)), relu(values), 0);
  Plan(check, all, add.operation).execute({&x, &b, &y});
  Doubles want;
  for (std::size_t i = 0; i < values.size(); ++i) want.push_back(values[i] + others[i]);
  check.near("sum", flat(y.memory.get(check)), want, 1e-6);
}

// Small whole numbers, stored by rows.
void matmul(Check& check, const Library& all) {
  const Floats values = small_floats(kSize * kSize, 3), others = small_floats(kSize * kSize, 4);
  const Operand a(check, 'a', kSquare, values), b(check, 'b', kSquare, others),
      c(check, 'c', kSquare, Floats(values.size()));
  Backend kind(check, CUDNN_BACKEND_MATMUL_DESCRIPTOR),
      operation(check, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  kind.floats(CUDNN_ATTR_MATMUL_COMP_TYPE);
  kind.finalize();
  operation.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, kind);
  operation.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a.tensor);
  operation.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b.tensor);
  operation.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c.tensor);
  operation.finalize();
  if (!check) return;
  Plan(check, all, operation).execute({&a, &b, &c});
  // By columns it is the product of the other two, the other way round.
  check.near("c", flat(c.memory.get(check)), flat(product(others, values, kSize, kSize, kSize)), 0);
}

// Channels last: the sum over the channels of each place, and over all places of each channel.
void reduction(Check& check, const Library& all) {
  constexpr int kChannels = 16, kPlaces = 256;
  const Floats values = small_floats(kChannels * kPlaces, 5);
  const Operand x(check, 'x', {4, kChannels, 8, 8}, values, {1024, 1, 128, 16}),
      of_places(check, 'y', {4, 1, 8, 8}, Floats(kPlaces), {64, 1, 8, 1}),
      of_channels(check, 'y', {1, kChannels, 1, 1}, Floats(kChannels), {16, 1, 16, 16});
  Backend kind(check, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  kind.one(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, kReduceAdd);
  kind.floats(CUDNN_ATTR_REDUCTION_COMP_TYPE);
  kind.finalize();
  for (const Operand* y : {&of_places, &of_channels}) {
    Backend operation(check, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, kind);
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x.tensor);
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y->tensor);
    operation.finalize();
    if (!check) return;
    Plan(check, all, operation).execute({&x, y});
    Doubles want(y->memory.count());
    for (std::size_t i = 0; i < values.size(); ++i) {
      want[y == &of_places ? i / kChannels : i % kChannels] += values[i];
    }
    check.near("y", flat(y->memory.get(check)), want, 0);
  }
}

// Each value of the output is the product of a place's channels with a filter of one by one.
void convolution(Check& check, const Library& all) {
  constexpr int kChannels = 8, kFilters = 16, kPlaces = 64;
  const Floats values = small_floats(kChannels * kPlaces, 6),
               weights = small_floats(kFilters * kChannels, 7);
  const Operand x(check, 'x', {1, kChannels, 8, 8}, values),
      w(check, 'w', {kFilters, kChannels, 1, 1}, weights),
      y(check, 'y', {1, kFilters, 8, 8}, Floats(kFilters * kPlaces));
  Backend kind(check, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR),
      operation(check, CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  kind.floats(CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
  kind.one(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
  kind.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, Sizes{2});
  for (auto name : {CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES}) {
    kind.set(name, CUDNN_TYPE_INT64, Sizes{1, 1});
  }
  for (auto name : {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS}) {
    kind.set(name, CUDNN_TYPE_INT64, Sizes{0, 0});
  }
  kind.finalize();
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, kind);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x.tensor);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w.tensor);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y.tensor);
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, Floats{1});
  operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, Floats{0});
  operation.finalize();
  if (!check) return;
  Plan(check, all, operation).execute({&x, &w, &y});
  check.near("y", flat(y.memory.get(check)),
             flat(product(values, weights, kPlaces, kFilters, kChannels)), 0);
}

#ifndef PROGRAM_OF_CUDNN_8  // which does not have the functions
// The plan as a graph of CUDA, first with one memory, then with another.
void cuda_graph(Check& check, const Library& all) {
  const Floats values = random_values<float>(kSize * kSize, 8),
               others = random_values<float>(kSize * kSize, 9);
  const Operand x(check, 'x', kSquare, values), other(check, 'x', kSquare, others),
      y(check, 'y', kSquare, Floats(values.size()));
  const Pointwise cut(check, kPointwiseRelu, x, nullptr, y);
  if (!check) return;
  const Plan plan(check, all, cut.operation);
  Guarded<cudaGraph_t> graph;
  NEED(check, cudaGraphCreate(graph.get(), 0));
  const auto launch = [&](const Operand& from, auto function, const char* name) {
    const auto variables = plan.pack({&from, &y});
    if (!check || !check.call(name, function(all.handle(), plan.plan->descriptor,
                                             variables->descriptor, *graph))) {
      return;
    }
    cudaGraphExec_t executable = nullptr;
    if (!CALL(check, cudaGraphInstantiateWithFlags(&executable, *graph, 0))) return;
    CALL(check, cudaGraphLaunch(executable, all.stream));
    all.wait(check);
    CALL(check, cudaGraphExecDestroy(executable));
  };
  launch(x, cudnnBackendPopulateCudaGraph, "cudnnBackendPopulateCudaGraph");
  if (check) check.near("y", flat(y.memory.get(check)), relu(values), 0);
  launch(other, cudnnBackendUpdateCudaGraph, "cudnnBackendUpdateCudaGraph");
  if (check) check.near("other", flat(y.memory.get(check)), relu(others), 0);
  INTACT(check, graph);
  CALL(check, cudaGraphDestroy(*graph));
}
#endif

// A descriptor that was in use can be set again after it.
void initialize(Check& check, const Library&) {
  Backend kind(check, CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  kind.floats(CUDNN_ATTR_MATMUL_COMP_TYPE);
  kind.finalize();
  if (!check) return;
  NEED(check, cudnnBackendInitialize(kind.descriptor));
  kind.floats(CUDNN_ATTR_MATMUL_COMP_TYPE);
  kind.finalize();
}

}  // namespace

void run() {
  run_on_library("cudnn_graph", {{"pointwise", pointwise},
                                 {"matmul", matmul},
                                 {"reduction", reduction},
                                 {"convolution", convolution},
#ifndef PROGRAM_OF_CUDNN_8
                                 {"cuda_graph", cuda_graph},
#endif
                                 {"initialize", initialize}});
}

}  // namespace maths
