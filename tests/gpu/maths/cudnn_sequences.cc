// SPDX-License-Identifier: Apache-2.0

// cuDNN 9: recurrent networks and attention of several heads, forward and backward. The CPU reads
// the weights where the library says that they are, and takes the derivatives by differences.
#include "cudnn_support.h"

namespace maths {
namespace {

constexpr double kTolerance = 1e-4;

// A matrix or a vector of a library's weights.
struct Weights {
  std::size_t first = 0;
  std::vector<int> sizes, strides;
  double of(const Doubles& all, int i, int j, int k) const {
    return all[first + i * strides[0] + j * strides[1] + k * strides[2]];
  }
};

// Where `address` is in the weights, and the descriptor's sizes.
Weights weights_at(Check& check, cudnnTensorDescriptor_t tensor, const void* address,
                   const float* memory) {
  struct Layout {
    int sizes[8], strides[8];
  };
  Guarded<Layout> got;
  Guarded<cudnnDataType_t> type;
  Guarded<int> count;
  Weights weights;
  CALL(check,
       cudnnGetTensorNdDescriptor(tensor, 8, type.get(), count.get(), got->sizes, got->strides));
  INTACT(check, got);
  EXPECT(check, *count == 3 && *type == CUDNN_DATA_FLOAT && address != nullptr);
  weights.first = static_cast<std::size_t>(static_cast<const float*>(address) - memory);
  weights.sizes.assign(got->sizes, got->sizes + 3);
  weights.strides.assign(got->strides, got->strides + 3);
  return weights;
}

constexpr int kTimes = 3, kBatches = 2, kInputs = 3, kHidden = 4, kGates = 4;

// A layer of LSTM: input, forget, cell and output gates; two biases each.
struct Lstm {
  Weights matrices[2 * kGates], biases[2 * kGates];
  // The outputs of all times, then the last state and the last cells.
  Doubles of(const Doubles& x, const Doubles& h, const Doubles& c, const Doubles& weights) const {
    Doubles y, state = h, cells = c;
    for (int t = 0; t < kTimes; ++t) {
      const Doubles before = state;
      for (int batch = 0; batch < kBatches; ++batch) {
        const double *in = x.data() + (t * kBatches + batch) * kInputs,
                     *old = before.data() + batch * kHidden;
        for (int unit = 0; unit < kHidden; ++unit) {
          double gates[kGates];
          for (int gate = 0; gate < kGates; ++gate) {
            double sum = biases[gate].of(weights, 0, unit, 0) +
                         biases[gate + kGates].of(weights, 0, unit, 0);
            for (int i = 0; i < kInputs; ++i) sum += matrices[gate].of(weights, 0, unit, i) * in[i];
            for (int i = 0; i < kHidden; ++i) {
              sum += matrices[gate + kGates].of(weights, 0, unit, i) * old[i];
            }
            gates[gate] = gate == 2 ? std::tanh(sum) : 1 / (1 + std::exp(-sum));
          }
          double& cell = cells[batch * kHidden + unit];
          cell = gates[1] * cell + gates[0] * gates[2];
          state[batch * kHidden + unit] = gates[3] * std::tanh(cell);
        }
      }
      y.insert(y.end(), state.begin(), state.end());
    }
    y.insert(y.end(), state.begin(), state.end());
    y.insert(y.end(), cells.begin(), cells.end());
    return y;
  }
};

struct Recurrent {
  Recurrent(Check& check)
      : rnn(check, "cudnnCreateRNNDescriptor", cudnnCreateRNNDescriptor, cudnnDestroyRNNDescriptor),
        x(check, "cudnnCreateRNNDataDescriptor", cudnnCreateRNNDataDescriptor,
          cudnnDestroyRNNDataDescriptor),
        y(check, "cudnnCreateRNNDataDescriptor", cudnnCreateRNNDataDescriptor,
          cudnnDestroyRNNDataDescriptor),
        state(check, "cudnnCreateTensorDescriptor", cudnnCreateTensorDescriptor,
              cudnnDestroyTensorDescriptor) {
    if (!check) return;
    set(check, CUDNN_RNN_ALGO_STANDARD);
    const int lengths[] = {kTimes, kTimes}, sizes[] = {1, kBatches, kHidden},
              strides[] = {kBatches * kHidden, kHidden, 1};
    float padding = 0;
    CALL(check, cudnnSetRNNDataDescriptor(x.handle, CUDNN_DATA_FLOAT,
                                          CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, kTimes, kBatches,
                                          kInputs, lengths, &padding));
    CALL(check, cudnnSetRNNDataDescriptor(y.handle, CUDNN_DATA_FLOAT,
                                          CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED, kTimes, kBatches,
                                          kHidden, lengths, &padding));
    CALL(check, cudnnSetTensorNdDescriptor(state.handle, CUDNN_DATA_FLOAT, 3, sizes, strides));
  }
  void set(Check& check, cudnnRNNAlgo_t algorithm) const {
    CALL(check, cudnnSetRNNDescriptor_v8(rnn.handle, algorithm, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
                                         CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT,
                                         CUDNN_DATA_FLOAT, CUDNN_FMA_MATH, kInputs, kHidden,
                                         kHidden, 1, nullptr, 0));
  }
  Owned<cudnnRNNDescriptor_t> rnn;
  Owned<cudnnRNNDataDescriptor_t> x, y;
  Owned<cudnnTensorDescriptor_t> state;
};

void rnn_descriptors(Check& check, const Library& all) {
  const Recurrent network(check);
  if (!check) return;
  const auto rnn = network.rnn.handle;
  struct All {
    unsigned algorithm, cell, bias, direction, input, type, precision, math, flags;
    int inputs, hidden, projected, layers;
    cudnnDropoutDescriptor_t dropout;
  };
  Guarded<All> got;
  NEED(check, cudnnGetRNNDescriptor_v8(rnn, &got->algorithm, &got->cell, &got->bias,
                                       &got->direction, &got->input, &got->type, &got->precision,
                                       &got->math, &got->inputs, &got->hidden, &got->projected,
                                       &got->layers, &got->dropout, &got->flags));
  INTACT(check, got);
  EXPECT(check, got->cell == CUDNN_LSTM && got->bias == CUDNN_RNN_DOUBLE_BIAS &&
                    got->type == CUDNN_DATA_FLOAT && got->inputs == kInputs &&
                    got->hidden == kHidden && got->layers == 1 && got->dropout == nullptr);
  struct Data {
    unsigned type, layout;
    int times, batches, size, lengths[kBatches];
    float padding;
  };
  Guarded<Data> data;
  NEED(check, cudnnGetRNNDataDescriptor(network.x.handle, &data->type, &data->layout, &data->times,
                                        &data->batches, &data->size, kBatches, data->lengths,
                                        &data->padding));
  INTACT(check, data);
  EXPECT(check, data->layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED && data->times == kTimes &&
                    data->batches == kBatches && data->size == kInputs &&
                    data->lengths[1] == kTimes);
  struct Clip {
    double left, right;
    unsigned mode, nan;
  };
  Guarded<Clip> clip;
  NEED(check, cudnnRNNSetClip_v8(rnn, CUDNN_RNN_CLIP_MINMAX, CUDNN_PROPAGATE_NAN, -2, 3));
  NEED(check, cudnnRNNGetClip_v8(rnn, &clip->mode, &clip->nan, &clip->left, &clip->right));
  EXPECT(check, clip->mode == CUDNN_RNN_CLIP_MINMAX && clip->left == -2 && clip->right == 3);
#ifndef PROGRAM_OF_CUDNN_8  // which does not have them
  NEED(check, cudnnRNNSetClip_v9(rnn, CUDNN_RNN_CLIP_MINMAX, -4, 5));
  NEED(check, cudnnRNNGetClip_v9(rnn, &clip->mode, &clip->left, &clip->right));
  EXPECT(check, clip->mode == CUDNN_RNN_CLIP_MINMAX && clip->left == -4 && clip->right == 5);
#endif
  INTACT(check, clip);
  // A network whose kernel is compiled for it.
  network.set(check, CUDNN_RNN_ALGO_PERSIST_DYNAMIC);
  CALL(check, cudnnBuildRNNDynamic(all.handle(), rnn, kBatches));
}

void rnn(Check& check, const Library& all) {
  const Recurrent network(check);
  OWNED(matrix, check, TensorDescriptor);
  OWNED(bias, check, TensorDescriptor);
  if (!check) return;
  const auto rnn = network.rnn.handle;
  const auto state = network.state.handle;
  const auto mode = CUDNN_FWD_MODE_TRAINING;
  const std::size_t bytes = SIZE_OF(check, cudnnGetRNNWeightSpaceSize, all.handle(), rnn);
  struct Sizes {
    std::size_t work, reserve;
  };
  Guarded<Sizes> sizes;
  NEED(check, cudnnGetRNNTempSpaceSizes(all.handle(), rnn, mode, network.x.handle, &sizes->work,
                                        &sizes->reserve));
  INTACT(check, sizes);
  const Floats weights = random_values<float>(bytes / sizeof(float), 1),
               x = random_values<float>(kTimes * kBatches * kInputs, 2),
               h = random_values<float>(kBatches * kHidden, 3),
               c = random_values<float>(kBatches * kHidden, 4),
               dy = random_values<float>((kTimes + 2) * kBatches * kHidden, 5);
  constexpr std::size_t kStep = kBatches * kHidden;
  const DeviceArray<float> on_weights(weights), on_x(x), on_h(h), on_c(c), on_dy(dy),
      dweights(Floats(weights.size())), on_y(kTimes * kStep), last_h(kStep), last_c(kStep),
      dx(x.size()), dh(kStep), dc(kStep);
  Lstm lstm;
  for (int gate = 0; gate < 2 * kGates; ++gate) {
    Guarded<void*> at, bias_at;
    NEED(check, cudnnGetRNNWeightParams(all.handle(), rnn, 0, bytes, on_weights.data(), gate,
                                        matrix.handle, at.get(), bias.handle, bias_at.get()));
    INTACT(check, at);
    INTACT(check, bias_at);
    lstm.matrices[gate] = weights_at(check, matrix.handle, *at, on_weights.data());
    lstm.biases[gate] = weights_at(check, bias.handle, *bias_at, on_weights.data());
    EXPECT(check, (lstm.matrices[gate].sizes ==
                   std::vector<int>{1, kHidden, gate < kGates ? kInputs : kHidden}));
    if (!check) return;
  }
  const DeviceArray<int> lengths(std::vector<int>{kTimes, kTimes});
  const Bytes work(sizes->work), reserve(sizes->reserve);
  NEED(check,
       cudnnRNNForward(all.handle(), rnn, mode, lengths.data(), network.x.handle, on_x.data(),
                       network.y.handle, on_y.data(), state, on_h.data(), last_h.data(), state,
                       on_c.data(), last_c.data(), bytes, on_weights.data(), work.bytes(),
                       work.data(), reserve.bytes(), reserve.data()));
  NEED(check, cudnnRNNBackwardData_v8(all.handle(), rnn, lengths.data(), network.y.handle,
                                      on_y.data(), on_dy.data(), network.x.handle, dx.data(), state,
                                      on_h.data(), on_dy.data() + kTimes * kStep, dh.data(), state,
                                      on_c.data(), on_dy.data() + (kTimes + 1) * kStep, dc.data(),
                                      bytes, on_weights.data(), work.bytes(), work.data(),
                                      reserve.bytes(), reserve.data()));
  NEED(check, cudnnRNNBackwardWeights_v8(
                  all.handle(), rnn, CUDNN_WGRAD_MODE_ADD, lengths.data(), network.x.handle,
                  on_x.data(), state, on_h.data(), network.y.handle, on_y.data(), bytes,
                  dweights.data(), work.bytes(), work.data(), reserve.bytes(), reserve.data()));
  all.wait(check);
  work.get(check);
  reserve.get(check);
  const Doubles dx_in = flat(x), h_in = flat(h), c_in = flat(c), w_in = flat(weights),
                factors = flat(dy);
  Doubles got;
  for (const auto* part : {&on_y, &last_h, &last_c}) {
    for (float value : part->get(check)) got.push_back(value);
  }
  check.near("y", got, lstm.of(dx_in, h_in, c_in, w_in), kTolerance);
  const auto compare = [&](const char* name, const DeviceArray<float>& derivative,
                           const auto& function, const Doubles& at) {
    check.near(name, flat(derivative.get(check)), gradient(function, at, factors), 10 * kTolerance);
  };
  compare(
      "dx", dx, [&](const Doubles& at) { return lstm.of(at, h_in, c_in, w_in); }, dx_in);
  compare(
      "dh", dh, [&](const Doubles& at) { return lstm.of(dx_in, at, c_in, w_in); }, h_in);
  compare(
      "dc", dc, [&](const Doubles& at) { return lstm.of(dx_in, h_in, at, w_in); }, c_in);
  compare(
      "dw", dweights, [&](const Doubles& at) { return lstm.of(dx_in, h_in, c_in, at); }, w_in);
}

constexpr int kHeads = 2, kQueries = 3, kKeys = 4, kSize = 4, kProjected = 2;
constexpr double kScale = 0.6;

// Queries, keys and values are stored by time, then by batch.
struct Attention {
  Weights kinds[4];  // of queries, keys, values and results
  Doubles projected(int kind, int head, const double* from, const Doubles& weights) const {
    Doubles result(kProjected);
    for (int i = 0; i < kProjected; ++i) {
      for (int j = 0; j < kSize; ++j) result[i] += kinds[kind].of(weights, head, i, j) * from[j];
    }
    return result;
  }
  Doubles of(const Doubles& q, const Doubles& k, const Doubles& v, const Doubles& weights) const {
    Doubles result(kQueries * kBatches * kSize);
    for (int place = 0; place < kQueries * kBatches * kHeads; ++place) {
      const int head = place % kHeads, batch = place / kHeads % kBatches, row = place / kHeads;
      const Doubles query = projected(0, head, q.data() + row * kSize, weights);
      double sum = 0;
      Doubles mean(kProjected);
      for (int t = 0; t < kKeys; ++t) {
        const std::size_t from = (t * kBatches + batch) * kSize;
        const Doubles key = projected(1, head, k.data() + from, weights),
                      value = projected(2, head, v.data() + from, weights);
        double score = 0;
        for (int i = 0; i < kProjected; ++i) score += query[i] * key[i];
        const double weight = std::exp(kScale * score);
        sum += weight;
        for (int i = 0; i < kProjected; ++i) mean[i] += weight * value[i];
      }
      for (int i = 0; i < kSize; ++i) {
        for (int j = 0; j < kProjected; ++j) {
          result[row * kSize + i] += kinds[3].of(weights, head, i, j) * mean[j] / sum;
        }
      }
    }
    return result;
  }
};

using Sequence = Owned<cudnnSeqDataDescriptor_t>;
void set_sequence(Check& check, const Sequence& sequence, int times) {
  if (!check) return;
  struct Data {
    std::size_t lengths_count;
    unsigned type, axes[4];
    int count, sizes[4], lengths[kBatches];
    float padding;
  };
  const int sizes[] = {times, kBatches, 1, kSize}, lengths[] = {times, times};
  const unsigned axes[] = {CUDNN_SEQDATA_TIME_DIM, CUDNN_SEQDATA_BATCH_DIM, CUDNN_SEQDATA_BEAM_DIM,
                           CUDNN_SEQDATA_VECT_DIM};
  NEED(check, cudnnSetSeqDataDescriptor(sequence.handle, CUDNN_DATA_FLOAT, 4, sizes, axes, kBatches,
                                        lengths, nullptr));
  Guarded<Data> got;
  NEED(check,
       cudnnGetSeqDataDescriptor(sequence.handle, &got->type, &got->count, 4, got->sizes, got->axes,
                                 &got->lengths_count, kBatches, got->lengths, &got->padding));
  INTACT(check, got);
  EXPECT(check, got->type == CUDNN_DATA_FLOAT && got->count == 4 && got->lengths_count == kBatches);
  EXPECT(check, std::memcmp(got->sizes, sizes, sizeof sizes) == 0 &&
                    std::memcmp(got->axes, axes, sizeof axes) == 0 && got->lengths[1] == times);
}

void attention(Check& check, const Library& all) {
  OWNED(description, check, AttnDescriptor);
  OWNED(tensor, check, TensorDescriptor);
  OWNED(queries, check, SeqDataDescriptor);
  OWNED(keys, check, SeqDataDescriptor);
  set_sequence(check, queries, kQueries);
  set_sequence(check, keys, kKeys);
  if (!check) return;
  const auto attn = description.handle;
  NEED(check,
       cudnnSetAttnDescriptor(attn, 0, kHeads, kScale, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                              CUDNN_FMA_MATH, nullptr, nullptr, kSize, kSize, kSize, kProjected,
                              kProjected, kProjected, kSize, kQueries, kKeys, kBatches, 1));
  struct All {
    double scale;
    cudnnDropoutDescriptor_t drop, drop_after;
    unsigned mode, type, precision, math;
    int heads, sizes[3], projected[4], longest[2], batches, beams;
  };
  Guarded<All> got;
  NEED(check, cudnnGetAttnDescriptor(attn, &got->mode, &got->heads, &got->scale, &got->type,
                                     &got->precision, &got->math, &got->drop, &got->drop_after,
                                     got->sizes, got->sizes + 1, got->sizes + 2, got->projected,
                                     got->projected + 1, got->projected + 2, got->projected + 3,
                                     got->longest, got->longest + 1, &got->batches, &got->beams));
  INTACT(check, got);
  EXPECT(check, got->heads == kHeads && got->scale == kScale && got->sizes[2] == kSize &&
                    got->projected[0] == kProjected && got->projected[3] == kSize &&
                    got->longest[1] == kKeys && got->batches == kBatches && got->beams == 1);
  struct Sizes {
    std::size_t weights, work, reserve;
  };
  Guarded<Sizes> sizes;
  NEED(check, cudnnGetMultiHeadAttnBuffers(all.handle(), attn, &sizes->weights, &sizes->work,
                                           &sizes->reserve));
  INTACT(check, sizes);
  const std::size_t bytes = sizes->weights;
  constexpr std::size_t kOfQueries = kQueries * kBatches * kSize,
                        kOfKeys = kKeys * kBatches * kSize;
  const Floats weights = random_values<float>(bytes / sizeof(float), 1),
               q = random_values<float>(kOfQueries, 2), k = random_values<float>(kOfKeys, 3),
               v = random_values<float>(kOfKeys, 4), dy = random_values<float>(kOfQueries, 5);
  const DeviceArray<float> on_weights(weights), on_q(q), on_k(k), on_v(v), on_dy(dy),
      on_y(kOfQueries), dq(kOfQueries), dk(kOfKeys), dv(kOfKeys), dweights(Floats(weights.size()));
  Attention heads;
  for (auto kind : {CUDNN_MH_ATTN_Q_WEIGHTS, CUDNN_MH_ATTN_K_WEIGHTS, CUDNN_MH_ATTN_V_WEIGHTS,
                    CUDNN_MH_ATTN_O_WEIGHTS}) {
    Guarded<void*> at;
    NEED(check, cudnnGetMultiHeadAttnWeights(all.handle(), attn, kind, bytes, on_weights.data(),
                                             tensor.handle, at.get()));
    INTACT(check, at);
    heads.kinds[kind] = weights_at(check, tensor.handle, *at, on_weights.data());
  }
  if (!check) return;
  const DeviceArray<int> query_lengths(std::vector<int>(kBatches, kQueries)),
      key_lengths(std::vector<int>(kBatches, kKeys));
  const std::vector<int> first(kQueries, 0), end(kQueries, kKeys);
  const Bytes work(sizes->work), reserve(sizes->reserve);
  NEED(check, cudnnMultiHeadAttnForward(
                  all.handle(), attn, -1, first.data(), end.data(), query_lengths.data(),
                  key_lengths.data(), queries.handle, on_q.data(), nullptr, keys.handle,
                  on_k.data(), keys.handle, on_v.data(), queries.handle, on_y.data(), bytes,
                  on_weights.data(), work.bytes(), work.data(), reserve.bytes(), reserve.data()));
  NEED(check,
       cudnnMultiHeadAttnBackwardData(
           all.handle(), attn, first.data(), end.data(), query_lengths.data(), key_lengths.data(),
           queries.handle, on_dy.data(), queries.handle, dq.data(), on_q.data(), keys.handle,
           dk.data(), on_k.data(), keys.handle, dv.data(), on_v.data(), bytes, on_weights.data(),
           work.bytes(), work.data(), reserve.bytes(), reserve.data()));
  NEED(check, cudnnMultiHeadAttnBackwardWeights(
                  all.handle(), attn, CUDNN_WGRAD_MODE_SET, queries.handle, on_q.data(),
                  keys.handle, on_k.data(), keys.handle, on_v.data(), queries.handle, on_dy.data(),
                  bytes, on_weights.data(), dweights.data(), work.bytes(), work.data(),
                  reserve.bytes(), reserve.data()));
  all.wait(check);
  work.get(check);
  reserve.get(check);
  const Doubles q_in = flat(q), k_in = flat(k), v_in = flat(v), w_in = flat(weights),
                factors = flat(dy);
  check.near("y", flat(on_y.get(check)), heads.of(q_in, k_in, v_in, w_in), kTolerance);
  const auto compare = [&](const char* name, const DeviceArray<float>& derivative,
                           const auto& function, const Doubles& at) {
    check.near(name, flat(derivative.get(check)), gradient(function, at, factors), 10 * kTolerance);
  };
  compare(
      "dq", dq, [&](const Doubles& at) { return heads.of(at, k_in, v_in, w_in); }, q_in);
  compare(
      "dk", dk, [&](const Doubles& at) { return heads.of(q_in, at, v_in, w_in); }, k_in);
  compare(
      "dv", dv, [&](const Doubles& at) { return heads.of(q_in, k_in, at, w_in); }, v_in);
  compare(
      "dw", dweights, [&](const Doubles& at) { return heads.of(q_in, k_in, v_in, at); }, w_in);
}

}  // namespace

void run() {
  run_on_library("cudnn_sequences",
                 {{"rnn_descriptors", rnn_descriptors}, {"rnn", rnn}, {"attention", attention}});
}

}  // namespace maths
