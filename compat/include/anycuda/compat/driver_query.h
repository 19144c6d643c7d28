// What the machine's driver says of itself.
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
};

// Asks lazily, and keeps the answer. Thread-safe: nothing is locked while a library is opened, so
// threads that come together may ask together; all get what the first of them found out.
class DriverQuery {
 public:
  // cuDriverGetVersion of libcuda.so.1; nvmlSystemGetDriverVersion of libnvidia-ml.so.1 between
  // nvmlInit_v2 and nvmlShutdown, which are balanced on every path. Both are found as the stubs
  // find them (ANYCUDA_CUDA, what is loaded, LD_LIBRARY_PATH, the system; NVML beside the driver),
  // and stay open. (CUDA Driver API, "Version Management"; NVML API Reference, "System Queries".)
  DriverQuery();
  // Facts that the caller gives: nothing is asked. A branch of 0 is asked for where it is needed.
  explicit DriverQuery(const DriverFacts& given);
  // Other ways to ask, for tests.
  DriverQuery(std::function<Version()> cuda, std::function<BranchAnswer()> branch);
  DriverQuery(const DriverQuery&) = delete;
  DriverQuery& operator=(const DriverQuery&) = delete;

  // The newest CUDA that the driver supports. Throws DriverQueryError, which names the file and the
  // status: no driver library, or it does not answer. A failure is not kept: the next call asks
  // anew.
  Version cuda();
  // Never throws for what NVML says: that is the answer's `problem`, kept like a branch.
  BranchAnswer branch();

  // Drops what was asked, keeps what was given. What another thread is just asking is not kept.
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
