// SPDX-License-Identifier: Apache-2.0

// cuDNN 9: versions and callbacks, descriptors of any number of dimensions, and the functions that
// work on one tensor: fill, scale, add, operate, reduce, transform and drop.
#include "cudnn_support.h"

namespace maths {
namespace {

// Each library of cuDNN's compares its version with that of the others.
void versions(Check& check, const Library& all) {
#ifndef PROGRAM_OF_CUDNN_8  // whose libraries are others
  NEED(check, cudnnOpsVersionCheck());
  NEED(check, cudnnCnnVersionCheck());
  NEED(check, cudnnAdvVersionCheck());
  NEED(check, cudnnGraphVersionCheck());
#endif
  const std::size_t newest = cudnnGetMaxDeviceVersion();
  EXPECT(check, newest >= 900);
  check.value("newest_device", static_cast<double>(newest));
  Guarded<cudnnStatus_t> status;
  NEED(check, cudnnQueryRuntimeError(all.handle(), status.get(), CUDNN_ERRQUERY_RAWCODE, nullptr));
  INTACT(check, status);
  EXPECT(check, *status == CUDNN_STATUS_SUCCESS);
}

int heard = 0;
void hear(cudnnSeverity_t, void* data, const cudnnDebug_t* debug, const char* text) {
  if (debug != nullptr && text != nullptr) ++*static_cast<int*>(data);
}

// A function of the program's, which the library calls with its messages. The stub refuses those of
// programs for cuDNN 8: they would be given statuses of 9.
void callbacks(Check& check, const Library&) {
  constexpr unsigned kErrors = 1u << CUDNN_SEV_ERROR;
  struct Callback {
    unsigned mask;
    void* data;
    cudnnCallback_t function;
  };
  Guarded<Callback> before, now;
  CALL(check, cudnnGetCallback(&before->mask, &before->data, &before->function));
  CALL(check, cudnnSetCallback(kErrors, &heard, hear));
  if (!check) return;
  NEED(check, cudnnGetCallback(&now->mask, &now->data, &now->function));
  EXPECT(check, now->mask == kErrors && now->data == &heard && now->function == hear);
  // How many messages an error gives is the library's choice.
  const Tensor tensor(check, {1, 1, 1, 1});
  if (!check) return;
  const cudnnStatus_t refused =
      cudnnSetTensor4dDescriptor(tensor.get(), CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, -1, 1, 1, 1);
  EXPECT(check, refused == kBadParam);
  check.value("heard", heard);
  NEED(check, cudnnSetCallback(before->mask, before->data, before->function));
  INTACT(check, before);
  INTACT(check, now);
}

struct Dimensions {
  int of[8];
};

bool begins(const Guarded<Dimensions>& got, const std::vector<int>& want) {
  return std::memcmp(got->of, want.data(), want.size() * sizeof(int)) == 0;
}

void tensor_descriptors(Check& check, const Library&) {
  OWNED(tensor, check, TensorDescriptor);
  if (!check) return;
  Guarded<Dimensions> sizes, strides;
  Guarded<cudnnDataType_t> type;
  Guarded<int> count;
  const auto expect = [&](const std::vector<int>& want_sizes, const std::vector<int>& want_strides,
                          std::size_t bytes) {
    NEED(check, cudnnGetTensorNdDescriptor(tensor.handle, 8, type.get(), count.get(), sizes->of,
                                           strides->of));
    EXPECT(check, *count == static_cast<int>(want_sizes.size()));
    EXPECT(check, begins(sizes, want_sizes) && begins(strides, want_strides));
    check.equal("bytes", SIZE_OF(check, cudnnGetTensorSizeInBytes, tensor.handle), bytes);
  };
  NEED(check,
       cudnnSetTensor4dDescriptorEx(tensor.handle, CUDNN_DATA_DOUBLE, 2, 3, 4, 5, 60, 1, 15, 3));
  expect({2, 3, 4, 5}, {60, 1, 15, 3}, 2 * 60 * sizeof(double));
  EXPECT(check, *type == CUDNN_DATA_DOUBLE);
  const int five[] = {2, 3, 4, 5, 6}, packed[] = {360, 120, 30, 6, 1};
  NEED(check, cudnnSetTensorNdDescriptor(tensor.handle, CUDNN_DATA_HALF, 5, five, packed));
  expect({2, 3, 4, 5, 6}, {360, 120, 30, 6, 1}, 720 * 2);
  NEED(check,
       cudnnSetTensorNdDescriptorEx(tensor.handle, CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, 5, five));
  expect({2, 3, 4, 5, 6}, {360, 1, 90, 18, 3}, 720 * sizeof(float));
  INTACT(check, sizes);
  INTACT(check, strides);
  INTACT(check, type);
  INTACT(check, count);
}

void filter_descriptors(Check& check, const Library&) {
  OWNED(filter, check, FilterDescriptor);
  if (!check) return;
  const std::vector<int> five = {4, 3, 2, 5, 6};
  NEED(check, cudnnSetFilterNdDescriptor(filter.handle, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 5,
                                         five.data()));
  Guarded<Dimensions> sizes;
  Guarded<cudnnDataType_t> type;
  Guarded<cudnnTensorFormat_t> format;
  Guarded<int> count;
  NEED(check, cudnnGetFilterNdDescriptor(filter.handle, 8, type.get(), format.get(), count.get(),
                                         sizes->of));
  INTACT(check, sizes);
  INTACT(check, type);
  INTACT(check, format);
  INTACT(check, count);
  EXPECT(check, *type == CUDNN_DATA_FLOAT && *format == CUDNN_TENSOR_NCHW && *count == 5);
  EXPECT(check, begins(sizes, five));
  check.equal("bytes", SIZE_OF(check, cudnnGetFilterSizeInBytes, filter.handle),
              720 * sizeof(float));
}

// In double: 3 everywhere, times -2, plus a value for each channel.
void fill_scale_add(Check& check, const Library& all) {
  const Shape shape = {2, 3, 4, 5};
  const Tensor tensor(check, shape, CUDNN_DATA_DOUBLE),
      bias(check, {1, 3, 1, 1}, CUDNN_DATA_DOUBLE);
  if (!check) return;
  const Doubles three = {0.5, -1, 8};
  const DeviceArray<double> y(shape.count()), b(three);
  const double value = 3, factor = -2, one = 1;
  NEED(check, cudnnSetTensor(all.handle(), tensor.get(), y.data(), &value));
  NEED(check, cudnnScaleTensor(all.handle(), tensor.get(), y.data(), &factor));
  NEED(check,
       cudnnAddTensor(all.handle(), &one, bias.get(), b.data(), &one, tensor.get(), y.data()));
  all.wait(check);
  Doubles want;
  for (std::size_t i = 0; i < shape.count(); ++i) want.push_back(three[i / 20 % 3] - 6);
  check.near("y", y.get(check), want, 0);
}

// c = operation(2 a, 3 b) + 0.5 c
void operate(Check& check, const Library& all) {
  const Shape shape = {2, 3, 4, 5};
  const Tensor tensor(check, shape);
  OWNED(operation, check, OpTensorDescriptor);
  if (!check) return;
  auto a = random_values<float>(shape.count(), 1), b = random_values<float>(shape.count(), 2),
       c = random_values<float>(shape.count(), 3);
  for (float& value : a) value = std::fabs(value);  // for the root
  const DeviceArray<float> on_a(a), on_b(b), on_c(shape.count());
  const float two = 2, three = 3, half = 0.5f;
  const struct {
    cudnnOpTensorOp_t operation;
    double (*of)(double, double);
  } rows[] = {{CUDNN_OP_TENSOR_ADD, [](double x, double y) { return x + y; }},
              {CUDNN_OP_TENSOR_MUL, [](double x, double y) { return x * y; }},
              {CUDNN_OP_TENSOR_MIN, [](double x, double y) { return std::min(x, y); }},
              {CUDNN_OP_TENSOR_MAX, [](double x, double y) { return std::max(x, y); }},
              {CUDNN_OP_TENSOR_SQRT, [](double x, double) { return std::sqrt(x); }},
              {CUDNN_OP_TENSOR_NOT, [](double x, double) { return 1 - x; }}};
  for (const auto& row : rows) {
    NEED(check, cudnnSetOpTensorDescriptor(operation.handle, row.operation, CUDNN_DATA_FLOAT,
                                           CUDNN_PROPAGATE_NAN));
    Guarded<cudnnOpTensorOp_t> got;
    Guarded<cudnnDataType_t> type;
    Guarded<cudnnNanPropagation_t> nan;
    NEED(check, cudnnGetOpTensorDescriptor(operation.handle, got.get(), type.get(), nan.get()));
    EXPECT(check,
           *got == row.operation && *type == CUDNN_DATA_FLOAT && *nan == CUDNN_PROPAGATE_NAN);
    INTACT(check, got);
    INTACT(check, type);
    INTACT(check, nan);
    DeviceArray<float> result(c);
    NEED(check,
         cudnnOpTensor(all.handle(), operation.handle, &two, tensor.get(), on_a.data(), &three,
                       tensor.get(), on_b.data(), &half, tensor.get(), result.data()));
    all.wait(check);
    Doubles want;
    for (std::size_t i = 0; i < c.size(); ++i)
      want.push_back(row.of(2 * a[i], 3 * b[i]) + c[i] / 2);
    check.near("c", flat(result.get(check)), want, 1e-5);
  }
}

// Over channels and columns; and the place of the greatest value of all.
void reduce(Check& check, const Library& all) {
  const Shape shape = {2, 3, 4, 5}, small = {2, 1, 4, 1};
  const Tensor a(check, shape), some(check, small), one(check, {1, 1, 1, 1});
  OWNED(reduction, check, ReduceTensorDescriptor);
  if (!check) return;
  const auto values = random_values<float>(shape.count(), 4);
  const DeviceArray<float> on_a(values), on_some(small.count()), on_one(1);
  const auto set = [&](cudnnReduceTensorOp_t operation, cudnnReduceTensorIndices_t indices) {
    NEED(check,
         cudnnSetReduceTensorDescriptor(reduction.handle, operation, CUDNN_DATA_FLOAT,
                                        CUDNN_NOT_PROPAGATE_NAN, indices, CUDNN_32BIT_INDICES));
    struct All {
      cudnnReduceTensorOp_t operation;
      cudnnDataType_t type;
      cudnnNanPropagation_t nan;
      cudnnReduceTensorIndices_t indices;
      cudnnIndicesType_t kind;
    };
    Guarded<All> got;
    NEED(check, cudnnGetReduceTensorDescriptor(reduction.handle, &got->operation, &got->type,
                                               &got->nan, &got->indices, &got->kind));
    INTACT(check, got);
    EXPECT(check, got->operation == operation && got->type == CUDNN_DATA_FLOAT &&
                      got->indices == indices && got->kind == CUDNN_32BIT_INDICES);
  };
  const auto launch = [&](const Tensor& to, float* memory) {
    const Bytes indices(SIZE_OF(check, cudnnGetReductionIndicesSize, all.handle(), reduction.handle,
                                a.get(), to.get())),
        work(SIZE_OF(check, cudnnGetReductionWorkspaceSize, all.handle(), reduction.handle, a.get(),
                     to.get()));
    CALL(check, cudnnReduceTensor(all.handle(), reduction.handle, indices.data(), indices.bytes(),
                                  work.data(), work.bytes(), &kOne, a.get(), on_a.data(), &kZero,
                                  to.get(), memory));
    all.wait(check);
    work.get(check);
    const auto bytes = indices.get(check);
    std::uint32_t first = 0;
    if (bytes.size() >= sizeof first) std::memcpy(&first, bytes.data(), sizeof first);
    return first;
  };
  const struct {
    cudnnReduceTensorOp_t operation;
    double first;
    double (*next)(double, double);
    double (*last)(double);
  } rows[] = {
      {CUDNN_REDUCE_TENSOR_ADD, 0, [](double x, double y) { return x + y; }, nullptr},
      {CUDNN_REDUCE_TENSOR_MUL, 1, [](double x, double y) { return x * y; }, nullptr},
      {CUDNN_REDUCE_TENSOR_AMAX, 0, [](double x, double y) { return std::max(x, std::fabs(y)); },
       nullptr},
      {CUDNN_REDUCE_TENSOR_AVG, 0, [](double x, double y) { return x + y / 15; }, nullptr},
      {CUDNN_REDUCE_TENSOR_NORM1, 0, [](double x, double y) { return x + std::fabs(y); }, nullptr},
      {CUDNN_REDUCE_TENSOR_NORM2, 0, [](double x, double y) { return x + y * y; },
       [](double x) { return std::sqrt(x); }}};
  for (const auto& row : rows) {
    set(row.operation, CUDNN_REDUCE_TENSOR_NO_INDICES);
    if (!check) return;
    launch(some, on_some.data());
    Doubles want(small.count(), row.first);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double& to = want[i / 60 * 4 + i / 5 % 4];
      to = row.next(to, values[i]);
    }
    if (row.last != nullptr) {
      for (double& value : want) value = row.last(value);
    }
    check.near("c", flat(on_some.get(check)), want, 1e-5);
  }
  set(CUDNN_REDUCE_TENSOR_MAX, CUDNN_REDUCE_TENSOR_FLATTENED_INDICES);
  if (!check) return;
  const std::uint32_t index = launch(one, on_one.data());
  const auto greatest = std::max_element(values.begin(), values.end());
  check.equal("index", index, static_cast<double>(greatest - values.begin()));
  check.near("greatest", flat(on_one.get(check)), {*greatest}, 0);
}

// Channels first to channels last; and zeroes around rows and columns.
void transform(Check& check, const Library& all) {
  const Shape shape = {2, 3, 4, 5}, wide = {2, 3, 7, 8};
  const Tensor from(check, shape), to(check, shape), padded(check, wide);
  OWNED(padding, check, TensorTransformDescriptor);
  const Filter filter(check, shape), wide_filter(check, wide);
  if (!check) return;
  NEED(check,
       cudnnSetTensor4dDescriptor(to.get(), CUDNN_TENSOR_NHWC, CUDNN_DATA_FLOAT, 2, 3, 4, 5));
  const auto values = random_values<float>(shape.count(), 5);
  const DeviceArray<float> x(values), y(shape.count());
  NEED(check,
       cudnnTransformTensor(all.handle(), &kOne, from.get(), x.data(), &kZero, to.get(), y.data()));
  all.wait(check);
  Doubles last(shape.count()), around(wide.count());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int n = i / 60, c = i / 20 % 3, h = i / 5 % 4, w = i % 5;
    last[((n * 4 + h) * 5 + w) * 3 + c] = values[i];
    around[wide.at(n, c, h + 1, w + 2)] = values[i];
  }
  check.near("y", flat(y.get(check)), last, 0);
  const std::vector<int> before = {0, 0, 1, 2}, after = {0, 0, 2, 1};
  NEED(check, cudnnSetTensorTransformDescriptor(padding.handle, 4, CUDNN_TENSOR_NCHW, before.data(),
                                                after.data(), nullptr, CUDNN_TRANSFORM_FOLD));
  Guarded<Dimensions> got_before, got_after;
  struct Folds {
    unsigned of[8];
  };
  Guarded<Folds> folds;
  Guarded<cudnnTensorFormat_t> format;
  Guarded<cudnnFoldingDirection_t> direction;
  NEED(check, cudnnGetTensorTransformDescriptor(padding.handle, 4, format.get(), got_before->of,
                                                got_after->of, folds->of, direction.get()));
  INTACT(check, got_before);
  INTACT(check, got_after);
  INTACT(check, folds);
  INTACT(check, format);
  INTACT(check, direction);
  EXPECT(check, begins(got_before, before) && begins(got_after, after));
  EXPECT(check, *format == CUDNN_TENSOR_NCHW && *direction == CUDNN_TRANSFORM_FOLD);
  check.equal("bytes", SIZE_OF(check, cudnnInitTransformDest, padding.handle, from.get(), to.get()),
              wide.count() * sizeof(float));
  const DeviceArray<float> tensor(wide.count()), weights(wide.count());
  NEED(check, cudnnTransformTensorEx(all.handle(), padding.handle, &kOne, from.get(), x.data(),
                                     &kZero, padded.get(), tensor.data()));
  NEED(check, cudnnTransformFilter(all.handle(), padding.handle, &kOne, filter.get(), x.data(),
                                   &kZero, wide_filter.get(), weights.data()));
  all.wait(check);
  check.near("tensor", flat(tensor.get(check)), around, 0);
  check.near("filter", flat(weights.get(check)), around, 0);
}

// Each value is dropped or doubled; backward, and from the same states again, the same are.
void dropout(Check& check, const Library& all) {
  const Shape shape = {4, 8, 8, 8};
  const Tensor tensor(check, shape);
  OWNED(drop, check, DropoutDescriptor);
  if (!check) return;
  const Bytes states(SIZE_OF(check, cudnnDropoutGetStatesSize, all.handle())),
      reserve(SIZE_OF(check, cudnnDropoutGetReserveSpaceSize, tensor.get()));
  NEED(check, cudnnSetDropoutDescriptor(drop.handle, all.handle(), 0.5f, states.data(),
                                        states.bytes(), 42));
  all.wait(check);
  const Bytes kept(states.get(check));
  struct All {
    unsigned long long seed;
    void* states;
    float rate;
  };
  Guarded<All> got;
  NEED(check,
       cudnnGetDropoutDescriptor(drop.handle, all.handle(), &got->rate, &got->states, &got->seed));
  INTACT(check, got);
  EXPECT(check, got->rate == 0.5f && got->states == states.data() && got->seed == 42);
  const Floats ones(shape.count(), 1);
  const DeviceArray<float> x(ones), y(shape.count()), dx(shape.count()), again(shape.count());
  NEED(check, cudnnDropoutForward(all.handle(), drop.handle, tensor.get(), x.data(), tensor.get(),
                                  y.data(), reserve.data(), reserve.bytes()));
  NEED(check, cudnnDropoutBackward(all.handle(), drop.handle, tensor.get(), x.data(), tensor.get(),
                                   dx.data(), reserve.data(), reserve.bytes()));
  NEED(check, cudnnRestoreDropoutDescriptor(drop.handle, all.handle(), 0.5f, kept.data(),
                                            kept.bytes(), 42));
  NEED(check, cudnnDropoutForward(all.handle(), drop.handle, tensor.get(), x.data(), tensor.get(),
                                  again.data(), reserve.data(), reserve.bytes()));
  all.wait(check);
  reserve.get(check);
  const Floats dropped = y.get(check);
  const auto zeroes = std::count(dropped.begin(), dropped.end(), 0.0f),
             twos = std::count(dropped.begin(), dropped.end(), 2.0f);
  EXPECT(check, zeroes + twos == 2048 && zeroes > 850 && zeroes < 1200);
  check.near("dx", flat(dx.get(check)), flat(dropped), 0);
  check.near("again", flat(again.get(check)), flat(dropped), 0);
}

}  // namespace

void run() {
  run_on_library("cudnn_tensors", {{"versions", versions},
                                   {"callbacks", callbacks},
                                   {"tensor_descriptors", tensor_descriptors},
                                   {"filter_descriptors", filter_descriptors},
                                   {"fill_scale_add", fill_scale_add},
                                   {"operate", operate},
                                   {"reduce", reduce},
                                   {"transform", transform},
                                   {"dropout", dropout}});
}

}  // namespace maths
