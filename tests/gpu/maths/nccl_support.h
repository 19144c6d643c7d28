// SPDX-License-Identifier: Apache-2.0

// The ranks of a communicator, a GPU each, and memory on all of them.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

// NVIDIA's nccl.h comes only in a wheel of 300 MB. This header has the same types, values and
// prototypes, from the ABI database: statuses are plain integers there.
#include "api/nccl_api.h"

// The stub's answer for a function that the loaded NCCL lacks. NCCL itself gives it for calls in a
// wrong order.
inline bool is_absent(anycuda::api::ncclResult_t status) {
  return status == anycuda::api::ncclInvalidUsage;
}

#include "check.h"
#include "memory.h"
#include "numbers.h"

namespace maths {

using namespace anycuda::api;

// How a number is stored. Small whole numbers are exact in each of these, and so are their sums.
struct Type {
  const char* name;
  ncclDataType_t type;
  std::size_t size;
  void (*put)(unsigned char*, double);
  double (*get)(const unsigned char*);
  bool is_wide;      // products of all ranks fit, and every collective is run with it
  bool is_large;     // also with many elements
  int lowest;        // of the inputs
  double tolerance;  // of an average; 0 where it is rounded to a whole number
};

template <typename T>
void put_number(unsigned char* to, double value) {
  const T number = static_cast<T>(value);
  std::memcpy(to, &number, sizeof number);
}
template <typename T>
double get_number(const unsigned char* from) {
  T number;
  std::memcpy(&number, from, sizeof number);
  return static_cast<double>(number);
}
template <std::uint16_t (*Convert)(float)>
void put_bits(unsigned char* to, double value) {
  put_number<std::uint16_t>(to, Convert(static_cast<float>(value)));
}
template <float (*Convert)(std::uint16_t)>
double get_bits(const unsigned char* from) {
  return Convert(static_cast<std::uint16_t>(get_number<std::uint16_t>(from)));
}

constexpr Type kTypes[] = {
    {"float32", ncclFloat32, 4, put_number<float>, get_number<float>, true, true, -4, 1e-6},
    {"float64", ncclFloat64, 8, put_number<double>, get_number<double>, true, false, -4, 1e-12},
    {"int32", ncclInt32, 4, put_number<std::int32_t>, get_number<std::int32_t>, true, false, -4, 0},
    {"int64", ncclInt64, 8, put_number<std::int64_t>, get_number<std::int64_t>, true, true, -4, 0},
    {"int8", ncclInt8, 1, put_number<std::int8_t>, get_number<std::int8_t>, false, false, -4, 0},
    {"uint8", ncclUint8, 1, put_number<std::uint8_t>, get_number<std::uint8_t>, false, false, 0, 0},
    {"uint32", ncclUint32, 4, put_number<std::uint32_t>, get_number<std::uint32_t>, false, false, 0,
     0},
    {"uint64", ncclUint64, 8, put_number<std::uint64_t>, get_number<std::uint64_t>, false, false, 0,
     0},
    {"float16", ncclFloat16, 2, put_bits<to_half>, get_bits<from_half>, false, false, -4, 0},
    {"bfloat16", ncclBfloat16, 2, put_bits<to_bfloat>, get_bits<from_bfloat>, false, false, -4, 0},
};

// A list for each rank, from `lowest` to `lowest` + 8.
inline std::vector<std::vector<double>> inputs_of(int ranks, std::size_t count, int lowest) {
  std::vector<std::vector<double>> all;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<double> values;
    values.reserve(count);
    for (int value : small_values(count, static_cast<std::uint32_t>(rank + 1))) {
      values.push_back(value + 4 + lowest);
    }
    all.push_back(std::move(values));
  }
  return all;
}

inline std::vector<double> part(const std::vector<double>& all, int rank, std::size_t count) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(count * rank);
  return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(count));
}

inline std::vector<double> joined(const std::vector<std::vector<double>>& parts) {
  std::vector<double> all;
  for (const auto& values : parts) all.insert(all.end(), values.begin(), values.end());
  return all;
}

// An array on each GPU, between guard bytes.
class Buffers {
 public:
  Buffers(int ranks, std::size_t bytes) {
    for (int rank = 0; rank < ranks; ++rank) {
      cudaSetDevice(rank);
      arrays_.push_back(std::make_unique<DeviceArray<unsigned char>>(bytes));
      // The array is filled on the default stream, which the streams of the ranks do not wait for.
      cudaDeviceSynchronize();
    }
    cudaSetDevice(0);
  }
  Buffers(const Type& type, const std::vector<std::vector<double>>& values)
      : Buffers(static_cast<int>(values.size()), values[0].size() * type.size) {
    for (std::size_t rank = 0; rank < values.size(); ++rank) {
      std::vector<unsigned char> bytes(values[rank].size() * type.size);
      for (std::size_t i = 0; i < values[rank].size(); ++i) {
        type.put(bytes.data() + i * type.size, values[rank][i]);
      }
      cudaSetDevice(static_cast<int>(rank));
      arrays_[rank]->put(bytes);
      cudaDeviceSynchronize();
    }
    cudaSetDevice(0);
  }

  unsigned char* at(int rank) const { return arrays_[rank]->data(); }
  std::vector<double> get(Check& check, const Type& type, int rank) const {
    const std::vector<unsigned char> bytes = arrays_[rank]->get(check);
    std::vector<double> values;
    values.reserve(bytes.size() / type.size);
    for (std::size_t at = 0; at < bytes.size(); at += type.size) {
      values.push_back(type.get(bytes.data() + at));
    }
    return values;
  }

 private:
  std::vector<std::unique_ptr<DeviceArray<unsigned char>>> arrays_;
};

class Ranks {
 public:
  static constexpr int kMost = 8;
  enum How { kAtOnce, kByUniqueId };

  Ranks(Check& check, int count, How how) : count_(count) {
    // Beyond `count`, NCCL must leave the array as it is.
    Guarded<std::array<ncclComm_t, kMost>> comms;
    const ncclComm_t before = comms->back();
    if (how == kAtOnce) {
      std::vector<int> devices;
      for (int rank = 0; rank < count; ++rank) devices.push_back(rank);
      if (!CALL(check, ncclCommInitAll(comms->data(), count, devices.data()))) return;
    } else if (!join(check, comms->data())) {
      return;
    }
    INTACT(check, comms);
    EXPECT(check, std::all_of(comms->begin() + count, comms->end(),
                              [&](ncclComm_t comm) { return comm == before; }));
    comms_.assign(comms->begin(), comms->begin() + count);
    for (int rank = 0; rank < count; ++rank) {
      cudaStream_t stream = nullptr;
      CALL(check, cudaSetDevice(rank));
      CALL(check, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      streams_.push_back(stream);
    }
    CALL(check, cudaSetDevice(0));
  }
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int count() const { return count_; }
  ncclComm_t comm(int rank) const { return comms_[rank]; }
  cudaStream_t stream(int rank) const { return streams_[rank]; }

  void wait(Check& check) const {
    for (cudaStream_t stream : streams_) CALL(check, cudaStreamSynchronize(stream));
  }
  void destroy(Check& check) {
    for (ncclComm_t comm : comms_) CALL(check, ncclCommDestroy(comm));
    for (cudaStream_t stream : streams_) CALL(check, cudaStreamDestroy(stream));
    comms_.clear();
    streams_.clear();
  }

 private:
  bool join(Check& check, ncclComm_t* comms) const {
    Guarded<ncclUniqueId> id;
    if (!CALL(check, ncclGetUniqueId(id.get())) || !CALL(check, ncclGroupStart())) return false;
    for (int rank = 0; rank < count_; ++rank) {
      CALL(check, cudaSetDevice(rank));
      CALL(check, ncclCommInitRank(comms + rank, count_, *id, rank));
    }
    CALL(check, ncclGroupEnd());
    INTACT(check, id);
    return static_cast<bool>(check);
  }

  int count_;
  std::vector<ncclComm_t> comms_;
  std::vector<cudaStream_t> streams_;
};

// All topics with one communicator of every GPU.
inline void run_on_ranks(const std::string& program,
                         std::initializer_list<Topic<const Ranks&>> topics) {
  Check made(program + ".ranks");
  Guarded<int> found;
  NEED(made, cudaGetDeviceCount(found.get()));
  INTACT(made, found);
  Ranks all(made, std::min(*found, Ranks::kMost), Ranks::kAtOnce);
  if (!made) return;
  run_topics<const Ranks&>(program, topics, all);
  all.destroy(made);
}

// A communicator of the first GPU.
inline ncclComm_t alone(Check& check) {
  Guarded<ncclUniqueId> id;
  Guarded<ncclComm_t> comm;
  CALL(check, ncclGetUniqueId(id.get()));
  CALL(check, ncclCommInitRank(comm.get(), 1, *id, 0));
  INTACT(check, id);
  INTACT(check, comm);
  return check ? *comm : nullptr;
}

// Calls of every `rank` in one group, and what they do comes to its end. In a function that returns
// nothing.
#define ON_ALL(check, all, ...)                         \
  do {                                                  \
    NEED(check, ncclGroupStart());                      \
    for (int rank = 0; rank < (all).count(); ++rank) {  \
      for (const ncclResult_t status : {__VA_ARGS__}) { \
        (check).call(#__VA_ARGS__, status);             \
      }                                                 \
    }                                                   \
    NEED(check, ncclGroupEnd());                        \
    (all).wait(check);                                  \
  } while (false)

}  // namespace maths
