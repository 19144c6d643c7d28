// SPDX-License-Identifier: Apache-2.0

// cuDNN 9: layers without weights, forward and backward: activations, softmax, pooling, local
// normalization, the spatial transformer and the loss of CTC. What is backward is compared with
// differences of what is forward on the CPU.
#include "cudnn_support.h"

namespace maths {
namespace {

struct Dimensions {
  int of[4];
};

// A layer of one input and one output of the same type.
struct Layer {
  Layer(Check& check, const Shape& from, const Shape& to)
      : x(check, from),
        y(check, to),
        on_x(flat_floats(from.count(), 1)),
        on_dy(flat_floats(to.count(), 2)),
        on_y(to.count()),
        on_dx(from.count()) {}
  static Floats flat_floats(std::size_t count, std::uint32_t seed) {
    return random_values<float>(count, seed);
  }
  // Both directions, with what the CPU makes of the input.
  template <typename Function>
  void compare(Check& check, const Library& all, const Function& forward, double tolerance) const {
    all.wait(check);
    const Doubles input = flat(on_x.get(check));
    check.near("y", flat(on_y.get(check)), forward(input), tolerance);
    check.near("dx", flat(on_dx.get(check)), gradient(forward, input, flat(on_dy.get(check))),
               10 * tolerance);
  }
  Tensor x, y;
  DeviceArray<float> on_x, on_dy, on_y, on_dx;
};

// The hyperbolic tangent, and x / (1 + exp(-beta x)).
void activations(Check& check, const Library& all) {
  const Layer layer(check, {2, 3, 4, 5}, {2, 3, 4, 5});
  OWNED(activation, check, ActivationDescriptor);
  if (!check) return;
  constexpr double kBeta = 1.5;
  const struct {
    cudnnActivationMode_t mode;
    double (*of)(double);
  } rows[] = {{CUDNN_ACTIVATION_TANH, [](double x) { return std::tanh(x); }},
              {CUDNN_ACTIVATION_SWISH, [](double x) { return x / (1 + std::exp(-kBeta * x)); }}};
  for (const auto& row : rows) {
    NEED(check,
         cudnnSetActivationDescriptor(activation.handle, row.mode, CUDNN_NOT_PROPAGATE_NAN, 0));
    NEED(check, cudnnSetActivationDescriptorSwishBeta(activation.handle, kBeta));
    Guarded<double> beta;
    NEED(check, cudnnGetActivationDescriptorSwishBeta(activation.handle, beta.get()));
    INTACT(check, beta);
    check.equal("beta", *beta, kBeta);
    NEED(check,
         cudnnActivationForward(all.handle(), activation.handle, &kOne, layer.x.get(),
                                layer.on_x.data(), &kZero, layer.y.get(), layer.on_y.data()));
    NEED(check, cudnnActivationBackward(all.handle(), activation.handle, &kOne, layer.y.get(),
                                        layer.on_y.data(), layer.y.get(), layer.on_dy.data(),
                                        layer.x.get(), layer.on_x.data(), &kZero, layer.x.get(),
                                        layer.on_dx.data()));
    layer.compare(
        check, all,
        [&](Doubles values) {
          for (double& value : values) value = row.of(value);
          return values;
        },
        1e-5);
  }
}

// The logarithm of the softmax over all values of a batch.
void softmax(Check& check, const Library& all) {
  const Layer layer(check, {2, 3, 4, 5}, {2, 3, 4, 5});
  if (!check) return;
  NEED(check, cudnnSoftmaxForward(all.handle(), CUDNN_SOFTMAX_LOG, CUDNN_SOFTMAX_MODE_INSTANCE,
                                  &kOne, layer.x.get(), layer.on_x.data(), &kZero, layer.y.get(),
                                  layer.on_y.data()));
  NEED(check, cudnnSoftmaxBackward(all.handle(), CUDNN_SOFTMAX_LOG, CUDNN_SOFTMAX_MODE_INSTANCE,
                                   &kOne, layer.y.get(), layer.on_y.data(), layer.y.get(),
                                   layer.on_dy.data(), &kZero, layer.x.get(), layer.on_dx.data()));
  layer.compare(
      check, all,
      [](Doubles values) {
        double sums[2] = {};
        for (std::size_t i = 0; i < values.size(); ++i) sums[i / 60] += std::exp(values[i]);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] -= std::log(sums[i / 60]);
        return values;
      },
      1e-5);
}

// Windows of 3 by 2 with a row of padding.
void pooling(Check& check, const Library& all) {
  constexpr Shape from = {2, 3, 8, 8}, to = {2, 3, 4, 4};
  const Layer layer(check, from, to);
  OWNED(pool, check, PoolingDescriptor);
  if (!check) return;
  for (auto mode : {CUDNN_POOLING_MAX, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
                    CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING, CUDNN_POOLING_MAX_DETERMINISTIC}) {
    const int window[] = {3, 2}, padding[] = {1, 0}, stride[] = {2, 2};
    NEED(check, cudnnSetPoolingNdDescriptor(pool.handle, mode, CUDNN_NOT_PROPAGATE_NAN, 2, window,
                                            padding, stride));
    Guarded<Dimensions> got, got_window, got_padding, got_stride;
    Guarded<cudnnPoolingMode_t> got_mode;
    Guarded<cudnnNanPropagation_t> nan;
    Guarded<int> count;
    NEED(check, cudnnGetPoolingNdDescriptor(pool.handle, 2, got_mode.get(), nan.get(), count.get(),
                                            got_window->of, got_padding->of, got_stride->of));
    EXPECT(check, *got_mode == mode && *nan == CUDNN_NOT_PROPAGATE_NAN && *count == 2);
    EXPECT(check, got_window->of[0] == 3 && got_window->of[1] == 2 && got_padding->of[0] == 1);
    NEED(check, cudnnGetPooling2dDescriptor(
                    pool.handle, got_mode.get(), nan.get(), got_window->of, got_window->of + 1,
                    got_padding->of, got_padding->of + 1, got_stride->of, got_stride->of + 1));
    EXPECT(check, got_window->of[0] == 3 && got_window->of[1] == 2 && got_stride->of[1] == 2);
    NEED(check, cudnnGetPoolingNdForwardOutputDim(pool.handle, layer.x.get(), 4, got->of));
    EXPECT(check, std::memcmp(got->of, &to, sizeof to) == 0);
    INTACT(check, got);
    INTACT(check, got_window);
    INTACT(check, got_padding);
    INTACT(check, got_stride);
    INTACT(check, got_mode);
    INTACT(check, nan);
    INTACT(check, count);
    NEED(check, cudnnPoolingForward(all.handle(), pool.handle, &kOne, layer.x.get(),
                                    layer.on_x.data(), &kZero, layer.y.get(), layer.on_y.data()));
    NEED(check,
         cudnnPoolingBackward(all.handle(), pool.handle, &kOne, layer.y.get(), layer.on_y.data(),
                              layer.y.get(), layer.on_dy.data(), layer.x.get(), layer.on_x.data(),
                              &kZero, layer.x.get(), layer.on_dx.data()));
    layer.compare(
        check, all,
        [&](const Doubles& values) {
          Doubles result;
          for (std::size_t i = 0; i < to.count(); ++i) {
            const int plane = i / 16, h = i / 4 % 4, w = i % 4;
            double most = -10, sum = 0;
            int inside = 0;
            for (int r = 0; r < 3; ++r) {
              for (int s = 0; s < 2; ++s) {
                if (!from.inside(2 * h + r - 1, 2 * w + s)) continue;
                const double value = values[from.at(0, plane, 2 * h + r - 1, 2 * w + s)];
                most = std::max(most, value);
                sum += value;
                ++inside;
              }
            }
            if (mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING) inside = 6;
            const bool average = mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING ||
                                 mode == CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING;
            result.push_back(average ? sum / inside : most);
          }
          return result;
        },
        1e-5);
  }
}

// x / (k + alpha / count * the sum of the squares around it)^beta, over channels or over a plane.
void local_normalization(Check& check, const Library& all) {
  constexpr Shape shape = {2, 6, 5, 4};
  constexpr double kAlpha = 0.8, kBeta = 0.75, kK = 2;
  constexpr int kWindow = 3;
  const Layer layer(check, shape, shape);
  OWNED(norm, check, LRNDescriptor);
  if (!check) return;
  NEED(check, cudnnSetLRNDescriptor(norm.handle, kWindow, kAlpha, kBeta, kK));
  struct All {
    double alpha, beta, k;
    unsigned window;
  };
  Guarded<All> got;
  NEED(check, cudnnGetLRNDescriptor(norm.handle, &got->window, &got->alpha, &got->beta, &got->k));
  INTACT(check, got);
  EXPECT(check,
         got->window == kWindow && got->alpha == kAlpha && got->beta == kBeta && got->k == kK);
  const auto normalized = [&](bool plane) {
    return [=](const Doubles& x) {
      Doubles result;
      for (int i = 0; i < static_cast<int>(shape.count()); ++i) {
        const int n = i / 120, c = i / 20 % 6, h = i / 4 % 5, w = i % 4;
        double sum = 0;
        for (int a = -1; a <= 1; ++a) {
          for (int b = -1; b <= 1; ++b) {
            if (plane && shape.inside(h + a, w + b))
              sum += std::pow(x[shape.at(n, c, h + a, w + b)], 2);
          }
          if (!plane && c + a >= 0 && c + a < 6) sum += std::pow(x[shape.at(n, c + a, h, w)], 2);
        }
        const double count = plane ? kWindow * kWindow : kWindow;
        result.push_back(x[i] / std::pow(kK + kAlpha / count * sum, kBeta));
      }
      return result;
    };
  };
  NEED(check, cudnnLRNCrossChannelForward(all.handle(), norm.handle, CUDNN_LRN_CROSS_CHANNEL_DIM1,
                                          &kOne, layer.x.get(), layer.on_x.data(), &kZero,
                                          layer.y.get(), layer.on_y.data()));
  NEED(check, cudnnLRNCrossChannelBackward(all.handle(), norm.handle, CUDNN_LRN_CROSS_CHANNEL_DIM1,
                                           &kOne, layer.y.get(), layer.on_y.data(), layer.y.get(),
                                           layer.on_dy.data(), layer.x.get(), layer.on_x.data(),
                                           &kZero, layer.x.get(), layer.on_dx.data()));
  layer.compare(check, all, normalized(false), 1e-5);
  const DeviceArray<float> first(shape.count()), second(shape.count());
  NEED(check, cudnnDivisiveNormalizationForward(
                  all.handle(), norm.handle, CUDNN_DIVNORM_PRECOMPUTED_MEANS, &kOne, layer.x.get(),
                  layer.on_x.data(), nullptr, first.data(), second.data(), &kZero, layer.y.get(),
                  layer.on_y.data()));
  NEED(check, cudnnDivisiveNormalizationBackward(
                  all.handle(), norm.handle, CUDNN_DIVNORM_PRECOMPUTED_MEANS, &kOne, layer.x.get(),
                  layer.on_x.data(), nullptr, layer.on_dy.data(), first.data(), second.data(),
                  &kZero, layer.x.get(), layer.on_dx.data(), nullptr));
  layer.compare(check, all, normalized(true), 1e-5);
  first.get(check);
  second.get(check);
}

// A grid of places, and the values between the points around them.
void spatial_transformer(Check& check, const Library& all) {
  constexpr Shape from = {2, 3, 5, 6}, to = {2, 3, 4, 3};
  constexpr std::size_t kPlaces = 2 * 4 * 3;
  const Layer layer(check, from, to);
  OWNED(transformer, check, SpatialTransformerDescriptor);
  if (!check) return;
  const int sizes[] = {2, 3, 4, 3};
  NEED(check, cudnnSetSpatialTransformerNdDescriptor(transformer.handle, CUDNN_SAMPLER_BILINEAR,
                                                     CUDNN_DATA_FLOAT, 4, sizes));
  const Floats theta = {0.7f, 0.1f,  0.05f, -0.2f, 0.6f, 0.03f,
                        0.5f, -0.3f, 0.11f, 0.2f,  0.8f, -0.07f};
  const auto dgrid = random_values<float>(kPlaces * 2, 3);
  const DeviceArray<float> on_theta(theta), grid(kPlaces * 2), dtheta(theta.size()),
      on_dgrid(dgrid), grid_dx(kPlaces * 2);
  NEED(check, cudnnSpatialTfGridGeneratorForward(all.handle(), transformer.handle, on_theta.data(),
                                                 grid.data()));
  NEED(check, cudnnSpatialTfGridGeneratorBackward(all.handle(), transformer.handle, on_dgrid.data(),
                                                  dtheta.data()));
  all.wait(check);
  const auto places = [](const Doubles& matrix) {
    Doubles result;
    for (std::size_t i = 0; i < kPlaces; ++i) {
      const double x = static_cast<int>(i % 3) - 1, y = -1 + 2.0 * (i / 3 % 4) / 3;
      const double* row = matrix.data() + i / 12 * 6;
      result.push_back(row[0] * x + row[1] * y + row[2]);
      result.push_back(row[3] * x + row[4] * y + row[5]);
    }
    return result;
  };
  const Doubles on_cpu = places(flat(theta));
  check.near("grid", flat(grid.get(check)), on_cpu, 1e-5);
  check.near("dtheta", flat(dtheta.get(check)), gradient(places, flat(theta), flat(dgrid)), 1e-4);
  const auto sampled = [&](const Doubles& values, const Doubles& grid_values) {
    Doubles result;
    for (std::size_t i = 0; i < to.count(); ++i) {
      const int n = i / 36, c = i / 12 % 3;
      const double* place = grid_values.data() + (n * 12 + i % 12) * 2;
      const double x = (place[0] + 1) / 2 * (from.w - 1), y = (place[1] + 1) / 2 * (from.h - 1);
      double sum = 0;
      for (int h = 0; h < from.h; ++h) {
        for (int w = 0; w < from.w; ++w) {
          sum += values[from.at(n, c, h, w)] * std::max(0.0, 1 - std::fabs(x - w)) *
                 std::max(0.0, 1 - std::fabs(y - h));
        }
      }
      result.push_back(sum);
    }
    return result;
  };
  NEED(check, cudnnSpatialTfSamplerForward(all.handle(), transformer.handle, &kOne, layer.x.get(),
                                           layer.on_x.data(), grid.data(), &kZero, layer.y.get(),
                                           layer.on_y.data()));
  NEED(check, cudnnSpatialTfSamplerBackward(
                  all.handle(), transformer.handle, &kOne, layer.x.get(), layer.on_x.data(), &kZero,
                  layer.x.get(), layer.on_dx.data(), &kOne, layer.y.get(), layer.on_dy.data(),
                  grid.data(), &kZero, grid_dx.data()));
  layer.compare(
      check, all, [&](const Doubles& values) { return sampled(values, on_cpu); }, 1e-4);
  const Doubles x = flat(layer.on_x.get(check));
  check.near("dgrid", flat(grid_dx.get(check)),
             gradient([&](const Doubles& values) { return sampled(x, values); }, on_cpu,
                      flat(layer.on_dy.get(check))),
             1e-3);
}

// The loss over all ways to read a sequence of letters in time: for each batch a sum over all
// paths, where 0 is the blank.
constexpr int kTimes = 4, kBatches = 2, kLetters = 3;
Doubles ctc(const Doubles& x) {
  const std::vector<int> wanted[kBatches] = {{1, 2}, {2}};
  Doubles result;
  for (int batch = 0; batch < kBatches; ++batch) {
    double all_paths = 0;
    for (int path = 0; path < 81; ++path) {
      double likely = 1;
      int rest = path, last = 0;
      std::vector<int> read;
      for (int t = 0; t < kTimes; ++t, rest /= kLetters) {
        const double* row = x.data() + (t * kBatches + batch) * kLetters;
        const int letter = rest % kLetters;
        likely *= std::exp(row[letter]) / (std::exp(row[0]) + std::exp(row[1]) + std::exp(row[2]));
        if (letter != 0 && letter != last) read.push_back(letter);
        last = letter;
      }
      if (read == wanted[batch]) all_paths += likely;
    }
    result.push_back(-std::log(all_paths));
  }
  return result;
}

void ctc_loss(Check& check, const Library& all) {
  OWNED(tensor, check, TensorDescriptor);
  OWNED(loss, check, CTCLossDescriptor);
  if (!check) return;
  const int sizes[] = {kTimes, kBatches, kLetters}, strides[] = {kBatches * kLetters, kLetters, 1};
  NEED(check, cudnnSetTensorNdDescriptor(tensor.handle, CUDNN_DATA_FLOAT, 3, sizes, strides));
  struct All {
    unsigned type, normalization, gradients;
    int longest;
  };
  Guarded<All> got;
  NEED(check, cudnnSetCTCLossDescriptor(loss.handle, CUDNN_DATA_FLOAT));
  NEED(check, cudnnGetCTCLossDescriptor(loss.handle, &got->type));
  EXPECT(check, got->type == CUDNN_DATA_FLOAT);
  const std::vector<int> labels = {1, 2, 2}, label_lengths = {2, 1}, lengths = {kTimes, kTimes};
  const auto x = random_values<float>(kTimes * kBatches * kLetters, 4);
  const DeviceArray<float> on_x(x), costs(kBatches), dx(x.size());
  const auto compare = [&] {
    all.wait(check);
    check.near("costs", flat(costs.get(check)), ctc(flat(x)), 1e-4);
    check.near("dx", flat(dx.get(check)), gradient(ctc, flat(x), {1, 1}), 1e-3);
  };
  NEED(check, cudnnSetCTCLossDescriptorEx(loss.handle, CUDNN_DATA_FLOAT,
                                          CUDNN_LOSS_NORMALIZATION_SOFTMAX, CUDNN_PROPAGATE_NAN));
  NEED(check,
       cudnnGetCTCLossDescriptorEx(loss.handle, &got->type, &got->normalization, &got->gradients));
  EXPECT(check, got->normalization == CUDNN_LOSS_NORMALIZATION_SOFTMAX &&
                    got->gradients == CUDNN_PROPAGATE_NAN);
  const Bytes work(SIZE_OF(check, cudnnGetCTCLossWorkspaceSize, all.handle(), tensor.handle,
                           tensor.handle, labels.data(), label_lengths.data(), lengths.data(),
                           CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, loss.handle));
  NEED(check,
       cudnnCTCLoss(all.handle(), tensor.handle, on_x.data(), labels.data(), label_lengths.data(),
                    lengths.data(), costs.data(), tensor.handle, dx.data(),
                    CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, loss.handle, work.data(), work.bytes()));
  compare();
  work.get(check);
  NEED(check,
       cudnnSetCTCLossDescriptor_v8(loss.handle, CUDNN_DATA_FLOAT, CUDNN_LOSS_NORMALIZATION_SOFTMAX,
                                    CUDNN_PROPAGATE_NAN, 20));
  NEED(check, cudnnGetCTCLossDescriptor_v8(loss.handle, &got->type, &got->normalization,
                                           &got->gradients, &got->longest));
  check.equal("longest", got->longest, 20);
#ifndef PROGRAM_OF_CUDNN_8  // which does not have them
  NEED(check,
       cudnnSetCTCLossDescriptor_v9(loss.handle, CUDNN_DATA_FLOAT, CUDNN_LOSS_NORMALIZATION_SOFTMAX,
                                    CUDNN_CTC_ZERO_OOB_GRADIENTS, 30));
  NEED(check, cudnnGetCTCLossDescriptor_v9(loss.handle, &got->type, &got->normalization,
                                           &got->gradients, &got->longest));
  EXPECT(check, got->gradients == CUDNN_CTC_ZERO_OOB_GRADIENTS && got->longest == 30);
#endif
  INTACT(check, got);
  const DeviceArray<int> on_labels(labels), on_label_lengths(label_lengths), on_lengths(lengths);
  const Bytes more(SIZE_OF(check, cudnnGetCTCLossWorkspaceSize_v8, all.handle(),
                           CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, loss.handle, tensor.handle,
                           tensor.handle));
  NEED(check,
       cudnnCTCLoss_v8(all.handle(), CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, loss.handle, tensor.handle,
                       on_x.data(), on_labels.data(), on_label_lengths.data(), on_lengths.data(),
                       costs.data(), tensor.handle, dx.data(), more.bytes(), more.data()));
  compare();
  more.get(check);
}

}  // namespace

void run() {
  run_on_library("cudnn_layers", {{"activations", activations},
                                  {"softmax", softmax},
                                  {"pooling", pooling},
                                  {"local_normalization", local_normalization},
                                  {"spatial_transformer", spatial_transformer},
                                  {"ctc_loss", ctc_loss}});
}

}  // namespace maths
