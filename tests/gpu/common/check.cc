// SPDX-License-Identifier: Apache-2.0
#include "common/check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>

namespace gputest {

namespace {

std::atomic<int> checks_ok{0};
std::atomic<int> checks_failed{0};
constexpr int kFailuresShown = 8;  // of one check: a loop that fails fails often

void line(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);  // what crashes later hides nothing
}

bool run(const Topic& topic) {
  try {
    topic.run();
    return true;
  } catch (const std::exception& error) {
    line(std::string("FAILED: ") + topic.name + ": ended with an exception: " + error.what());
    return false;
  }
}

}  // namespace

Check::~Check() {
  if (failures_ > kFailuresShown) {
    line("FAILED: " + name_ + ": and " + show(failures_ - kFailuresShown) + " more");
  }
  ++(failures_ == 0 ? checks_ok : checks_failed);
  if (failures_ != 0 && !detail_.empty()) line("  " + name_ + ": " + detail_);
  if (failures_ == 0) line("ok " + name_ + (detail_.empty() ? "" : ": " + detail_));
}

void Check::fail(const std::string& what) {
  if (++failures_ > kFailuresShown) return;
  line("FAILED: " + name_ + ": " + what + (during_.empty() ? "" : " (" + during_ + ")"));
}

bool Check::call(const char* text, int status, const char* why) {
  if (status != 0) fail(std::string(text) + " returned " + show(status) + " " + why);
  return status == 0;
}

int run_topics(int argc, char** argv, const Topic* topics, int count) {
  if (argc > 1 && std::strcmp(argv[1], "--list") == 0) {
    for (int i = 0; i < count; ++i) std::printf("%s\n", topics[i].name);
    return 0;
  }
  int ran = 0;
  for (int i = 0; i < count; ++i) {
    if (argc > 1 && std::strcmp(argv[1], topics[i].name) != 0) continue;
    ++ran;
    if (!run(topics[i])) ++checks_failed;
  }
  if (ran == 0) {
    line(std::string("FAILED: no topic ") + (argc > 1 ? argv[1] : ""));
    return 1;
  }
  line(show(checks_ok.load()) + " checks ok, " + show(checks_failed.load()) + " failed");
  return checks_failed == 0 ? 0 : 1;
}

bool quick() {
  const char* asked = std::getenv("GPU_TEST_QUICK");
  return asked != nullptr && *asked == '1';
}

}  // namespace gputest
