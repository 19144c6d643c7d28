// SPDX-License-Identifier: Apache-2.0

// An appender that stops between any two of its instructions: a fork leaves it behind, or another
// thread reads the log in this moment. The program steps itself through append() by the processor's
// trap flag, and forks after each step.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <functional>
#include <vector>

#include "stubs/cudart/registration_log.h"

namespace anycuda::registration {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

std::function<void()> after_each_step;
bool stepping = false;

void on_trap(int, siginfo_t* signal, void* context) {
  if (signal->si_code == TRAP_TRACE && stepping) after_each_step();
#if defined(__x86_64__)
  constexpr greg_t kTrapFlag = 0x100;
  greg_t& flags = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL];
  flags = stepping ? flags | kTrapFlag : flags & ~kTrapFlag;
#else
  (void)context;
#endif
}

// `then` may end the stepping.
void step_through(const std::function<void()>& work, const std::function<void()>& then) {
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, &before);
  after_each_step = then;
  stepping = true;
  raise(SIGTRAP);  // on_trap sets the flag
  work();
  stepping = false;
  raise(SIGTRAP);
  sigaction(SIGTRAP, &before, nullptr);
}

Record record_of(std::uint32_t handle) { return {kFunction, handle, {handle, 7, 7, 0xffffffff}}; }

// The first record, an ordinary one, and one that begins in one block and ends in the next.
constexpr std::uint32_t kRecordsBefore[] = {0, 5, 8192 / 3};

class AppenderThatStops : public testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "a sanitizer cannot be stepped through";
    int steps = 0;
    step_through([] {}, [&] { ++steps; });
    if (steps == 0) GTEST_SKIP() << "this processor, or its emulator, has no trap flag";
    for (std::uint32_t i = 1; i <= GetParam(); ++i) ASSERT_TRUE(log.append(record_of(i)));
  }
  void read() {
    Record record;
    while (log.next(&position, &record)) handles.push_back(record.handle);
  }
  // Steps through one more append(), and forks after each step. The child calls `then`, ends the
  // append() without steps, and exits with is_right().
  void fork_after_each_step(const std::function<void()>& then,
                            const std::function<bool()>& is_right) {
    bool is_child = false;
    int status = 0;
    int forks = 0;
    const auto forks_one = [&] {
      ++forks;
      const pid_t child = fork();
      if (child != 0) {
        waitpid(child, &status, 0);
        stepping = status == 0;
        return;
      }
      alarm(20);  // ends a child that waits for ever
      is_child = true;
      stepping = false;
      then();
    };
    step_through([&] { appended = log.append(record_of(GetParam() + 1)); }, forks_one);
    if (is_child) _exit(is_right() ? 0 : 1);
    EXPECT_EQ(status, 0) << "of the child after step " << forks;
    EXPECT_GT(forks, 20);
    EXPECT_TRUE(appended);
  }
  bool have_the_record() const {
    return handles.size() == GetParam() + 1 && handles.back() == GetParam() + 1;
  }

  Log log;
  bool appended = false;
  std::size_t position = 0;
  std::vector<std::uint32_t> handles;
};

TEST_P(AppenderThatStops, InAFork_LeavesTheChildAWholeLog) {
  constexpr std::uint32_t kOwn = 0x7777;
  fork_after_each_step(
      [&] {
        const bool own = log.append(record_of(kOwn));
        read();
        if (!own || handles.back() != kOwn || !log.close_at(position)) _exit(2);
        handles.pop_back();
        _exit(handles.size() == GetParam() || have_the_record() ? 0 : 3);
      },
      [] { return false; });
}

TEST_P(AppenderThatStops, WhileAThreadReads_IsReadOnce) {
  fork_after_each_step([&] { read(); },
                       [&] {
                         read();
                         return appended && have_the_record();
                       });
}

TEST_P(AppenderThatStops, WhileAThreadCloses_IsReadOrRefused) {
  fork_after_each_step(
      [&] {
        read();
        if (!log.close_at(position)) _exit(2);
        log.release();
      },
      [&] { return appended ? have_the_record() : handles.size() == GetParam(); });
}

INSTANTIATE_TEST_SUITE_P(Records, AppenderThatStops, testing::ValuesIn(kRecordsBefore),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace anycuda::registration
