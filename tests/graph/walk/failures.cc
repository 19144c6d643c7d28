// SPDX-License-Identifier: Apache-2.0
#include "tests/graph/walk/failures.h"

#include <execinfo.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "tests/graph/walk/walker.h"

extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*)());

namespace walk {
namespace {

constexpr double kPatience = 60;  // seconds

// This thread's step.
struct Where {
  const Options* options = nullptr;
  unsigned thread = 0;
  const Walker* walker = nullptr;
};
thread_local Where here;

std::atomic<pthread_t> walking[kMostThreads];  // 0: no thread

// Not by a stream: this may be in a signal.
void print(const char* text, std::size_t length) {
  if (write(STDOUT_FILENO, text, length) < 0) return;
}

// Whose call it was.
void print_stack() {
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDOUT_FILENO);
}

void on_signal(int number) {
  report_failure(number == SIGABRT ? "aborted" : "memory error");
  print_stack();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void on_overdue(int) {
  report_failure("does not end");
  print_stack();
}

void on_sanitizer() {
  if (here.options != nullptr) report_failure("a sanitizer's report");
}

}  // namespace

ReportedThread::ReportedThread(const Options& options, unsigned thread) {
  here = {&options, thread, nullptr};
  walking[thread] = pthread_self();
}
ReportedThread::~ReportedThread() { walking[here.thread] = 0; }
void ReportedThread::walks(const Walker* walker) const { here.walker = walker; }

void report_failure(const char* what) {
  char text[1024];
  int length = 0;
  if (here.options == nullptr) {
    length = std::snprintf(text, sizeof text, "FAILED: walk: a thread of the driver: %s\n", what);
  } else {
    const std::size_t step = here.walker == nullptr ? 0 : here.walker->steps();
    length = std::snprintf(
        text, sizeof text,
        "FAILED: walk: step %zu, %s: %s\n  repeat with: --seed %lu --steps %zu --threads 1\n", step,
        here.walker == nullptr ? "start" : here.walker->operation(), what,
        here.options->seed + here.thread, step);
  }
  if (length > 0) print(text, std::min<std::size_t>(length, sizeof text - 1));
}

void watch_for_crashes() {
  void* frame = nullptr;
  backtrace(&frame, 1);  // the first call allocates memory
  std::signal(SIGUSR2, on_overdue);
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(on_sanitizer);
    return;
  }
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT}) std::signal(number, on_signal);
}

Watchdog::Watchdog(const Options& options) {
  const double seconds = options.seconds + kPatience;
  if (options.seconds > 0) watching_ = std::thread([this, seconds] { watch(seconds); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard<std::mutex> locked(lock_);
    over_ = true;
  }
  changed_.notify_all();
  if (watching_.joinable()) watching_.join();
}

void Watchdog::watch(double seconds) {
  std::unique_lock<std::mutex> locked(lock_);
  const std::chrono::duration<double> most(seconds);
  if (changed_.wait_for(locked, most, [this] { return over_; })) return;
  for (const std::atomic<pthread_t>& one : walking) {
    const pthread_t thread = one;
    if (thread == 0) continue;
    pthread_kill(thread, SIGUSR2);
    std::this_thread::sleep_for(std::chrono::seconds(1));  // one stack after the other
  }
  std::_Exit(EXIT_FAILURE);
}

}  // namespace walk
