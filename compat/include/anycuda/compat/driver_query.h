// What the machine's driver says of itself.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "anycuda/compat/driver.h"

namespace anycuda::compat {

// A branch, or why nobody could say it.
struct BranchAnswer {
  int branch = 0;
  std::string problem;  // "" where branch is known
};

// Asks lazily and once. Thread-safe.
class DriverQuery {
 public:
  // cuDriverGetVersion of libcuda.so.1; nvmlSystemGetDriverVersion of libnvidia-ml.so.1 between
  // nvmlInit_v2 and nvmlShutdown, which are balanced on every path.
  DriverQuery();
  // Facts that the caller gives: nothing is asked. A branch of 0 is asked for where it is needed.
  explicit DriverQuery(const DriverFacts& given);
  // Other ways to ask, for tests.
  DriverQuery(std::function<Version()> cuda, std::function<BranchAnswer()> branch);

  // Throws DriverQueryError: no driver library, or it does not answer.
  Version cuda();
  BranchAnswer branch();

  // Drops what was asked, keeps what was given.
  void clear();

 private:
  std::mutex mutex_;
  std::function<Version()> ask_cuda_;
  std::function<BranchAnswer()> ask_branch_;
  std::optional<Version> given_cuda_, cuda_;
  std::optional<BranchAnswer> given_branch_, branch_;
};

}  // namespace anycuda::compat
