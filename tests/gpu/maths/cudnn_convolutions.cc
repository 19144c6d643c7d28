// SPDX-License-Identifier: Apache-2.0

// cuDNN 9: convolutions with descriptors of any number of dimensions, groups and dilation: their
// derivatives, the algorithms that the library names, and what goes with them.
#include "cudnn_support.h"

namespace maths {
namespace {

struct Convolution {
  Shape input, filter;
  int padding[2], stride[2], dilation[2], groups;
  int steps(int way, int size, int window) const {
    return (size + 2 * padding[way] - dilation[way] * (window - 1) - 1) / stride[way] + 1;
  }
  Shape output() const {
    return {input.n, filter.n, steps(0, input.h, filter.h), steps(1, input.w, filter.w)};
  }
  Doubles of(const Doubles& x, const Doubles& w) const {
    const Shape to = output();
    Doubles y(to.count());
    for (std::size_t i = 0; i < y.size(); ++i) {
      const int q = i % to.w, p = i / to.w % to.h, k = i / to.w / to.h % to.c,
                n = i / to.w / to.h / to.c;
      for (std::size_t j = 0; j < filter.count() / filter.n; ++j) {
        const int s = j % filter.w, r = j / filter.w % filter.h, c = j / filter.w / filter.h;
        const int h = p * stride[0] + r * dilation[0] - padding[0],
                  column = q * stride[1] + s * dilation[1] - padding[1];
        const int channel = k / (filter.n / groups) * filter.c + c;
        if (input.inside(h, column)) {
          y[i] += x[input.at(n, channel, h, column)] * w[filter.at(k, c, r, s)];
        }
      }
    }
    return y;
  }
};

constexpr Convolution kGrouped = {{2, 4, 7, 6}, {6, 2, 3, 3}, {1, 2}, {2, 1}, {1, 2}, 2},
                      kPlain = {{2, 4, 7, 6}, {8, 4, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1};

// A convolution's descriptors, and small whole numbers.
struct Setup {
  Setup(Check& check, const Convolution& row)
      : shape(row),
        x(check, row.input),
        y(check, row.output()),
        w(check, row.filter),
        owned(check, "cudnnCreateConvolutionDescriptor", cudnnCreateConvolutionDescriptor,
              cudnnDestroyConvolutionDescriptor) {
    if (!check) return;
    CALL(check,
         cudnnSetConvolutionNdDescriptor(convolution(), 2, row.padding, row.stride, row.dilation,
                                         CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    CALL(check, cudnnSetConvolutionGroupCount(convolution(), row.groups));
    CALL(check, cudnnSetConvolutionMathType(convolution(), CUDNN_FMA_MATH));
  }
  cudnnConvolutionDescriptor_t convolution() const { return owned.handle; }
  Convolution shape;
  Tensor x, y;
  Filter w;
  Owned<cudnnConvolutionDescriptor_t> owned;
  Floats values_x = small_floats(shape.input.count(), 1),
         values_w = small_floats(shape.filter.count(), 2),
         values_dy = small_floats(shape.output().count(), 3);
  DeviceArray<float> on_x{values_x}, on_w{values_w}, on_dy{values_dy};
};

void descriptors(Check& check, const Library&) {
  const Setup setup(check, kGrouped);
  if (!check) return;
  struct Ways {
    int of[4];
  };
  Guarded<Ways> padding, stride, dilation, sizes;
  Guarded<int> count;
  Guarded<cudnnConvolutionMode_t> mode;
  Guarded<cudnnDataType_t> type;
  NEED(check, cudnnGetConvolutionNdDescriptor(setup.convolution(), 4, count.get(), padding->of,
                                              stride->of, dilation->of, mode.get(), type.get()));
  EXPECT(check, *count == 2 && *mode == CUDNN_CROSS_CORRELATION && *type == CUDNN_DATA_FLOAT);
  EXPECT(check, padding->of[1] == 2 && stride->of[0] == 2 && dilation->of[1] == 2);
  NEED(check, cudnnGetConvolutionNdForwardOutputDim(setup.convolution(), setup.x.get(),
                                                    setup.w.get(), 4, sizes->of));
  const Shape to = kGrouped.output();
  EXPECT(check, std::memcmp(sizes->of, &to, sizeof to) == 0);
  NEED(check, cudnnSetConvolutionReorderType(setup.convolution(), CUDNN_NO_REORDER));
  Guarded<int> groups;
  Guarded<cudnnMathType_t> math;
  Guarded<cudnnReorderType_t> order;
  NEED(check, cudnnGetConvolutionGroupCount(setup.convolution(), groups.get()));
  NEED(check, cudnnGetConvolutionMathType(setup.convolution(), math.get()));
  NEED(check, cudnnGetConvolutionReorderType(setup.convolution(), order.get()));
  EXPECT(check, *groups == 2 && *math == CUDNN_FMA_MATH && *order == CUDNN_NO_REORDER);
  for (const auto* ways : {&padding, &stride, &dilation, &sizes}) check.intact("ways", *ways);
  INTACT(check, count);
  INTACT(check, mode);
  INTACT(check, type);
  INTACT(check, groups);
  INTACT(check, math);
  INTACT(check, order);
}

// The best of the algorithms that a function names: into an array of structs, which it fills.
constexpr int kMost = 3;
template <typename Kind, typename Function>
unsigned chosen(Check& check, const char* name, const Function& function) {
  struct Kinds {
    Kind of[kMost];
  };
  Guarded<Kinds> found;
  Guarded<int> count;
  if (!check.call(name, function(count.get(), found->of))) return 0;
  check.intact(name, found);
  check.intact(name, count);
  EXPECT(check, *count >= 1 && *count <= kMost);
  EXPECT(check, found->of[0].status == CUDNN_STATUS_SUCCESS);
  return found->of[0].algo;
}
#define CHOSEN(check, Kind, function, ...)                             \
  chosen<Kind>(check, #function, [&](int* count_, Kind* found_) {      \
    return function(all.handle(), __VA_ARGS__, kMost, count_, found_); \
  })
#define CHOSEN_IN(check, Kind, memory, function, ...)                                \
  chosen<Kind>(check, #function, [&](int* count_, Kind* found_) {                    \
    return function(all.handle(), __VA_ARGS__, kMost, count_, found_, memory.data(), \
                    memory.bytes());                                                 \
  })

void forward(Check& check, const Library& all) {
  using Kind = cudnnConvolutionFwdAlgoPerf_t;
  const Setup setup(check, kGrouped);
  if (!check) return;
  const auto x = setup.x.get(), y = setup.y.get();
  const auto w = setup.w.get();
  const auto convolution = setup.convolution();
  const DeviceArray<float> to(kGrouped.output().count());
  const Bytes enough(1 << 20);
  EXPECT(check, written<int>(check, "cudnnGetConvolutionForwardAlgorithmMaxCount", [&](int* count) {
                  return cudnnGetConvolutionForwardAlgorithmMaxCount(all.handle(), count);
                }) >= kMost);
  CHOSEN(check, Kind, cudnnFindConvolutionForwardAlgorithm, x, w, convolution, y);
  CHOSEN_IN(check, Kind, enough, cudnnFindConvolutionForwardAlgorithmEx, x, setup.on_x.data(), w,
            setup.on_w.data(), convolution, y, to.data());
  const unsigned algorithm =
      CHOSEN(check, Kind, cudnnGetConvolutionForwardAlgorithm_v7, x, w, convolution, y);
  const Bytes work(SIZE_OF(check, cudnnGetConvolutionForwardWorkspaceSize, all.handle(), x, w,
                           convolution, y, algorithm));
  NEED(check, cudnnConvolutionForward(all.handle(), &kOne, x, setup.on_x.data(), w,
                                      setup.on_w.data(), convolution, algorithm, work.data(),
                                      work.bytes(), &kZero, y, to.data()));
  all.wait(check);
  check.near("y", flat(to.get(check)), kGrouped.of(flat(setup.values_x), flat(setup.values_w)),
             1e-4);
  work.get(check);
  enough.get(check);
}

void backward_data(Check& check, const Library& all) {
  using Kind = cudnnConvolutionBwdDataAlgoPerf_t;
  const Setup setup(check, kGrouped);
  if (!check) return;
  const auto x = setup.x.get(), y = setup.y.get();
  const auto w = setup.w.get();
  const auto convolution = setup.convolution();
  const DeviceArray<float> dx(kGrouped.input.count());
  const Bytes enough(1 << 20);
  EXPECT(check,
         written<int>(check, "cudnnGetConvolutionBackwardDataAlgorithmMaxCount", [&](int* count) {
           return cudnnGetConvolutionBackwardDataAlgorithmMaxCount(all.handle(), count);
         }) >= kMost);
  CHOSEN(check, Kind, cudnnFindConvolutionBackwardDataAlgorithm, w, y, convolution, x);
  CHOSEN_IN(check, Kind, enough, cudnnFindConvolutionBackwardDataAlgorithmEx, w, setup.on_w.data(),
            y, setup.on_dy.data(), convolution, x, dx.data());
  const unsigned algorithm =
      CHOSEN(check, Kind, cudnnGetConvolutionBackwardDataAlgorithm_v7, w, y, convolution, x);
  const Bytes work(SIZE_OF(check, cudnnGetConvolutionBackwardDataWorkspaceSize, all.handle(), w, y,
                           convolution, x, algorithm));
  NEED(check, cudnnConvolutionBackwardData(all.handle(), &kOne, w, setup.on_w.data(), y,
                                           setup.on_dy.data(), convolution, algorithm, work.data(),
                                           work.bytes(), &kZero, x, dx.data()));
  all.wait(check);
  const Doubles weights = flat(setup.values_w);
  check.near("dx", flat(dx.get(check)),
             gradient([&](const Doubles& at) { return kGrouped.of(at, weights); },
                      flat(setup.values_x), flat(setup.values_dy)),
             1e-4);
  work.get(check);
  enough.get(check);
}

void backward_filter(Check& check, const Library& all) {
  using Kind = cudnnConvolutionBwdFilterAlgoPerf_t;
  const Setup setup(check, kGrouped);
  const Tensor bias(check, {1, kGrouped.filter.n, 1, 1});
  if (!check) return;
  const auto x = setup.x.get(), y = setup.y.get();
  const auto w = setup.w.get();
  const auto convolution = setup.convolution();
  const DeviceArray<float> dw(kGrouped.filter.count()), db(kGrouped.filter.n);
  const Bytes enough(1 << 20);
  EXPECT(check,
         written<int>(check, "cudnnGetConvolutionBackwardFilterAlgorithmMaxCount", [&](int* count) {
           return cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(all.handle(), count);
         }) >= kMost);
  CHOSEN(check, Kind, cudnnFindConvolutionBackwardFilterAlgorithm, x, y, convolution, w);
  CHOSEN_IN(check, Kind, enough, cudnnFindConvolutionBackwardFilterAlgorithmEx, x,
            setup.on_x.data(), y, setup.on_dy.data(), convolution, w, dw.data());
  const unsigned algorithm =
      CHOSEN(check, Kind, cudnnGetConvolutionBackwardFilterAlgorithm_v7, x, y, convolution, w);
  const Bytes work(SIZE_OF(check, cudnnGetConvolutionBackwardFilterWorkspaceSize, all.handle(), x,
                           y, convolution, w, algorithm));
  NEED(check, cudnnConvolutionBackwardFilter(all.handle(), &kOne, x, setup.on_x.data(), y,
                                             setup.on_dy.data(), convolution, algorithm,
                                             work.data(), work.bytes(), &kZero, w, dw.data()));
  NEED(check, cudnnConvolutionBackwardBias(all.handle(), &kOne, y, setup.on_dy.data(), &kZero,
                                           bias.get(), db.data()));
  all.wait(check);
  const Doubles input = flat(setup.values_x), dy = flat(setup.values_dy);
  check.near(
      "dw", flat(dw.get(check)),
      gradient([&](const Doubles& at) { return kGrouped.of(input, at); }, flat(setup.values_w), dy),
      1e-4);
  const Shape to = kGrouped.output();
  Doubles sums(to.c);
  for (std::size_t i = 0; i < dy.size(); ++i) sums[i / (to.h * to.w) % to.c] += dy[i];
  check.near("db", flat(db.get(check)), sums, 0);
  work.get(check);
  enough.get(check);
}

// y = relu(convolution + 0.5 z + bias)
void bias_activation(Check& check, const Library& all) {
  constexpr auto kAlgorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  const Setup setup(check, kPlain);
  const Tensor bias(check, {1, kPlain.filter.n, 1, 1});
  OWNED(relu, check, ActivationDescriptor);
  if (!check) return;
  NEED(check, cudnnSetActivationDescriptor(relu.handle, CUDNN_ACTIVATION_RELU,
                                           CUDNN_NOT_PROPAGATE_NAN, 0));
  const Shape to = kPlain.output();
  const Floats z = small_floats(to.count(), 4), values = small_floats(to.c, 5);
  const DeviceArray<float> on_z(z), on_bias(values), y(to.count());
  const Bytes work(SIZE_OF(check, cudnnGetConvolutionForwardWorkspaceSize, all.handle(),
                           setup.x.get(), setup.w.get(), setup.convolution(), setup.y.get(),
                           kAlgorithm));
  const float half = 0.5f;
  NEED(check,
       cudnnConvolutionBiasActivationForward(
           all.handle(), &kOne, setup.x.get(), setup.on_x.data(), setup.w.get(), setup.on_w.data(),
           setup.convolution(), kAlgorithm, work.data(), work.bytes(), &half, setup.y.get(),
           on_z.data(), bias.get(), on_bias.data(), relu.handle, setup.y.get(), y.data()));
  all.wait(check);
  Doubles want = kPlain.of(flat(setup.values_x), flat(setup.values_w));
  for (std::size_t i = 0; i < want.size(); ++i) {
    want[i] = std::max(0.0, want[i] + z[i] / 2 + values[i / (to.h * to.w) % to.c]);
  }
  check.near("y", flat(y.get(check)), want, 1e-5);
  work.get(check);
}

// The matrix of a convolution: a row for each value of the filter, a column for each place.
void columns(Check& check, const Library& all) {
  constexpr Convolution kOneBatch = {{1, 2, 5, 4}, {1, 2, 3, 2}, {1, 0}, {1, 1}, {1, 1}, 1};
  const Setup setup(check, kOneBatch);
  if (!check) return;
  const Shape to = kOneBatch.output();
  const DeviceArray<float> matrix(12 * to.h * to.w);
  NEED(check, cudnnIm2Col(all.handle(), setup.x.get(), setup.on_x.data(), setup.w.get(),
                          setup.convolution(), matrix.data()));
  all.wait(check);
  Doubles want;
  for (int row = 0; row < 12; ++row) {
    const int c = row / 6, r = row / 2 % 3, s = row % 2;
    for (int place = 0; place < to.h * to.w; ++place) {
      const int h = place / to.w + r - 1, w = place % to.w + s;
      const bool inside = kOneBatch.input.inside(h, w);
      want.push_back(inside ? setup.values_x[kOneBatch.input.at(0, c, h, w)] : 0);
    }
  }
  check.near("matrix", flat(matrix.get(check)), want, 0);
}

// In another order, which the library does not tell: the same values.
void reorder(Check& check, const Library& all) {
  OWNED(filter, check, FilterDescriptor);
  if (!check) return;
  NEED(check, cudnnSetFilter4dDescriptor(filter.handle, CUDNN_DATA_INT8x32,
                                         CUDNN_TENSOR_NCHW_VECT_C, 32, 32, 3, 3));
  std::vector<signed char> weights;
  for (int value : small_values(32 * 32 * 9, 6)) weights.push_back(static_cast<signed char>(value));
  Floats bias = random_values<float>(32, 7);
  const DeviceArray<signed char> from(weights), to(weights.size());
  const DeviceArray<float> from_bias(bias), to_bias(bias.size());
  NEED(check,
       cudnnReorderFilterAndBias(all.handle(), filter.handle, CUDNN_DEFAULT_REORDER, from.data(),
                                 to.data(), 1, from_bias.data(), to_bias.data()));
  all.wait(check);
  auto got = to.get(check);
  Floats got_bias = to_bias.get(check);
  EXPECT(check, got != weights);
  std::sort(got.begin(), got.end());
  std::sort(weights.begin(), weights.end());
  std::sort(got_bias.begin(), got_bias.end());
  std::sort(bias.begin(), bias.end());
  EXPECT(check, got == weights && got_bias == bias);
}

// A stride becomes four times the channels, with a stride of one: the derivatives of the data on
// the way through these descriptors.
void folded(Check& check, const Library& all) {
  constexpr Convolution kStrided = {{2, 4, 8, 8}, {8, 4, 3, 3}, {1, 1}, {2, 2}, {1, 1}, 1};
  constexpr Shape kFilter = {8, 16, 2, 2}, kData = {2, 16, 4, 4};
  constexpr auto kAlgorithm = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
  const Setup setup(check, kStrided), into(check, kStrided);
  OWNED(filter_fold, check, TensorTransformDescriptor);
  OWNED(pad, check, TensorTransformDescriptor);
  OWNED(fold, check, TensorTransformDescriptor);
  OWNED(unfold, check, TensorTransformDescriptor);
  if (!check) return;
  const auto x = into.x.get(), y = into.y.get();
  const auto w = into.w.get();
  const auto convolution = into.convolution();
  NEED(check, cudnnGetFoldedConvBackwardDataDescriptors(
                  all.handle(), setup.w.get(), setup.y.get(), setup.convolution(), setup.x.get(),
                  CUDNN_TENSOR_NCHW, w, y, convolution, x, filter_fold.handle, pad.handle,
                  fold.handle, unfold.handle));
  Guarded<Shape> sizes, strides;
  Guarded<cudnnDataType_t> type;
  Guarded<cudnnTensorFormat_t> format;
  NEED(check, cudnnGetFilter4dDescriptor(w, type.get(), format.get(), &sizes->n, &sizes->c,
                                         &sizes->h, &sizes->w));
  EXPECT(check, std::memcmp(sizes.get(), &kFilter, sizeof kFilter) == 0);
  NEED(check, cudnnGetTensor4dDescriptor(x, type.get(), &sizes->n, &sizes->c, &sizes->h, &sizes->w,
                                         &strides->n, &strides->c, &strides->h, &strides->w));
  EXPECT(check, std::memcmp(sizes.get(), &kData, sizeof kData) == 0);
  INTACT(check, sizes);
  INTACT(check, strides);
  const Bytes weights(SIZE_OF(check, cudnnGetFilterSizeInBytes, w)),
      dy(SIZE_OF(check, cudnnGetTensorSizeInBytes, y)),
      folded_dx(SIZE_OF(check, cudnnGetTensorSizeInBytes, x)),
      work(SIZE_OF(check, cudnnGetConvolutionBackwardDataWorkspaceSize, all.handle(), w, y,
                   convolution, x, kAlgorithm));
  const DeviceArray<float> dx(kStrided.input.count());
  NEED(check, cudnnTransformFilter(all.handle(), filter_fold.handle, &kOne, setup.w.get(),
                                   setup.on_w.data(), &kZero, w, weights.data()));
  NEED(check, cudnnTransformTensorEx(all.handle(), pad.handle, &kOne, setup.y.get(),
                                     setup.on_dy.data(), &kZero, y, dy.data()));
  NEED(check, cudnnConvolutionBackwardData(all.handle(), &kOne, w, weights.data(), y, dy.data(),
                                           convolution, kAlgorithm, work.data(), work.bytes(),
                                           &kZero, x, folded_dx.data()));
  NEED(check, cudnnTransformTensorEx(all.handle(), unfold.handle, &kOne, x, folded_dx.data(),
                                     &kZero, setup.x.get(), dx.data()));
  all.wait(check);
  const Doubles values = flat(setup.values_w);
  check.near("dx", flat(dx.get(check)),
             gradient([&](const Doubles& at) { return kStrided.of(at, values); },
                      flat(setup.values_x), flat(setup.values_dy)),
             1e-4);
  for (const Bytes* memory : {&weights, &dy, &folded_dx, &work}) memory->get(check);
}

}  // namespace

void run() {
  run_on_library("cudnn_convolutions", {{"descriptors", descriptors},
                                        {"forward", forward},
                                        {"backward_data", backward_data},
                                        {"backward_filter", backward_filter},
                                        {"bias_activation", bias_activation},
                                        {"columns", columns},
                                        {"reorder", reorder},
                                        {"folded", folded}});
}

}  // namespace maths
