// SPDX-License-Identifier: Apache-2.0

// cuDNN 9: descriptors, convolutions, activations, softmax, pooling; and a handle of cuBLAS on the
// same stream.
#include "cudnn_support.h"  // first: it declares what check.h needs

#include "cublas_support.h"

namespace maths {
namespace {

void version(Check& check, const Library&) {
  Guarded<int> major, minor;
  NEED(check, cudnnGetProperty(::MAJOR_VERSION, major.get()));
  NEED(check, cudnnGetProperty(::MINOR_VERSION, minor.get()));
  INTACT(check, major);
  INTACT(check, minor);
  const std::size_t number = cudnnGetVersion();
  EXPECT(check, *major == 9 && number / 10000 == 9);
  EXPECT(check, static_cast<std::size_t>(*minor) == number / 100 % 100);
  check.value("number", static_cast<double>(number));
  check.value("runtime", static_cast<double>(cudnnGetCudartVersion()));
}

void errors(Check& check, const Library& all) {
  const std::string good = cudnnGetErrorString(CUDNN_STATUS_SUCCESS);
  const std::string bad = cudnnGetErrorString(kBadParam);
  EXPECT(check, good == "CUDNN_STATUS_SUCCESS");
  EXPECT(check, bad == "CUDNN_STATUS_BAD_PARAM");
  const Tensor tensor(check, {1, 1, 1, 1});
  if (!check) return;
  const cudnnStatus_t refused =
      cudnnSetTensor4dDescriptor(tensor.get(), CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, -1, 1, 1, 1);
  EXPECT(check, refused == kBadParam);
  const cudnnStatus_t none = cudnnSetStream(nullptr, all.stream);
  EXPECT(check, none == kBadParam);
#ifndef PROGRAM_OF_CUDNN_8  // which does not have the function
  struct Text {
    char characters[64];
  };
  Guarded<Text> text;
  cudnnGetLastErrorString(text->characters, sizeof(Text));
  INTACT(check, text);
  EXPECT(check, std::memchr(text->characters, '\0', sizeof(Text)) != nullptr);
#endif
}

void descriptors(Check& check, const Library&) {
  const Tensor tensor(check, {2, 3, 5, 7});
  OWNED(filter, check, FilterDescriptor);
  OWNED(convolution, check, ConvolutionDescriptor);
  if (!check) return;
  struct Layout {
    int sizes[4], strides[4];
  };
  Guarded<Layout> layout;
  Guarded<cudnnDataType_t> type;
  NEED(check,
       cudnnGetTensor4dDescriptor(tensor.get(), type.get(), layout->sizes, layout->sizes + 1,
                                  layout->sizes + 2, layout->sizes + 3, layout->strides,
                                  layout->strides + 1, layout->strides + 2, layout->strides + 3));
  INTACT(check, layout);
  INTACT(check, type);
  const Layout want = {{2, 3, 5, 7}, {105, 35, 7, 1}};
  EXPECT(check, *type == CUDNN_DATA_FLOAT && std::memcmp(layout.get(), &want, sizeof want) == 0);
  NEED(check,
       cudnnSetFilter4dDescriptor(filter.handle, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 4, 3, 2, 1));
  Guarded<cudnnTensorFormat_t> format;
  NEED(check, cudnnGetFilter4dDescriptor(filter.handle, type.get(), format.get(), layout->sizes,
                                         layout->sizes + 1, layout->sizes + 2, layout->sizes + 3));
  const int filter_sizes[] = {4, 3, 2, 1};
  EXPECT(check, *format == CUDNN_TENSOR_NCHW &&
                    std::memcmp(layout->sizes, filter_sizes, sizeof filter_sizes) == 0);
  NEED(check, cudnnSetConvolution2dDescriptor(convolution.handle, 1, 2, 3, 4, 1, 2,
                                              CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
  struct Steps {
    int of[6];
  };
  Guarded<Steps> steps;
  Guarded<cudnnConvolutionMode_t> mode;
  NEED(check, cudnnGetConvolution2dDescriptor(convolution.handle, steps->of, steps->of + 1,
                                              steps->of + 2, steps->of + 3, steps->of + 4,
                                              steps->of + 5, mode.get(), type.get()));
  INTACT(check, steps);
  INTACT(check, mode);
  INTACT(check, format);
  const int all_steps[] = {1, 2, 3, 4, 1, 2};
  EXPECT(check, *mode == CUDNN_CROSS_CORRELATION &&
                    std::memcmp(steps->of, all_steps, sizeof all_steps) == 0);
}

struct Convolution {
  Shape input, filter;
  int padding, stride;
  Shape output() const {
    return {input.n, filter.n, (input.h + 2 * padding - filter.h) / stride + 1,
            (input.w + 2 * padding - filter.w) / stride + 1};
  }
};

std::vector<double> convolved(const Convolution& row, const std::vector<float>& x,
                              const std::vector<float>& w) {
  const Shape to = row.output();
  std::vector<double> y(to.count());
  for (int n = 0; n < to.n; ++n) {
    for (int k = 0; k < to.c; ++k) {
      for (int h = 0; h < to.h; ++h) {
        for (int column = 0; column < to.w; ++column) {
          double sum = 0;
          for (int c = 0; c < row.filter.c; ++c) {
            for (int r = 0; r < row.filter.h; ++r) {
              for (int s = 0; s < row.filter.w; ++s) {
                const int in_h = h * row.stride + r - row.padding,
                          in_w = column * row.stride + s - row.padding;
                if (row.input.inside(in_h, in_w)) {
                  sum += x[row.input.at(n, c, in_h, in_w)] * w[row.filter.at(k, c, r, s)];
                }
              }
            }
          }
          y[to.at(n, k, h, column)] = sum;
        }
      }
    }
  }
  return y;
}

// Small whole numbers, whose sums are exact in any order and with TF32 too.
void convolve(Check& check, const Library& all, const Convolution& row,
              cudnnConvolutionFwdAlgo_t algorithm) {
  const Shape to = row.output();
  const Tensor x(check, row.input), y(check, to);
  OWNED(w, check, FilterDescriptor);
  OWNED(convolution, check, ConvolutionDescriptor);
  if (!check) return;
  NEED(check, cudnnSetFilter4dDescriptor(w.handle, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW,
                                         row.filter.n, row.filter.c, row.filter.h, row.filter.w));
  NEED(check, cudnnSetConvolution2dDescriptor(convolution.handle, row.padding, row.padding,
                                              row.stride, row.stride, 1, 1, CUDNN_CROSS_CORRELATION,
                                              CUDNN_DATA_FLOAT));
  NEED(check, cudnnSetConvolutionMathType(convolution.handle, CUDNN_FMA_MATH));
  Guarded<Shape> sizes;
  NEED(check, cudnnGetConvolution2dForwardOutputDim(convolution.handle, x.get(), w.handle,
                                                    &sizes->n, &sizes->c, &sizes->h, &sizes->w));
  INTACT(check, sizes);
  EXPECT(check, std::memcmp(sizes.get(), &to, sizeof to) == 0);
  Guarded<std::size_t> bytes;
  NEED(check,
       cudnnGetConvolutionForwardWorkspaceSize(all.handle(), x.get(), w.handle, convolution.handle,
                                               y.get(), algorithm, bytes.get()));
  INTACT(check, bytes);
  const auto on_cpu_x = small_floats(row.input.count(), 1),
             on_cpu_w = small_floats(row.filter.count(), 2);
  const DeviceArray<float> on_x(on_cpu_x), on_w(on_cpu_w), on_y(to.count());
  const DeviceArray<unsigned char> work(*bytes);
  NEED(check, cudnnConvolutionForward(all.handle(), &kOne, x.get(), on_x.data(), w.handle,
                                      on_w.data(), convolution.handle, algorithm, work.data(),
                                      *bytes, &kZero, y.get(), on_y.data()));
  all.wait(check);
  check.near("y", flat(on_y.get(check)), convolved(row, on_cpu_x, on_cpu_w), 0);
  work.get(check);  // for its guard bytes
}

void convolutions(Check& check, const Library& all) {
  const Convolution rows[] = {{{1, 1, 1, 1}, {1, 1, 1, 1}, 0, 1},
                              {{2, 3, 13, 11}, {5, 3, 3, 3}, 1, 1},
                              {{1, 4, 17, 9}, {7, 4, 5, 3}, 0, 2},
                              {{3, 16, 31, 33}, {8, 16, 3, 3}, 2, 1}};
  for (const Convolution& row : rows) {
    for (auto algorithm : {CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                           CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM}) {
      if (check) convolve(check, all, row, algorithm);
    }
  }
}

// What the library would choose: an array of structs that it fills.
void choice(Check& check, const Library& all) {
  const Convolution row = {{2, 3, 13, 11}, {5, 3, 3, 3}, 1, 1};
  const Tensor x(check, row.input), y(check, row.output());
  OWNED(w, check, FilterDescriptor);
  OWNED(convolution, check, ConvolutionDescriptor);
  if (!check) return;
  NEED(check,
       cudnnSetFilter4dDescriptor(w.handle, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 5, 3, 3, 3));
  NEED(check, cudnnSetConvolution2dDescriptor(convolution.handle, 1, 1, 1, 1, 1, 1,
                                              CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
  constexpr int kMost = 3;
  struct Choices {
    cudnnConvolutionFwdAlgoPerf_t of[kMost];
  };
  Guarded<Choices> choices;
  Guarded<int> count;
  NEED(check,
       cudnnGetConvolutionForwardAlgorithm_v7(all.handle(), x.get(), w.handle, convolution.handle,
                                              y.get(), kMost, count.get(), choices->of));
  INTACT(check, choices);
  INTACT(check, count);
  EXPECT(check, *count >= 1 && *count <= kMost);
  EXPECT(check, choices->of[0].status == CUDNN_STATUS_SUCCESS);
  check.value("algorithm", choices->of[0].algo);
}

void activations(Check& check, const Library& all) {
  const Shape shape = {2, 3, 5, 7};
  const Tensor tensor(check, shape);
  OWNED(activation, check, ActivationDescriptor);
  if (!check) return;
  const auto values = random_values<float>(shape.count(), 3);
  const DeviceArray<float> x(values), y(shape.count());
  const struct {
    cudnnActivationMode_t mode;
    double (*of)(double);
  } rows[] = {{CUDNN_ACTIVATION_RELU, [](double value) { return value > 0 ? value : 0; }},
              {CUDNN_ACTIVATION_TANH, [](double value) { return std::tanh(value); }},
              {CUDNN_ACTIVATION_SIGMOID, [](double value) { return 1 / (1 + std::exp(-value)); }}};
  for (const auto& row : rows) {
    NEED(check,
         cudnnSetActivationDescriptor(activation.handle, row.mode, CUDNN_PROPAGATE_NAN, 0.5));
    Guarded<cudnnActivationMode_t> mode;
    Guarded<cudnnNanPropagation_t> nan;
    Guarded<double> coefficient;
    NEED(check,
         cudnnGetActivationDescriptor(activation.handle, mode.get(), nan.get(), coefficient.get()));
    EXPECT(check, *mode == row.mode && *nan == CUDNN_PROPAGATE_NAN && *coefficient == 0.5);
    INTACT(check, mode);
    INTACT(check, nan);
    INTACT(check, coefficient);
    NEED(check, cudnnActivationForward(all.handle(), activation.handle, &kOne, tensor.get(),
                                       x.data(), &kZero, tensor.get(), y.data()));
    all.wait(check);
    std::vector<double> want;
    for (float value : values) want.push_back(row.of(value));
    check.near("y", flat(y.get(check)), want, 1e-5);
  }
}

void softmax(Check& check, const Library& all) {
  const Shape shape = {3, 10, 2, 5};
  const Tensor tensor(check, shape);
  if (!check) return;
  const auto values = random_values<float>(shape.count(), 4);
  const DeviceArray<float> x(values), y(shape.count());
  NEED(check, cudnnSoftmaxForward(all.handle(), CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL,
                                  &kOne, tensor.get(), x.data(), &kZero, tensor.get(), y.data()));
  all.wait(check);
  std::vector<double> want(shape.count());
  for (int n = 0; n < shape.n; ++n) {
    for (int place = 0; place < shape.h * shape.w; ++place) {
      double sum = 0;
      for (int c = 0; c < shape.c; ++c) sum += std::exp(values[shape.at(n, c, 0, 0) + place]);
      for (int c = 0; c < shape.c; ++c) {
        const std::size_t at = shape.at(n, c, 0, 0) + place;
        want[at] = std::exp(values[at]) / sum;
      }
    }
  }
  check.near("y", flat(y.get(check)), want, 1e-5);
}

void pooling(Check& check, const Library& all) {
  const Shape from = {2, 3, 9, 8}, to = {2, 3, 4, 4};
  const Tensor x(check, from), y(check, to);
  OWNED(pool, check, PoolingDescriptor);
  if (!check) return;
  const auto values = random_values<float>(from.count(), 5);
  const DeviceArray<float> on_x(values), on_y(to.count());
  for (auto mode : {CUDNN_POOLING_MAX, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING}) {
    NEED(check,
         cudnnSetPooling2dDescriptor(pool.handle, mode, CUDNN_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
    Guarded<Shape> sizes;
    NEED(check, cudnnGetPooling2dForwardOutputDim(pool.handle, x.get(), &sizes->n, &sizes->c,
                                                  &sizes->h, &sizes->w));
    INTACT(check, sizes);
    EXPECT(check, std::memcmp(sizes.get(), &to, sizeof to) == 0);
    NEED(check, cudnnPoolingForward(all.handle(), pool.handle, &kOne, x.get(), on_x.data(), &kZero,
                                    y.get(), on_y.data()));
    all.wait(check);
    std::vector<double> want;
    for (int plane = 0; plane < to.n * to.c; ++plane) {
      for (int h = 0; h < to.h; ++h) {
        for (int w = 0; w < to.w; ++w) {
          const float* first = values.data() + from.at(0, plane, 2 * h, 2 * w);
          const double four[] = {first[0], first[1], first[from.w], first[from.w + 1]};
          want.push_back(mode == CUDNN_POOLING_MAX ? *std::max_element(four, four + 4)
                                                   : (four[0] + four[1] + four[2] + four[3]) / 4);
        }
      }
    }
    check.near("y", flat(on_y.get(check)), want, 1e-6);
  }
}

// cuBLAS makes a matrix, cuDNN cuts its negative numbers off, and cuBLAS takes the product with it:
// no wait between them.
void with_cublas(Check& check, const Library& all) {
  constexpr int kSize = 24;
  const Blas blas(check);
  const Tensor tensor(check, {1, 1, kSize, kSize});
  OWNED(activation, check, ActivationDescriptor);
  if (!check) return;
  NEED(check, cublasSetStream(blas.handle, all.stream));
  NEED(check, cudnnSetActivationDescriptor(activation.handle, CUDNN_ACTIVATION_RELU,
                                           CUDNN_PROPAGATE_NAN, 0));
  const auto a = small_floats(kSize * kSize, 6), b = small_floats(kSize * kSize, 7);
  const DeviceArray<float> on_a(a), on_b(b), between(kSize * kSize), result(kSize * kSize);
  const auto multiply = [&](const DeviceArray<float>& left, const DeviceArray<float>& right,
                            const DeviceArray<float>& to) {
    return cublasSgemm(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, &kOne,
                       left.data(), kSize, right.data(), kSize, &kZero, to.data(), kSize);
  };
  check.call("cublasSgemm", multiply(on_a, on_b, between));
  NEED(check, cudnnActivationForward(all.handle(), activation.handle, &kOne, tensor.get(),
                                     between.data(), &kZero, tensor.get(), between.data()));
  check.call("cublasSgemm", multiply(between, on_b, result));
  all.wait(check);
  std::vector<float> want = product(a, b, kSize, kSize, kSize);
  for (float& value : want) value = std::max(value, 0.0f);
  check.near("result", flat(result.get(check)), flat(product(want, b, kSize, kSize, kSize)), 0);
}

}  // namespace

void run() {
  run_on_library("cudnn", {{"version", version},
                           {"errors", errors},
                           {"descriptors", descriptors},
                           {"convolutions", convolutions},
                           {"choice", choice},
                           {"activations", activations},
                           {"softmax", softmax},
                           {"pooling", pooling},
                           {"with_cublas", with_cublas}});
}

}  // namespace maths
