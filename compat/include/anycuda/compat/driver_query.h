// SPDX-License-Identifier: Apache-2.0

// The versions that the machine's driver reports.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "anycuda/compat/driver.h"
#include "anycuda/compat/errors.h"

namespace anycuda::compat {

// A branch, or why it is unknown.
struct BranchAnswer {
  int branch = 0;
  std::string problem;  // "" where branch is known
  // The driver's full version, "595.58.03", as nvidia-smi shows it; "" where the branch is unknown
  // or was given by the caller.
  std::string version = {};
};

// Asks the driver when first needed, and caches the answer. Thread-safe: no lock is held while a
// library is opened, so several threads may ask at the same time; all get the first one's answer.
class DriverQuery {
 public:
  // cuDriverGetVersion of libcuda.so.1; nvmlSystemGetDriverVersion of libnvidia-ml.so.1 between
  // nvmlInit_v2 and nvmlShutdown, which are balanced on every path. Both are found as the stubs
  // find them (ANYCUDA_CUDA, what is loaded, LD_LIBRARY_PATH, the system; NVML beside the driver),
  // and stay open. (CUDA Driver API, "Version Management"; NVML API Reference, "System Queries".)
  DriverQuery();
  // Facts from the caller: the driver is asked only for a branch that is 0, when it is needed.
  explicit DriverQuery(const DriverFacts& given);
  // Other ways to ask, for tests.
  DriverQuery(std::function<Version()> cuda, std::function<BranchAnswer()> branch);
  DriverQuery(const DriverQuery&) = delete;
  DriverQuery& operator=(const DriverQuery&) = delete;

  // The newest CUDA that the driver supports. Throws DriverQueryError, which names the file and the
  // status, if the driver library is missing or does not answer. A failure is not cached: the next
  // call asks again.
  Version cuda();
  // The branch and the full version. Does not throw if NVML fails: the answer's `problem` has the
  // reason, and is cached, too.
  BranchAnswer branch();

  // Drops cached answers, keeps facts from the caller. An answer that another thread is just asking
  // for is not cached.
  void clear();

 private:
  template <typename Answer>
  Answer answer(const std::function<Answer()>& ask, std::optional<Answer>* kept);

  std::mutex mutex_;
  unsigned clears_ = 0;
  std::function<Version()> ask_cuda_;
  std::function<BranchAnswer()> ask_branch_;
  std::optional<Version> cuda_;
  std::optional<BranchAnswer> branch_;
};

}  // namespace anycuda::compat
