// SPDX-License-Identifier: Apache-2.0

// An answer that is computed once for the process, and can be forgotten. No lock is held meanwhile:
// a library that is opened for it may have a constructor that asks, too.
#pragma once

#include <mutex>
#include <optional>

namespace anycuda::linker {

template <typename Answer>
class Memo {
 public:
  // Threads that ask at the same time all compute it, and get the first one's result. An exception
  // is not kept, nor is a result that was computed while the answer was being forgotten.
  template <typename Ask>
  Answer get(Ask ask) {
    unsigned before = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (answer_) return *answer_;
      before = resets_;
    }
    Answer mine = ask();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (resets_ != before) return mine;
    if (!answer_) answer_ = mine;
    return *answer_;
  }
  // An answer that `stays` is not forgotten.
  template <typename Stays>
  void reset(Stays stays) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (answer_ && stays(*answer_)) return;
    ++resets_;
    answer_.reset();
  }

 private:
  std::mutex mutex_;
  unsigned resets_ = 0;
  std::optional<Answer> answer_;
};

}  // namespace anycuda::linker
