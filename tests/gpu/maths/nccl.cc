// SPDX-License-Identifier: Apache-2.0

// NCCL: all GPUs of the machine in one process. Each collective is compared with the CPU's result,
// on every rank.
#include "nccl_support.h"

namespace maths {
namespace {

constexpr std::size_t kCounts[] = {1, 3, 1021, 65537};
constexpr std::size_t kLarge = 5000011;

void version(Check& check) {
  Guarded<int> number;
  NEED(check, ncclGetVersion(number.get()));
  INTACT(check, number);
  check.value("number", *number);
  EXPECT(check, *number >= 21600);
  const std::string good = ncclGetErrorString(ncclSuccess);
  const std::string bad = ncclGetErrorString(ncclInvalidArgument);
  EXPECT(check, good == "no error");
  EXPECT(check, bad.rfind("invalid argument", 0) == 0);
  EXPECT(check, ncclGetLastError(nullptr) != nullptr);
}

void unique_id(Check& check) {
  static_assert(sizeof(ncclUniqueId) == 128);
  Guarded<ncclUniqueId> first, second;
  NEED(check, ncclGetUniqueId(first.get()));
  NEED(check, ncclGetUniqueId(second.get()));
  INTACT(check, first);
  INTACT(check, second);
  EXPECT(check, !first.untouched());
  EXPECT(check, std::memcmp(first.get(), second.get(), sizeof(ncclUniqueId)) != 0);
}

void ranks(Check& check, const Ranks& all) {
  for (int rank = 0; rank < all.count(); ++rank) {
    Guarded<int> count, device, user;
    Guarded<ncclResult_t> status;
    NEED(check, ncclCommCount(all.comm(rank), count.get()));
    NEED(check, ncclCommCuDevice(all.comm(rank), device.get()));
    NEED(check, ncclCommUserRank(all.comm(rank), user.get()));
    NEED(check, ncclCommGetAsyncError(all.comm(rank), status.get()));
    EXPECT(check, *count == all.count() && *device == rank && *user == rank);
    EXPECT(check, *status == ncclSuccess);
    INTACT(check, count);
    INTACT(check, device);
    INTACT(check, user);
    INTACT(check, status);
  }
}

void refusals(Check& check, const Ranks& all) {
  Guarded<int> count;
  REFUSED(check, ncclInvalidArgument, ncclCommCount(nullptr, count.get()));
  EXPECT(check, count.untouched());
  REFUSED(check, ncclInvalidArgument, ncclCommCount(all.comm(0), nullptr));
  REFUSED(check, ncclInvalidArgument, ncclGetUniqueId(nullptr));
  REFUSED(check, ncclInvalidArgument, ncclGetVersion(nullptr));
  Buffers memory(all.count(), 4);
  const auto no_type = static_cast<ncclDataType_t>(99);
  REFUSED(
      check, ncclInvalidArgument,
      ncclAllReduce(memory.at(0), memory.at(0), 1, no_type, ncclSum, all.comm(0), all.stream(0)));
}

// What a reduction makes of one element of all ranks.
double reduced(ncclRedOp_t operation, const std::vector<std::vector<double>>& inputs,
               std::size_t at) {
  double result = inputs[0][at];
  for (std::size_t rank = 1; rank < inputs.size(); ++rank) {
    const double value = inputs[rank][at];
    if (operation == ncclSum || operation == ncclAvg) result += value;
    if (operation == ncclProd) result *= value;
    if (operation == ncclMax) result = std::max(result, value);
    if (operation == ncclMin) result = std::min(result, value);
  }
  return operation == ncclAvg ? result / static_cast<double>(inputs.size()) : result;
}

std::vector<double> reduced(ncclRedOp_t operation, const std::vector<std::vector<double>>& inputs) {
  std::vector<double> all;
  for (std::size_t i = 0; i < inputs[0].size(); ++i) all.push_back(reduced(operation, inputs, i));
  return all;
}

struct Case {
  const Type& type;
  std::size_t count;
  ncclRedOp_t operation;
  double tolerance;
};

void all_reduce(Check& check, const Ranks& all, const Case& row) {
  const auto inputs = inputs_of(all.count(), row.count, row.type.lowest);
  const Buffers from(row.type, inputs);
  const Buffers to(all.count(), row.count * row.type.size);
  ON_ALL(check, all,
         ncclAllReduce(from.at(rank), to.at(rank), row.count, row.type.type, row.operation,
                       all.comm(rank), all.stream(rank)));
  const std::vector<double> want = reduced(row.operation, inputs);
  for (int rank = 0; rank < all.count(); ++rank) {
    check.near("result", to.get(check, row.type, rank), want, row.tolerance);
    check.near("input", from.get(check, row.type, rank), inputs[rank], 0);
  }
}

void all_reduce_in_place(Check& check, const Ranks& all, const Case& row) {
  const auto inputs = inputs_of(all.count(), row.count, row.type.lowest);
  const Buffers memory(row.type, inputs);
  ON_ALL(check, all,
         ncclAllReduce(memory.at(rank), memory.at(rank), row.count, row.type.type, row.operation,
                       all.comm(rank), all.stream(rank)));
  const std::vector<double> want = reduced(row.operation, inputs);
  for (int rank = 0; rank < all.count(); ++rank) {
    check.near("result", memory.get(check, row.type, rank), want, row.tolerance);
  }
}

void reduce(Check& check, const Ranks& all, const Case& row) {
  const int root = all.count() - 1;
  const auto inputs = inputs_of(all.count(), row.count, row.type.lowest);
  const Buffers from(row.type, inputs);
  const Buffers to(
      row.type, std::vector<std::vector<double>>(all.count(), std::vector<double>(row.count, 1)));
  ON_ALL(check, all,
         ncclReduce(from.at(rank), to.at(rank), row.count, row.type.type, row.operation, root,
                    all.comm(rank), all.stream(rank)));
  for (int rank = 0; rank < all.count(); ++rank) {
    const std::vector<double> want =
        rank == root ? reduced(row.operation, inputs) : std::vector<double>(row.count, 1);
    check.near("result", to.get(check, row.type, rank), want, row.tolerance);
  }
}

void broadcast(Check& check, const Ranks& all, const Case& row) {
  for (int root = 0; root < all.count(); ++root) {
    const auto inputs = inputs_of(all.count(), row.count, row.type.lowest);
    const Buffers from(row.type, inputs);
    const Buffers to(all.count(), row.count * row.type.size);
    ON_ALL(check, all,
           ncclBroadcast(from.at(rank), to.at(rank), row.count, row.type.type, root, all.comm(rank),
                         all.stream(rank)));
    for (int rank = 0; rank < all.count(); ++rank) {
      check.near("result", to.get(check, row.type, rank), inputs[root], 0);
    }
  }
}

void reduce_scatter(Check& check, const Ranks& all, const Case& row) {
  const auto inputs = inputs_of(all.count(), row.count * all.count(), row.type.lowest);
  const Buffers from(row.type, inputs);
  const Buffers to(all.count(), row.count * row.type.size);
  ON_ALL(check, all,
         ncclReduceScatter(from.at(rank), to.at(rank), row.count, row.type.type, row.operation,
                           all.comm(rank), all.stream(rank)));
  const std::vector<double> sums = reduced(row.operation, inputs);
  for (int rank = 0; rank < all.count(); ++rank) {
    check.near("result", to.get(check, row.type, rank), part(sums, rank, row.count), row.tolerance);
  }
}

void all_gather(Check& check, const Ranks& all, const Case& row) {
  const auto inputs = inputs_of(all.count(), row.count, row.type.lowest);
  const Buffers from(row.type, inputs);
  const Buffers to(all.count(), row.count * all.count() * row.type.size);
  ON_ALL(check, all,
         ncclAllGather(from.at(rank), to.at(rank), row.count, row.type.type, all.comm(rank),
                       all.stream(rank)));
  for (int rank = 0; rank < all.count(); ++rank) {
    check.near("result", to.get(check, row.type, rank), joined(inputs), 0);
  }
}

// Each rank sends to the next one, and the last to the first. A rank alone sends to itself.
void ring(Check& check, const Ranks& all, const Case& row) {
  const auto inputs = inputs_of(all.count(), row.count, row.type.lowest);
  const Buffers from(row.type, inputs);
  const Buffers to(all.count(), row.count * row.type.size);
  const int count = all.count();
  ON_ALL(check, all,
         ncclSend(from.at(rank), row.count, row.type.type, (rank + 1) % count, all.comm(rank),
                  all.stream(rank)),
         ncclRecv(to.at(rank), row.count, row.type.type, (rank + count - 1) % count, all.comm(rank),
                  all.stream(rank)));
  for (int rank = 0; rank < count; ++rank) {
    check.near("result", to.get(check, row.type, rank), inputs[(rank + count - 1) % count], 0);
  }
}

// Every rank sends a part to every rank, all in one group.
void all_to_all(Check& check, const Ranks& all, const Case& row) {
  const auto inputs = inputs_of(all.count(), row.count * all.count(), row.type.lowest);
  const Buffers from(row.type, inputs);
  const Buffers to(all.count(), row.count * all.count() * row.type.size);
  const std::size_t bytes = row.count * row.type.size;
  NEED(check, ncclGroupStart());
  for (int rank = 0; rank < all.count(); ++rank) {
    for (int peer = 0; peer < all.count(); ++peer) {
      CALL(check, ncclSend(from.at(rank) + bytes * peer, row.count, row.type.type, peer,
                           all.comm(rank), all.stream(rank)));
      CALL(check, ncclRecv(to.at(rank) + bytes * peer, row.count, row.type.type, peer,
                           all.comm(rank), all.stream(rank)));
    }
  }
  NEED(check, ncclGroupEnd());
  all.wait(check);
  for (int rank = 0; rank < all.count(); ++rank) {
    std::vector<std::vector<double>> want;
    for (const auto& input : inputs) want.push_back(part(input, rank, row.count));
    check.near("result", to.get(check, row.type, rank), joined(want), 0);
  }
}

// Every type and operation that goes with it.
void types(const Ranks& all) {
  for (const Type& type : kTypes) {
    Check check(std::string("nccl.all_reduce.") + type.name);
    for (std::size_t count : kCounts) {
      for (ncclRedOp_t operation : {ncclSum, ncclMax, ncclMin}) {
        if (check) all_reduce(check, all, {type, count, operation, 0});
      }
      if (!check || !type.is_wide) continue;
      all_reduce(check, all, {type, count, ncclProd, 0});
      // With one rank, NCCL 2.28 leaves the last of 65537 averages of float64 unwritten: natively
      // and through the stub, in each of 16 runs.
      if (type.tolerance > 0 && all.count() > 1) {
        all_reduce(check, all, {type, count, ncclAvg, type.tolerance});
      }
    }
  }
}

void collectives(const Ranks& all) {
  const Topic<const Ranks&, const Case&> topics[] = {{"all_reduce_in_place", all_reduce_in_place},
                                                     {"reduce", reduce},
                                                     {"broadcast", broadcast},
                                                     {"reduce_scatter", reduce_scatter},
                                                     {"all_gather", all_gather},
                                                     {"ring", ring},
                                                     {"all_to_all", all_to_all}};
  for (const auto& topic : topics) {
    for (const Type& type : kTypes) {
      if (!type.is_wide) continue;
      Check check(std::string("nccl.") + topic.name + "." + type.name);
      for (std::size_t count : kCounts) {
        if (check) topic.run(check, all, {type, count, ncclSum, 0});
      }
      if (check && type.is_large) topic.run(check, all, {type, kLarge, ncclSum, 0});
    }
  }
}

// An operation of the program: the sum of the inputs times a number that each rank has.
void scaled_sum(Check& check, const Ranks& all) {
  const Type& type = kTypes[0];
  const auto inputs = inputs_of(all.count(), 1021, type.lowest);
  const Buffers from(type, inputs);
  const Buffers to(all.count(), 1021 * type.size);
  std::vector<ncclRedOp_t> operations;
  std::vector<double> want(1021, 0);
  for (int rank = 0; rank < all.count(); ++rank) {
    Guarded<float> scale(static_cast<float>(rank + 2));
    Guarded<ncclRedOp_t> operation;
    NEED(check, ncclRedOpCreatePreMulSum(operation.get(), scale.get(), type.type,
                                         ncclScalarHostImmediate, all.comm(rank)));
    INTACT(check, scale);
    INTACT(check, operation);
    operations.push_back(*operation);
    for (std::size_t i = 0; i < want.size(); ++i) want[i] += inputs[rank][i] * (rank + 2);
  }
  ON_ALL(check, all,
         ncclAllReduce(from.at(rank), to.at(rank), 1021, type.type, operations[rank],
                       all.comm(rank), all.stream(rank)));
  for (int rank = 0; rank < all.count(); ++rank) {
    check.near("result", to.get(check, type, rank), want, 0);
    NEED(check, ncclRedOpDestroy(operations[rank], all.comm(rank)));
  }
}

// Captured into a graph for each GPU, and launched twice: each launch adds up what the last one
// left.
void captured(Check& check, const Ranks& all) {
  const Type& type = kTypes[0];
  const auto inputs = inputs_of(all.count(), 1021, type.lowest);
  const Buffers memory(type, inputs);
  std::vector<cudaGraphExec_t> launchable(all.count(), nullptr);
  for (int rank = 0; rank < all.count(); ++rank) {
    NEED(check, cudaStreamBeginCapture(all.stream(rank), cudaStreamCaptureModeThreadLocal));
  }
  NEED(check, ncclGroupStart());
  for (int rank = 0; rank < all.count(); ++rank) {
    CALL(check, ncclAllReduce(memory.at(rank), memory.at(rank), 1021, type.type, ncclSum,
                              all.comm(rank), all.stream(rank)));
  }
  CALL(check, ncclGroupEnd());
  std::vector<cudaGraph_t> graphs(all.count(), nullptr);
  for (int rank = 0; rank < all.count(); ++rank) {
    CALL(check, cudaStreamEndCapture(all.stream(rank), &graphs[rank]));
  }
  if (!check) return;
  for (int rank = 0; rank < all.count(); ++rank) {
    NEED(check, cudaSetDevice(rank));
    NEED(check, cudaGraphInstantiateWithFlags(&launchable[rank], graphs[rank], 0));
    NEED(check, cudaGraphDestroy(graphs[rank]));
  }
  NEED(check, cudaSetDevice(0));
  for (int time = 0; time < 2; ++time) {
    for (int rank = 0; rank < all.count(); ++rank) {
      NEED(check, cudaGraphLaunch(launchable[rank], all.stream(rank)));
    }
  }
  all.wait(check);
  std::vector<double> want = reduced(ncclSum, inputs);
  for (double& value : want) value *= all.count();
  for (int rank = 0; rank < all.count(); ++rank) {
    check.near("result", memory.get(check, type, rank), want, 0);
    NEED(check, cudaGraphExecDestroy(launchable[rank]));
  }
}

// Communicators made rank by rank, by a unique id: a struct of 128 bytes that is passed by value.
void by_unique_id(Check& check, int devices) {
  Ranks all(check, devices, Ranks::kByUniqueId);
  if (!check) return;
  ranks(check, all);
  all_reduce(check, all, {kTypes[0], 65537, ncclSum, 0});
  all.destroy(check);
}

}  // namespace

void run() {
  {
    Check check("nccl.version");
    version(check);
  }
  {
    Check check("nccl.unique_id");
    unique_id(check);
  }
  Guarded<int> found;
  Check made("nccl.ranks");
  NEED(made, cudaGetDeviceCount(found.get()));
  INTACT(made, found);
  const int devices = std::min(*found, Ranks::kMost);
  std::printf("note %d GPU%s%s\n", devices, devices == 1 ? "" : "s",
              devices == 1 ? ": NCCL moves no data between GPUs" : "");
  made.value("devices", devices);
  Ranks all(made, devices, Ranks::kAtOnce);
  if (!made) return;
  ranks(made, all);
  types(all);
  collectives(all);
  run_topics<const Ranks&>(
      "nccl", {{"scaled_sum", scaled_sum}, {"captured", captured}, {"refusals", refusals}}, all);
  {
    Check check("nccl.by_unique_id");
    by_unique_id(check, devices);
  }
  all.destroy(made);
}

}  // namespace maths
