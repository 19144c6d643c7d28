// SPDX-License-Identifier: Apache-2.0

// A message without a reader: stderr is a pipe whose reader has exited (a closed pager, a dead
// logger). Writing there must not end the program, which expects only a status, and must leave its
// signals as they were.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "compat/base/log.h"
#include "tests/support/unit/environment.h"

namespace anycuda {
namespace {

using unit::EmptyMachine;
using unit::in_child;
using unit::ScopedVariable;

// stderr of this process from here on.
void break_stderr() {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
  close(ends[0]);
  close(ends[1]);
  ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_ERR);
}

bool pending_signal() {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGPIPE) == 1;
}

sigset_t signal_mask() {
  sigset_t mask;
  sigemptyset(&mask);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return mask;
}

void block(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

// For every signal whether `mask` has it.
std::string members(const sigset_t& mask) {
  std::string text;
  for (int number = 1; number < SIGRTMAX; ++number) {
    text += sigismember(&mask, number) == 1 ? '1' : '0';
  }
  return text;
}

class BrokenStderr : public testing::Test {
 protected:
  EmptyMachine machine_;
};

TEST_F(BrokenStderr, DoesNotEndTheProgram) {
  in_child([] {
    break_stderr();
    for (int i = 0; i < 3; ++i) log_line(LogLevel::error, "nobody reads this");
    EXPECT_FALSE(pending_signal());
  });
}

TEST_F(BrokenStderr, LeavesTheSignalMaskAndTheActionUnchanged) {
  in_child([] {
    break_stderr();
    for (const int also : {SIGUSR1, SIGPIPE}) {
      block(also);
      const std::string before = members(signal_mask());
      log_line(LogLevel::error, "nobody reads this");
      EXPECT_EQ(members(signal_mask()), before);
      struct sigaction action;
      ASSERT_EQ(sigaction(SIGPIPE, nullptr, &action), 0);
      EXPECT_EQ(action.sa_handler, SIG_DFL);
    }
  });
}

TEST_F(BrokenStderr, LeavesNoSignalToAProgramThatHoldsThemBack) {
  in_child([] {
    break_stderr();
    block(SIGPIPE);
    log_line(LogLevel::error, "nobody reads this");
    EXPECT_FALSE(pending_signal());
  });
}

TEST_F(BrokenStderr, KeepsTheSignalThatWasThereBefore) {
  in_child([] {
    break_stderr();
    block(SIGPIPE);
    ASSERT_EQ(raise(SIGPIPE), 0);
    log_line(LogLevel::error, "nobody reads this");
    EXPECT_TRUE(pending_signal()) << "it is the program's own";
  });
}

int handled = 0;

TEST_F(BrokenStderr, DoesNotCallTheProgramsHandler) {
  in_child([] {
    break_stderr();
    ASSERT_NE(signal(SIGPIPE, [](int) { ++handled; }), SIG_ERR);
    log_line(LogLevel::error, "nobody reads this");
    EXPECT_EQ(handled, 0);
    EXPECT_EQ(write(STDERR_FILENO, "x", 1), -1);  // the program's own message
    EXPECT_EQ(handled, 1);
  });
}

}  // namespace
}  // namespace anycuda
