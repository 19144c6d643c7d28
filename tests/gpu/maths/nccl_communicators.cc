// SPDX-License-Identifier: Apache-2.0

// NCCL: how communicators are made, divided and ended, and memory that is registered with them.
// Over all GPUs of the machine; one is enough.
#include <climits>
#include <thread>

#include "nccl_support.h"

namespace maths {
namespace {

constexpr std::size_t kCount = 1021;
const Type& kFloat = kTypes[0];

// The configuration as NCCL 2.21 declares it; later releases added to it, and see its size.
struct EarlyConfig {
  std::size_t size;
  unsigned magic, version;
  int blocking, cgaClusterSize, minCTAs, maxCTAs;
  const char* netName;
  int splitShare;
};
static_assert(sizeof(EarlyConfig) == 48);

EarlyConfig early_config(bool blocking) {
  return {sizeof(EarlyConfig), 0xcafebeef, 22105, blocking, INT_MIN, 1, 4, nullptr, INT_MIN};
}

ncclConfig_t* as_config(Guarded<EarlyConfig>& config) {
  return reinterpret_cast<ncclConfig_t*>(config.get());
}

// The sum over the ranks of one communicator each, against the CPU's.
void sums(Check& check, const Ranks& all, const std::vector<ncclComm_t>& comms) {
  const auto inputs = inputs_of(all.count(), kCount, kFloat.lowest);
  const Buffers from(kFloat, inputs);
  const Buffers to(all.count(), kCount * kFloat.size);
  ON_ALL(check, all,
         ncclAllReduce(from.at(rank), to.at(rank), kCount, kFloat.type, ncclSum, comms[rank],
                       all.stream(rank)));
  std::vector<double> want(kCount, 0);
  for (const auto& input : inputs) {
    for (std::size_t i = 0; i < kCount; ++i) want[i] += input[i];
  }
  for (int rank = 0; rank < all.count(); ++rank) {
    check.near("sum", to.get(check, kFloat, rank), want, 0);
  }
}

// A communicator for each rank, made by `make(rank, place)` in one group; used, and ended.
template <typename Make>
void made_by(Check& check, const Ranks& all, Make make) {
  std::vector<Guarded<ncclComm_t>> places(all.count());
  NEED(check, ncclGroupStart());
  for (int rank = 0; rank < all.count(); ++rank) {
    CALL(check, cudaSetDevice(rank));
    make(rank, places[rank].get());
  }
  NEED(check, ncclGroupEnd());
  CALL(check, cudaSetDevice(0));
  std::vector<ncclComm_t> comms;
  for (const auto& place : places) {
    INTACT(check, place);
    comms.push_back(*place);
  }
  if (!check) return;
  sums(check, all, comms);
  for (ncclComm_t comm : comms) CALL(check, ncclCommFinalize(comm));
  for (ncclComm_t comm : comms) CALL(check, ncclCommDestroy(comm));
}

void early(Check& check, const Ranks& all) {
  Guarded<ncclUniqueId> id;
  NEED(check, ncclGetUniqueId(id.get()));
  INTACT(check, id);
  Guarded<EarlyConfig> config(early_config(true));
  made_by(check, all, [&](int rank, ncclComm_t* place) {
    CALL(check, ncclCommInitRankConfig(place, all.count(), *id, rank, as_config(config)));
  });
  INTACT(check, config);
}

// The configuration of these headers, which is larger than the library's.
void late(Check& check, const Ranks& all) {
  Guarded<ncclUniqueId> id;
  NEED(check, ncclGetUniqueId(id.get()));
  INTACT(check, id);
  std::array<int, (sizeof(ncclConfig_t) - 16) / sizeof(int)> undefined;
  undefined.fill(INT_MIN);
  Guarded<ncclConfig_t> config;
  std::memcpy(reinterpret_cast<char*>(config.get()) + 16, undefined.data(), sizeof undefined);
  config->size = sizeof(ncclConfig_t);
  config->magic = 0xcafebeef;
  config->version = 23100;
  config->netName = config->commName = nullptr;
  made_by(check, all, [&](int rank, ncclComm_t* place) {
    CALL(check, ncclCommInitRankScalable(place, all.count(), rank, 1, id.get(), config.get()));
  });
  INTACT(check, id);
  INTACT(check, config);
}

// The program polls until the communicator is ready.
bool ready(Check& check, ncclComm_t comm) {
  for (int time = 0; time < 20000; ++time) {
    Guarded<ncclResult_t> state;
    if (!CALL(check, ncclCommGetAsyncError(comm, state.get()))) return false;
    INTACT(check, state);
    if (*state == ncclSuccess) return true;
    if (*state != ncclInProgress) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  check.fail("the communicator does not become ready");
  return false;
}

void not_blocking(Check& check, const Ranks& all) {
  Guarded<ncclUniqueId> id;
  NEED(check, ncclGetUniqueId(id.get()));
  INTACT(check, id);
  Guarded<EarlyConfig> config(early_config(false));
  Guarded<ncclComm_t> comm;
  const ncclResult_t begun = ncclCommInitRankConfig(comm.get(), 1, *id, 0, as_config(config));
  EXPECT(check, begun == ncclSuccess || begun == ncclInProgress);
  INTACT(check, comm);
  if (!check || !ready(check, *comm)) return;
  INTACT(check, config);
  Guarded<int> count;
  NEED(check, ncclCommCount(*comm, count.get()));
  INTACT(check, count);
  check.equal("count", *count, 1);
  const ncclResult_t ended = ncclCommFinalize(*comm);
  EXPECT(check, ended == ncclSuccess || ended == ncclInProgress);
  if (!ready(check, *comm)) return;
  NEED(check, ncclCommDestroy(*comm));
  all.wait(check);
}

void aborted(Check& check, const Ranks&) {
  const ncclComm_t comm = alone(check);
  if (comm != nullptr) CALL(check, ncclCommAbort(comm));
}

// Ranks in the reverse order, and even and odd ones apart.
void split(Check& check, const Ranks& all) {
  const int count = all.count();
  made_by(check, all, [&](int rank, ncclComm_t* place) {
    CALL(check, ncclCommSplit(all.comm(rank), 0, -rank, place, nullptr));
  });
  std::vector<Guarded<ncclComm_t>> places(count);
  NEED(check, ncclGroupStart());
  for (int rank = 0; rank < count; ++rank) {
    CALL(check, ncclCommSplit(all.comm(rank), rank % 2, -rank, places[rank].get(), nullptr));
  }
  NEED(check, ncclGroupEnd());
  for (int rank = 0; rank < count; ++rank) {
    INTACT(check, places[rank]);
    Guarded<int> size, user, device;
    const ncclComm_t comm = *places[rank];
    NEED(check, ncclCommCount(comm, size.get()));
    NEED(check, ncclCommUserRank(comm, user.get()));
    NEED(check, ncclCommCuDevice(comm, device.get()));
    INTACT(check, size);
    INTACT(check, user);
    INTACT(check, device);
    const int of_colour = (count + 1 - rank % 2) / 2;
    EXPECT(check, *size == of_colour && *user == of_colour - 1 - rank / 2 && *device == rank);
  }
  for (const auto& place : places) CALL(check, ncclCommDestroy(*place));
}

// Without the last rank, which may not call it; a single rank is the last.
void shrunk(Check& check, const Ranks& all) {
  int last = all.count() - 1;
  if (last == 0) {
    Guarded<ncclComm_t> place;
    REFUSED(check, ncclInvalidArgument,
            ncclCommShrink(all.comm(0), &last, 1, place.get(), nullptr, 0));
    INTACT(check, place);
    return;
  }
  std::vector<Guarded<ncclComm_t>> places(last);
  NEED(check, ncclGroupStart());
  for (int rank = 0; rank < last; ++rank) {
    CALL(check, ncclCommShrink(all.comm(rank), &last, 1, places[rank].get(), nullptr, 0));
  }
  NEED(check, ncclGroupEnd());
  for (const auto& place : places) {
    INTACT(check, place);
    Guarded<int> size;
    NEED(check, ncclCommCount(*place, size.get()));
    INTACT(check, size);
    check.equal("size", *size, last);
    CALL(check, ncclCommDestroy(*place));
  }
}

// Memory of NCCL's, registered in both ways, and a sum in it.
void registered(Check& check, const Ranks& all) {
  const std::size_t bytes = 1 << 21;
  const int count = all.count();
  std::vector<Guarded<void*>> memory(count), handles(count);
  std::vector<Guarded<ncclWindow_t>> windows(count);
  for (int rank = 0; rank < count; ++rank) {
    NEED(check, cudaSetDevice(rank));
    NEED(check, ncclMemAlloc(memory[rank].get(), bytes));
    INTACT(check, memory[rank]);
    std::vector<float> ones(kCount, static_cast<float>(rank + 1));
    NEED(check, cudaMemcpy(*memory[rank], ones.data(), kCount * 4, cudaMemcpyHostToDevice));
    NEED(check, cudaDeviceSynchronize());
    NEED(check, ncclCommRegister(all.comm(rank), *memory[rank], bytes, handles[rank].get()));
    INTACT(check, handles[rank]);
  }
  NEED(check, ncclGroupStart());
  for (int rank = 0; rank < count; ++rank) {
    CALL(check, ncclCommWindowRegister(all.comm(rank), *memory[rank], bytes, windows[rank].get(),
                                       1 /* NCCL_WIN_COLL_SYMMETRIC */));
  }
  NEED(check, ncclGroupEnd());
  ON_ALL(check, all,
         ncclAllReduce(*memory[rank], *memory[rank], kCount, ncclFloat32, ncclSum, all.comm(rank),
                       all.stream(rank)));
  const std::vector<double> want(kCount, count * (count + 1) / 2);
  for (int rank = 0; rank < count; ++rank) {
    INTACT(check, windows[rank]);
    std::vector<float> got(kCount);
    NEED(check, cudaSetDevice(rank));
    NEED(check, cudaMemcpy(got.data(), *memory[rank], kCount * 4, cudaMemcpyDeviceToHost));
    check.near("sum", flat(got), want, 0);
  }
  NEED(check, ncclGroupStart());
  for (int rank = 0; rank < count; ++rank) {
    CALL(check, ncclCommWindowDeregister(all.comm(rank), *windows[rank]));
  }
  NEED(check, ncclGroupEnd());
  for (int rank = 0; rank < count; ++rank) {
    NEED(check, cudaSetDevice(rank));
    NEED(check, ncclCommDeregister(all.comm(rank), *handles[rank]));
    NEED(check, ncclMemFree(*memory[rank]));
  }
  NEED(check, cudaSetDevice(0));
}

}  // namespace

void run() {
  run_on_ranks("nccl_communicators", {{"early", early},
                                      {"late", late},
                                      {"not_blocking", not_blocking},
                                      {"aborted", aborted},
                                      {"split", split},
                                      {"shrunk", shrunk},
                                      {"registered", registered}});
}

}  // namespace maths
