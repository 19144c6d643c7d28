// SPDX-License-Identifier: Apache-2.0

// What a walk prints if it fails, crashes or does not end: the step, how to repeat it, the stack.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/graph/walk/walk.h"

namespace walk {

class Walker;

constexpr unsigned kMostThreads = 256;  // of one walk

// This thread walks, until the end of a block.
class ReportedThread {
 public:
  ReportedThread(const Options& options, unsigned thread);
  ~ReportedThread();
  ReportedThread(const ReportedThread&) = delete;
  ReportedThread& operator=(const ReportedThread&) = delete;
  void walks(const Walker* walker) const;
};

// Prints what failed at this thread's step.
void report_failure(const char* what);

void watch_for_crashes();

// Ends the process with the stack of each thread if the walk goes on a minute after its time: the
// driver may hang. Walks of a number of steps are not watched.
class Watchdog {
 public:
  explicit Watchdog(const Options& options);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch(double seconds);

  std::mutex lock_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread watching_;
};

}  // namespace walk
