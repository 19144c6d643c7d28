// SPDX-License-Identifier: Apache-2.0

// NCCL: the collectives beside those of nccl.cc, over all GPUs of the machine, and what a later
// NCCL has.
#include "nccl_support.h"

// Later than the NCCL of CUDA 13.0: natively these may be missing.
namespace anycuda::api {
extern "C" {
#define LATER(function) extern __attribute__((weak)) decltype(function) function
LATER(ncclAllGatherConfig);
LATER(ncclAllReduceConfig);
LATER(ncclAlltoAllConfig);
LATER(ncclBroadcastConfig);
LATER(ncclCommGetUniqueId);
LATER(ncclCommGrow);
LATER(ncclCommMemStats);
LATER(ncclCommResume);
LATER(ncclCommRevoke);
LATER(ncclCommSuspend);
LATER(ncclGatherConfig);
LATER(ncclParamGetAllParameterKeys);
LATER(ncclPutSignal);
LATER(ncclReduceConfig);
LATER(ncclReduceScatterConfig);
LATER(ncclScatterConfig);
LATER(ncclSetEncryption);
LATER(ncclSignal);
LATER(ncclWaitSignal);
LATER(ncclWinGetUserPtr);
#undef LATER
}  // extern "C"
}  // namespace anycuda::api

namespace maths {
namespace {

constexpr std::size_t kCount = 1021;
const Type& kFloat = kTypes[0];

const Type& type_of(ncclDataType_t wanted) {
  return *std::find_if(std::begin(kTypes), std::end(kTypes),
                       [&](const Type& type) { return type.type == wanted; });
}

// In place, from the last rank.
void bcast(Check& check, const Ranks& all) {
  const Type& type = type_of(ncclBfloat16);
  const int root = all.count() - 1;
  const auto inputs = inputs_of(all.count(), kCount, type.lowest);
  const Buffers memory(type, inputs);
  ON_ALL(check, all,
         ncclBcast(memory.at(rank), kCount, type.type, root, all.comm(rank), all.stream(rank)));
  for (int rank = 0; rank < all.count(); ++rank) {
    check.near("result", memory.get(check, type, rank), inputs[root], 0);
  }
}

void gather_and_scatter(Check& check, const Ranks& all) {
  const Type& type = type_of(ncclFloat64);
  const int count = all.count(), root = count - 1;
  const auto inputs = inputs_of(count, kCount, type.lowest);
  const Buffers from(type, inputs), back(count, kCount * type.size);
  const Buffers whole(count, kCount * count * type.size);
  ON_ALL(check, all,
         ncclGather(from.at(rank), whole.at(rank), kCount, type.type, root, all.comm(rank),
                    all.stream(rank)));
  check.near("gathered", whole.get(check, type, root), joined(inputs), 0);
  ON_ALL(check, all,
         ncclScatter(whole.at(rank), back.at(rank), kCount, type.type, root, all.comm(rank),
                     all.stream(rank)));
  for (int rank = 0; rank < count; ++rank) {
    check.near("scattered", back.get(check, type, rank), inputs[rank], 0);
  }
}

void all_to_all(Check& check, const Ranks& all) {
  const Type& type = type_of(ncclInt8);
  const auto inputs = inputs_of(all.count(), kCount * all.count(), type.lowest);
  const Buffers from(type, inputs), to(all.count(), kCount * all.count() * type.size);
  ON_ALL(check, all,
         ncclAlltoAll(from.at(rank), to.at(rank), kCount, type.type, all.comm(rank),
                      all.stream(rank)));
  for (int rank = 0; rank < all.count(); ++rank) {
    std::vector<std::vector<double>> want;
    for (const auto& input : inputs) want.push_back(part(input, rank, kCount));
    check.near("result", to.get(check, type, rank), joined(want), 0);
  }
}

// The number lies on the GPU until the sum is made.
void scaled_on_gpu(Check& check, const Ranks& all) {
  const Type& type = type_of(ncclFloat64);
  const auto inputs = inputs_of(all.count(), kCount, type.lowest);
  const Buffers from(type, inputs), to(all.count(), kCount * type.size);
  const Buffers scales(type, std::vector<std::vector<double>>(all.count(), {3}));
  std::vector<ncclRedOp_t> operations;
  for (int rank = 0; rank < all.count(); ++rank) {
    Guarded<ncclRedOp_t> operation;
    NEED(check, ncclRedOpCreatePreMulSum(operation.get(), scales.at(rank), type.type,
                                         ncclScalarDevice, all.comm(rank)));
    INTACT(check, operation);
    operations.push_back(*operation);
  }
  ON_ALL(check, all,
         ncclAllReduce(from.at(rank), to.at(rank), kCount, type.type, operations[rank],
                       all.comm(rank), all.stream(rank)));
  std::vector<double> want(kCount, 0);
  for (const auto& input : inputs) {
    for (std::size_t i = 0; i < kCount; ++i) want[i] += 3 * input[i];
  }
  for (int rank = 0; rank < all.count(); ++rank) {
    check.near("result", to.get(check, type, rank), want, 0);
    NEED(check, ncclRedOpDestroy(operations[rank], all.comm(rank)));
  }
}

// How long a group would take; nothing runs, so the memory stays as it was.
void simulated(Check& check, const Ranks& all) {
  const auto inputs = inputs_of(all.count(), kCount, kFloat.lowest);
  const Buffers memory(kFloat, inputs);
  NEED(check, ncclGroupStart());
  for (int rank = 0; rank < all.count(); ++rank) {
    CALL(check, ncclAllReduce(memory.at(rank), memory.at(rank), kCount, kFloat.type, ncclMax,
                              all.comm(rank), all.stream(rank)));
  }
  Guarded<ncclSimInfo_t> time(ncclSimInfo_t{sizeof(ncclSimInfo_t), 0x74685283, 22200, -1});
  NEED(check, ncclGroupSimulateEnd(time.get()));
  INTACT(check, time);
  EXPECT(check, time->size == sizeof(ncclSimInfo_t) && time->magic == 0x74685283);
  all.wait(check);
  for (int rank = 0; rank < all.count(); ++rank) {
    check.near("memory", memory.get(check, kFloat, rank), inputs[rank], 0);
  }
}

void texts(Check& check, const Ranks& all) {
  ncclResetDebugInit();
  REFUSED(check, ncclInvalidArgument, ncclCommUserRank(all.comm(0), nullptr));
  EXPECT(check, ncclGetLastError(all.comm(0)) != nullptr);
}

// What a later NCCL has: of an older one, the stub refuses it.
void later(Check& check, const Ranks& all) {
  Guarded<int> release;
  NEED(check, ncclGetVersion(release.get()));
  INTACT(check, release);
  const ncclComm_t comm = all.comm(0);
  const cudaStream_t stream = all.stream(0);
  const Buffers memory(1, 64);
  Guarded<ncclUniqueId> id;
  Guarded<ncclComm_t> grown;
  Guarded<std::uint64_t> bytes;
  Guarded<void*> pointer;
  Guarded<int> length;
  const char** keys = nullptr;
  unsigned char* const at = memory.at(0);
#define OLDER(since, function, ...)                            \
  do {                                                         \
    if (*release < (since) && (function) != nullptr)           \
      REFUSED(check, ncclInvalidUsage, function(__VA_ARGS__)); \
  } while (false)
  OLDER(22902, ncclCommGetUniqueId, comm, id.get());
  OLDER(22902, ncclCommGrow, comm, 2, id.get(), 0, grown.get(), nullptr);
  OLDER(22907, ncclCommMemStats, comm, ncclStatGpuMemTotal, bytes.get());
  OLDER(22907, ncclCommSuspend, comm, 1);
  OLDER(22907, ncclCommResume, comm);
  OLDER(22902, ncclPutSignal, at, 1, ncclInt8, 0, nullptr, 0, 0, 0, 0, comm, stream);
  OLDER(22902, ncclSignal, 0, 0, 0, 0, comm, stream);
  OLDER(22902, ncclWaitSignal, 0, nullptr, comm, stream);
  OLDER(22902, ncclWinGetUserPtr, comm, nullptr, pointer.get());
  OLDER(23003, ncclParamGetAllParameterKeys, &keys, length.get());
  OLDER(23102, ncclAllReduceConfig, at, at, 1, ncclInt8, ncclSum, comm, stream, nullptr);
  OLDER(23102, ncclAllGatherConfig, at, at, 1, ncclInt8, comm, stream, nullptr);
  OLDER(23102, ncclAlltoAllConfig, at, at, 1, ncclInt8, comm, stream, nullptr);
  OLDER(23102, ncclBroadcastConfig, at, at, 1, ncclInt8, 0, comm, stream, nullptr);
  OLDER(23102, ncclGatherConfig, at, at, 1, ncclInt8, 0, comm, stream, nullptr);
  OLDER(23102, ncclReduceConfig, at, at, 1, ncclInt8, ncclSum, 0, comm, stream, nullptr);
  OLDER(23102, ncclReduceScatterConfig, at, at, 1, ncclInt8, ncclSum, comm, stream, nullptr);
  OLDER(23102, ncclScatterConfig, at, at, 1, ncclInt8, 0, comm, stream, nullptr);
  OLDER(23203, ncclSetEncryption, nullptr);
  OLDER(22809, ncclCommRevoke, comm, 0);
#undef OLDER
  INTACT(check, id);
  INTACT(check, grown);
  INTACT(check, bytes);
  INTACT(check, pointer);
  INTACT(check, length);
  if (*release > 22809) {
    std::printf("note NCCL %d has functions without a test here\n", *release);
  }
  if (*release < 22809) return;
  const ncclComm_t single = alone(check);
  if (single == nullptr) return;
  NEED(check, ncclCommRevoke(single, 0));
  NEED(check, ncclCommAbort(single));
}

}  // namespace

void run() {
  run_on_ranks("nccl_collectives", {{"bcast", bcast},
                                    {"gather_and_scatter", gather_and_scatter},
                                    {"all_to_all", all_to_all},
                                    {"scaled_on_gpu", scaled_on_gpu},
                                    {"simulated", simulated},
                                    {"texts", texts},
                                    {"later", later}});
}

}  // namespace maths
