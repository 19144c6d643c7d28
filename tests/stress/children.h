// SPDX-License-Identifier: Apache-2.0

// Forked children that must end. A child that waits for a lock which nobody unlocks (hang.h), or
// does not end within a generous time, hangs. A line "hang: ..." on stdout says what it waits for,
// and the child is killed.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <deque>

#include "hang.h"

namespace stress {

class Children {
 public:
  // As many at a time; a few that hang end the test early where none may.
  explicit Children(std::size_t at_once, int most_hanging)
      : at_once_(at_once), most_hanging_(most_hanging) {}

  // Forks, and runs `work` in the child; false: enough children hang.
  template <typename Work>
  bool start(Work work) {
    while (running_.size() >= at_once_) look();
    if (hanging >= most_hanging_) return false;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      work();
      _exit(0);
    }
    if (child > 0) running_.push_back({child, Clock::now() + kGenerous});
    if (child > 0) ++started;
    return true;
  }
  void wait_for_all() {
    while (!running_.empty()) look();
  }

  int started = 0;
  int ended = 0;    // well
  int crashed = 0;  // by a signal, or with another status than 0
  int hanging = 0;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kGenerous{10};
  static constexpr std::chrono::seconds kPatient{1};
  struct Child {
    pid_t number;
    Clock::time_point until;
  };

  // A process has its start to itself: this costs more than most children need.
  static bool hangs(const Child& running) {
    const auto left = running.until - Clock::now();
    if (left > kGenerous - kPatient) return false;
    const HangingChild child(running.number);
    const bool is_hanging = left < std::chrono::seconds(0) || child.waits_for_ever();
    if (is_hanging) std::printf("hang: %s\n", child.reason().c_str());
    std::fflush(stdout);
    return is_hanging;
  }

  void look() {
    for (std::size_t i = 0; i < running_.size();) {
      int status = 0;
      const bool gone = waitpid(running_[i].number, &status, WNOHANG) == running_[i].number;
      const bool late = !gone && hangs(running_[i]);
      if (late) {
        kill(running_[i].number, SIGKILL);
        waitpid(running_[i].number, nullptr, 0);
        ++hanging;
      } else if (gone) {
        ++(status == 0 ? ended : crashed);
      }
      if (gone || late) {
        running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    usleep(200);
  }

  std::size_t at_once_;
  int most_hanging_;
  std::deque<Child> running_;
};

}  // namespace stress
