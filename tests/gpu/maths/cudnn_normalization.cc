// SPDX-License-Identifier: Apache-2.0

// cuDNN 9: batch normalization and the functions Normalization, in training, in
// inference and backward. The CPU computes the same over batches, rows and columns of
// each channel.
#include "cudnn_support.h"

namespace maths {
namespace {

constexpr Shape kShape = {3, 4, 2, 3};
constexpr int kChannels = kShape.c, kSamples = kShape.n * kShape.h * kShape.w;
constexpr double kEpsilon = 1e-3, kFactor = 0.25, kTolerance = 1e-4;

int channel_of(std::size_t place) { return place / (kShape.h * kShape.w) % kChannels; }

struct Statistics {
  Doubles mean = Doubles(kChannels), variance = Doubles(kChannels);
};

Statistics statistics(const Doubles& x) {
  Statistics found;
  for (std::size_t i = 0; i < x.size(); ++i) found.mean[channel_of(i)] += x[i] / kSamples;
  for (std::size_t i = 0; i < x.size(); ++i) {
    found.variance[channel_of(i)] += std::pow(x[i] - found.mean[channel_of(i)], 2) / kSamples;
  }
  return found;
}

Doubles normalized(const Doubles& x, const Doubles& scale, const Doubles& bias,
                   const Statistics& by) {
  Doubles y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const int c = channel_of(i);
    y.push_back(scale[c] * (x[i] - by.mean[c]) / std::sqrt(by.variance[c] + kEpsilon) + bias[c]);
  }
  return y;
}

// The memory of all calls, and what must be in it.
struct Norm {
  explicit Norm(Check& check) : data(check, kShape), parameters(check, {1, kChannels, 1, 1}) {}

  void training(Check& check, const Library& all) const {
    all.wait(check);
    const Statistics found = statistics(x);
    Doubles inverse, running_mean, running_variance;
    for (int c = 0; c < kChannels; ++c) {
      inverse.push_back(1 / std::sqrt(found.variance[c] + kEpsilon));
      running_mean.push_back((1 - kFactor) * before[c] + kFactor * found.mean[c]);
      running_variance.push_back((1 - kFactor) * spread[c] +
                                 kFactor * found.variance[c] * kSamples / (kSamples - 1));
    }
    check.near("y", flat(on_y.get(check)), normalized(x, scale, bias, found), kTolerance);
    check.near("mean", flat(mean.get(check)), found.mean, kTolerance);
    check.near("inverse", flat(inverse_deviation.get(check)), inverse, kTolerance);
    check.near("running_mean", flat(on_before.get(check)), running_mean, kTolerance);
    check.near("running_variance", flat(on_spread.get(check)), running_variance, kTolerance);
  }

  void inference(Check& check, const Library& all) const {
    all.wait(check);
    check.near("inferred", flat(on_y.get(check)), normalized(x, scale, bias, {before, spread}),
               kTolerance);
  }

  void backward(Check& check, const Library& all) const {
    all.wait(check);
    const auto of_x = [&](const Doubles& at) {
      return normalized(at, scale, bias, statistics(at));
    };
    const auto of_scale = [&](const Doubles& at) { return normalized(x, at, bias, statistics(x)); };
    const auto of_bias = [&](const Doubles& at) { return normalized(x, scale, at, statistics(x)); };
    check.near("dx", flat(on_dx.get(check)), gradient(of_x, x, dy), 10 * kTolerance);
    check.near("dscale", flat(dscale.get(check)), gradient(of_scale, scale, dy), 10 * kTolerance);
    check.near("dbias", flat(dbias.get(check)), gradient(of_bias, bias, dy), 10 * kTolerance);
  }

  static Floats values(std::size_t count, std::uint32_t seed, float more = 0) {
    Floats drawn = random_values<float>(count, seed);
    for (float& value : drawn) value += more;
    return drawn;
  }
  Tensor data, parameters;
  DeviceArray<float> on_x{values(kShape.count(), 1)}, on_dy{values(kShape.count(), 2)},
      on_scale{values(kChannels, 3)}, on_bias{values(kChannels, 4)},
      on_before{values(kChannels, 5)}, on_spread{values(kChannels, 6, 2)}, on_y{kShape.count()},
      on_dx{kShape.count()}, mean{kChannels}, inverse_deviation{kChannels}, dscale{kChannels},
      dbias{kChannels};
  const Doubles x = flat(values(kShape.count(), 1)), dy = flat(values(kShape.count(), 2)),
                scale = flat(values(kChannels, 3)), bias = flat(values(kChannels, 4)),
                before = flat(values(kChannels, 5)), spread = flat(values(kChannels, 6, 2));
};

// The parameters' descriptor that the library derives.
void expect_parameters(Check& check, cudnnTensorDescriptor_t derived) {
  struct Layout {
    int sizes[4], strides[4];
  };
  Guarded<Layout> got;
  Guarded<cudnnDataType_t> type;
  NEED(check, cudnnGetTensor4dDescriptor(derived, type.get(), got->sizes, got->sizes + 1,
                                         got->sizes + 2, got->sizes + 3, got->strides,
                                         got->strides + 1, got->strides + 2, got->strides + 3));
  INTACT(check, got);
  EXPECT(check, *type == CUDNN_DATA_FLOAT && got->sizes[0] == 1 && got->sizes[1] == kChannels &&
                    got->sizes[2] == 1 && got->sizes[3] == 1);
}

void batch(Check& check, const Library& all) {
  const Norm norm(check);
  OWNED(derived, check, TensorDescriptor);
  if (!check) return;
  NEED(check,
       cudnnDeriveBNTensorDescriptor(derived.handle, norm.data.get(), CUDNN_BATCHNORM_SPATIAL));
  expect_parameters(check, derived.handle);
  NEED(check,
       cudnnBatchNormalizationForwardInference(
           all.handle(), CUDNN_BATCHNORM_SPATIAL, &kOne, &kZero, norm.data.get(), norm.on_x.data(),
           norm.data.get(), norm.on_y.data(), derived.handle, norm.on_scale.data(),
           norm.on_bias.data(), norm.on_before.data(), norm.on_spread.data(), kEpsilon));
  norm.inference(check, all);
  NEED(check,
       cudnnBatchNormalizationForwardTraining(
           all.handle(), CUDNN_BATCHNORM_SPATIAL, &kOne, &kZero, norm.data.get(), norm.on_x.data(),
           norm.data.get(), norm.on_y.data(), derived.handle, norm.on_scale.data(),
           norm.on_bias.data(), kFactor, norm.on_before.data(), norm.on_spread.data(), kEpsilon,
           norm.mean.data(), norm.inverse_deviation.data()));
  norm.training(check, all);
  NEED(check,
       cudnnBatchNormalizationBackward(
           all.handle(), CUDNN_BATCHNORM_SPATIAL, &kOne, &kZero, &kOne, &kZero, norm.data.get(),
           norm.on_x.data(), norm.data.get(), norm.on_dy.data(), norm.data.get(), norm.on_dx.data(),
           derived.handle, norm.on_scale.data(), norm.dscale.data(), norm.dbias.data(), kEpsilon,
           norm.mean.data(), norm.inverse_deviation.data()));
  norm.backward(check, all);
}

// The forms that can add and activate too; here they only normalize.
void batch_ex(Check& check, const Library& all) {
  constexpr auto kMode = CUDNN_BATCHNORM_SPATIAL;
  constexpr auto kOps = CUDNN_BATCHNORM_OPS_BN;
  const Norm norm(check);
  if (!check) return;
  const cudnnTensorDescriptor_t data = norm.data.get(), parameters = norm.parameters.get();
  const Bytes reserve(SIZE_OF(check, cudnnGetBatchNormalizationTrainingExReserveSpaceSize,
                              all.handle(), kMode, kOps, nullptr, data)),
      forward(SIZE_OF(check, cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize, all.handle(),
                      kMode, kOps, data, nullptr, data, parameters, nullptr)),
      backward(SIZE_OF(check, cudnnGetBatchNormalizationBackwardExWorkspaceSize, all.handle(),
                       kMode, kOps, data, nullptr, data, nullptr, data, parameters, nullptr));
  NEED(check, cudnnBatchNormalizationForwardTrainingEx(
                  all.handle(), kMode, kOps, &kOne, &kZero, data, norm.on_x.data(), nullptr,
                  nullptr, data, norm.on_y.data(), parameters, norm.on_scale.data(),
                  norm.on_bias.data(), kFactor, norm.on_before.data(), norm.on_spread.data(),
                  kEpsilon, norm.mean.data(), norm.inverse_deviation.data(), nullptr,
                  forward.data(), forward.bytes(), reserve.data(), reserve.bytes()));
  norm.training(check, all);
  NEED(check,
       cudnnBatchNormalizationBackwardEx(
           all.handle(), kMode, kOps, &kOne, &kZero, &kOne, &kZero, data, norm.on_x.data(), nullptr,
           nullptr, data, norm.on_dy.data(), nullptr, nullptr, data, norm.on_dx.data(), parameters,
           norm.on_scale.data(), norm.on_bias.data(), norm.dscale.data(), norm.dbias.data(),
           kEpsilon, norm.mean.data(), norm.inverse_deviation.data(), nullptr, backward.data(),
           backward.bytes(), reserve.data(), reserve.bytes()));
  norm.backward(check, all);
  for (const Bytes* memory : {&reserve, &forward, &backward}) memory->get(check);
}

void normalization(Check& check, const Library& all) {
  constexpr auto kMode = CUDNN_NORM_PER_CHANNEL;
  constexpr auto kOps = CUDNN_NORM_OPS_NORM;
  constexpr auto kAlgorithm = CUDNN_NORM_ALGO_STANDARD;
  const Norm norm(check);
  OWNED(scale_bias, check, TensorDescriptor);
  OWNED(mean_variance, check, TensorDescriptor);
  if (!check) return;
  const cudnnTensorDescriptor_t data = norm.data.get(), first = scale_bias.handle,
                                second = mean_variance.handle;
  NEED(check, cudnnDeriveNormTensorDescriptor(first, second, data, kMode, 1));
  expect_parameters(check, first);
  expect_parameters(check, second);
  // These have one more argument after the size.
  const auto asked = [&](const char* name, auto function) {
    return written<std::size_t>(check, name, function);
  };
  const Bytes reserve(asked("cudnnGetNormalizationTrainingReserveSpaceSize",
                            [&](std::size_t*bytes) {
                              return cudnnGetNormalizationTrainingReserveSpaceSize(
                                  all.handle(), kMode, kOps, kAlgorithm, nullptr, data, bytes, 1);
                            })),
      forward(asked("cudnnGetNormalizationForwardTrainingWorkspaceSize",
                    [&](std::size_t*bytes) {
                      return cudnnGetNormalizationForwardTrainingWorkspaceSize(
                          all.handle(), kMode, kOps, kAlgorithm, data, nullptr, data, first,
                          nullptr, second, bytes, 1);
                    })),
      backward(asked("cudnnGetNormalizationBackwardWorkspaceSize", [&](std::size_t*bytes) {
        return cudnnGetNormalizationBackwardWorkspaceSize(all.handle(), kMode, kOps, kAlgorithm,
                                                          data, nullptr, data, nullptr, data, first,
                                                          nullptr, second, bytes, 1);
      }));
  NEED(check,
       cudnnNormalizationForwardInference(
           all.handle(), kMode, kOps, kAlgorithm, &kOne, &kZero, data, norm.on_x.data(), first,
           norm.on_scale.data(), norm.on_bias.data(), second, norm.on_before.data(),
           norm.on_spread.data(), nullptr, nullptr, nullptr, data, norm.on_y.data(), kEpsilon, 1));
  norm.inference(check, all);
  NEED(check, cudnnNormalizationForwardTraining(
                  all.handle(), kMode, kOps, kAlgorithm, &kOne, &kZero, data, norm.on_x.data(),
                  first, norm.on_scale.data(), norm.on_bias.data(), kFactor, second,
                  norm.on_before.data(), norm.on_spread.data(), kEpsilon, norm.mean.data(),
                  norm.inverse_deviation.data(), nullptr, nullptr, nullptr, data, norm.on_y.data(),
                  forward.data(), forward.bytes(), reserve.data(), reserve.bytes(), 1));
  norm.training(check, all);
  NEED(check,
       cudnnNormalizationBackward(
           all.handle(), kMode, kOps, kAlgorithm, &kOne, &kZero, &kOne, &kZero, data,
           norm.on_x.data(), nullptr, nullptr, data, norm.on_dy.data(), nullptr, nullptr, data,
           norm.on_dx.data(), first, norm.on_scale.data(), norm.on_bias.data(), norm.dscale.data(),
           norm.dbias.data(), kEpsilon, second, norm.mean.data(), norm.inverse_deviation.data(),
           nullptr, backward.data(), backward.bytes(), reserve.data(), reserve.bytes(), 1));
  norm.backward(check, all);
  for (const Bytes* memory : {&reserve, &forward, &backward}) memory->get(check);
}

// The last step of a training's forward pass: from the sums of each channel and those of the
// squares to the scale and bias that normalize, and to what the backward pass needs.
constexpr auto kFused = CUDNN_FUSED_BN_FINALIZE_STATISTICS_TRAINING;
// How the memory of a parameter is aligned, which no prototype names.
constexpr unsigned kAligned16 = 2;

void fused(Check& check, const Library& all) {
  constexpr int kCount = 50;
  const Tensor parameters(check, {1, kChannels, 1, 1});
  const Owned<cudnnFusedOpsConstParamPack_t> constants(
      check, "cudnnCreateFusedOpsConstParamPack",
      [](cudnnFusedOpsConstParamPack_t* made) {
        return cudnnCreateFusedOpsConstParamPack(made, kFused);
      },
      cudnnDestroyFusedOpsConstParamPack);
  const Owned<cudnnFusedOpsVariantParamPack_t> variables(
      check, "cudnnCreateFusedOpsVariantParamPack",
      [](cudnnFusedOpsVariantParamPack_t* made) {
        return cudnnCreateFusedOpsVariantParamPack(made, kFused);
      },
      cudnnDestroyFusedOpsVariantParamPack);
  const Owned<cudnnFusedOpsPlan_t> plan(
      check, "cudnnCreateFusedOpsPlan",
      [](cudnnFusedOpsPlan_t* made) { return cudnnCreateFusedOpsPlan(made, kFused); },
      cudnnDestroyFusedOpsPlan);
  if (!check) return;
  const auto mode = CUDNN_BATCHNORM_SPATIAL;
  const auto constant = [&](cudnnFusedOpsConstParamLabel_t label, const void* value) {
    CALL(check, cudnnSetFusedOpsConstParamPackAttribute(constants.handle, label, value));
  };
  constant(CUDNN_PARAM_BN_MODE, &mode);
  for (auto label : {CUDNN_PARAM_YSTATS_DESC, CUDNN_PARAM_BN_SCALEBIAS_MEANVAR_DESC,
                     CUDNN_PARAM_BN_EQSCALEBIAS_DESC}) {
    constant(label, parameters.get());
  }
  struct Attribute {
    cudnnBatchNormMode_t mode;
    int none;
  };
  Guarded<Attribute> attribute;
  NEED(check, cudnnGetFusedOpsConstParamPackAttribute(constants.handle, CUDNN_PARAM_BN_MODE,
                                                      &attribute->mode, &attribute->none));
  INTACT(check, attribute);
  EXPECT(check, attribute->mode == mode && attribute->none == 0);
  const Floats sums = Norm::values(kChannels, 1), squares = Norm::values(kChannels, 2, 40),
               scale = Norm::values(kChannels, 3), bias = Norm::values(kChannels, 4),
               before = Norm::values(kChannels, 5), spread = Norm::values(kChannels, 6, 2);
  const DeviceArray<float> on_sums(sums), on_squares(squares), on_scale(scale), on_bias(bias),
      on_before(before), on_spread(spread), mean(kChannels), inverse(kChannels),
      total_scale(kChannels), total_bias(kChannels);
  const struct {
    cudnnFusedOpsConstParamLabel_t placeholder;
    cudnnFusedOpsVariantParamLabel_t pointer;
    const DeviceArray<float>* memory;
  } rows[] = {{CUDNN_PARAM_YSUM_PLACEHOLDER, CUDNN_PTR_YSUM, &on_sums},
              {CUDNN_PARAM_YSQSUM_PLACEHOLDER, CUDNN_PTR_YSQSUM, &on_squares},
              {CUDNN_PARAM_BN_SCALE_PLACEHOLDER, CUDNN_PTR_BN_SCALE, &on_scale},
              {CUDNN_PARAM_BN_BIAS_PLACEHOLDER, CUDNN_PTR_BN_BIAS, &on_bias},
              {CUDNN_PARAM_BN_RUNNING_MEAN_PLACEHOLDER, CUDNN_PTR_BN_RUNNING_MEAN, &on_before},
              {CUDNN_PARAM_BN_RUNNING_VAR_PLACEHOLDER, CUDNN_PTR_BN_RUNNING_VAR, &on_spread},
              {CUDNN_PARAM_BN_SAVED_MEAN_PLACEHOLDER, CUDNN_PTR_BN_SAVED_MEAN, &mean},
              {CUDNN_PARAM_BN_SAVED_INVSTD_PLACEHOLDER, CUDNN_PTR_BN_SAVED_INVSTD, &inverse},
              {CUDNN_PARAM_BN_EQSCALE_PLACEHOLDER, CUDNN_PTR_BN_EQSCALE, &total_scale},
              {CUDNN_PARAM_BN_EQBIAS_PLACEHOLDER, CUDNN_PTR_BN_EQBIAS, &total_bias}};
  const auto variable = [&](cudnnFusedOpsVariantParamLabel_t label, void* value) {
    CALL(check, cudnnSetFusedOpsVariantParamPackAttribute(variables.handle, label, value));
  };
  for (const auto& row : rows) {
    constant(row.placeholder, &kAligned16);
    variable(row.pointer, row.memory->data());
  }
  Guarded<void*> pointer;
  NEED(check,
       cudnnGetFusedOpsVariantParamPackAttribute(variables.handle, CUDNN_PTR_YSUM, pointer.get()));
  INTACT(check, pointer);
  EXPECT(check, *pointer == on_sums.data());
  const Bytes work(
      SIZE_OF(check, cudnnMakeFusedOpsPlan, all.handle(), plan.handle, constants.handle));
  std::size_t bytes = work.bytes();
  std::int64_t count = kCount;
  double factor = kFactor, epsilon = kEpsilon;
  variable(CUDNN_PTR_WORKSPACE, work.data());
  variable(CUDNN_SCALAR_SIZE_T_WORKSPACE_SIZE_IN_BYTES, &bytes);
  variable(CUDNN_SCALAR_INT64_T_BN_ACCUMULATION_COUNT, &count);
  variable(CUDNN_SCALAR_DOUBLE_BN_EXP_AVG_FACTOR, &factor);
  variable(CUDNN_SCALAR_DOUBLE_BN_EPSILON, &epsilon);
  if (!check) return;
  NEED(check, cudnnFusedOpsExecute(all.handle(), plan.handle, variables.handle));
  all.wait(check);
  Doubles want[6];
  for (int c = 0; c < kChannels; ++c) {
    const double average = sums[c] / kCount, variance = squares[c] / kCount - average * average,
                 deviation = std::sqrt(variance + kEpsilon);
    want[0].push_back((1 - kFactor) * before[c] + kFactor * average);
    want[1].push_back((1 - kFactor) * spread[c] + kFactor * variance * kCount / (kCount - 1));
    want[2].push_back(average);
    want[3].push_back(1 / deviation);
    want[4].push_back(scale[c] / deviation);
    want[5].push_back(bias[c] - scale[c] * average / deviation);
  }
  const char* names[] = {"running_mean", "running_variance", "mean", "inverse", "scale", "bias"};
  for (int i = 0; i < 6; ++i) {
    check.near(names[i], flat(rows[i + 4].memory->get(check)), want[i], kTolerance);
  }
  work.get(check);
}

}  // namespace

void run() {
  run_on_library("cudnn_normalization", {{"batch", batch},
                                         {"batch_ex", batch_ex},
                                         {"normalization", normalization},
                                         {"fused", fused}});
}

}  // namespace maths
