// SPDX-License-Identifier: Apache-2.0

// NCCL: what it answers without a GPU (calls.h). Its releases are not CUDA's: the headers say which
// one the program was built for.
#include <nccl.h>

#include "calls.h"

namespace {

using calls::Guarded;
using calls::line;

void version() {
  int value = -1;
  line("version", ncclGetVersion(&value), value);
  line("null version", ncclGetVersion(nullptr));
  for (int status = 0; status < 10; ++status) {
    line("text " + std::to_string(status), ncclGetErrorString(ncclResult_t(status)));
  }
  line("last error", ncclGetLastError(nullptr));
}

void init() {
  Guarded id(sizeof(ncclUniqueId));
  line("id", ncclGetUniqueId(id.as<ncclUniqueId>()));  // its bytes are chance
  line("id's guard", id.intact());
  ncclComm_t comm = nullptr;
  line("rank 3 of 2", ncclCommInitRank(&comm, 2, *id.as<ncclUniqueId>(), 3), comm);
  line("no communicator", ncclCommInitRank(nullptr, 1, *id.as<ncclUniqueId>(), 0));
  line("rank", ncclCommInitRank(&comm, 1, *id.as<ncclUniqueId>(), 0), comm);
  line("all", ncclCommInitAll(&comm, 1, nullptr), comm);
  line("fewer than none", ncclCommInitAll(&comm, -1, nullptr), comm);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  line("rank with config", ncclCommInitRankConfig(&comm, 1, *id.as<ncclUniqueId>(), 0, &config),
       comm);
  config.blocking = 77;
  line("wrong config", ncclCommInitRankConfig(&comm, 1, *id.as<ncclUniqueId>(), 0, &config), comm);
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 23, 0)
  line("rank of two ids", ncclCommInitRankScalable(&comm, 1, 0, 2, id.as<ncclUniqueId>(), nullptr),
       comm);
#endif
}

void without_communicator() {
  int value = -7;
  void* pointer = nullptr;
  float numbers[4] = {1, 2, 3, 4};
  ncclComm_t comm = nullptr;
  ncclRedOp_t operation = ncclSum;
  ncclResult_t result = ncclSuccess;
  line("count", ncclCommCount(nullptr, &value), value);
  line("device", ncclCommCuDevice(nullptr, &value), value);
  line("user rank", ncclCommUserRank(nullptr, &value), value);
  line("async error", ncclCommGetAsyncError(nullptr, &result), result);
  line("finalize", ncclCommFinalize(nullptr));
  line("destroy", ncclCommDestroy(nullptr));
  line("abort", ncclCommAbort(nullptr));
  line("split", ncclCommSplit(nullptr, 0, 0, &comm, nullptr), comm);
  line("register", ncclCommRegister(nullptr, numbers, sizeof numbers, &pointer), pointer);
  line("deregister", ncclCommDeregister(nullptr, nullptr));
  line("operation",
       ncclRedOpCreatePreMulSum(&operation, numbers, ncclFloat, ncclScalarHostImmediate, nullptr),
       operation);
  line("destroy operation", ncclRedOpDestroy(ncclSum, nullptr));
  const auto each = [&](const std::string& when) {
    line(when + "reduce", ncclReduce(numbers, numbers, 4, ncclFloat, ncclSum, 0, nullptr, nullptr));
    line(when + "all reduce",
         ncclAllReduce(numbers, numbers, 4, ncclFloat, ncclMax, nullptr, nullptr));
    line(when + "reduce scatter",
         ncclReduceScatter(numbers, numbers, 4, ncclFloat, ncclAvg, nullptr, nullptr));
    line(when + "bcast", ncclBcast(numbers, 4, ncclFloat, 0, nullptr, nullptr));
    line(when + "broadcast", ncclBroadcast(numbers, numbers, 4, ncclFloat, 0, nullptr, nullptr));
    line(when + "all gather", ncclAllGather(numbers, numbers, 1, ncclFloat, nullptr, nullptr));
    line(when + "send", ncclSend(numbers, 4, ncclFloat, 0, nullptr, nullptr));
    line(when + "receive", ncclRecv(numbers, 4, ncclFloat, 0, nullptr, nullptr));
  };
  each("");
  line("start", ncclGroupStart());
  each("in a group ");
  line("end", ncclGroupEnd());
  line("end too often", ncclGroupEnd());
  line("numbers", numbers[0], numbers[3]);
}

void memory() {
  void* pointer = nullptr;
  line("allocate", ncclMemAlloc(&pointer, 1 << 20), pointer);
  line("free nothing", ncclMemFree(nullptr));
}

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 32, 0)
void newer() {
  float numbers[4] = {1, 2, 3, 4};
  ncclUniqueId id = {};
  ncclWindow_t window = nullptr;
  void* pointer = nullptr;
  line("simulate end", ncclGroupSimulateEnd(nullptr));
  line("id of a communicator", ncclCommGetUniqueId(nullptr, &id));
  line("revoke", ncclCommRevoke(nullptr, 0));
  line("window", ncclCommWindowRegister(nullptr, numbers, sizeof numbers, &window, 0), window);
  line("end of window", ncclCommWindowDeregister(nullptr, nullptr));
  line("pointer of window", ncclWinGetUserPtr(nullptr, nullptr, &pointer), pointer);
  line("all to all", ncclAlltoAll(numbers, numbers, 1, ncclFloat, nullptr, nullptr));
  line("gather", ncclGather(numbers, numbers, 1, ncclFloat, 0, nullptr, nullptr));
  line("scatter", ncclScatter(numbers, numbers, 1, ncclFloat, 0, nullptr, nullptr));
}
#endif

}  // namespace

int main(int argc, char** argv) {
  return calls::make(argc, argv, {
    {"version", version}, {"init", init}, {"without-communicator", without_communicator},
        {"memory", memory},
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 32, 0)
        {"newer", newer},
#endif
  });
}
