// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace maths {
namespace {

int failed = 0;
std::vector<Check*> live;  // the innermost last

std::string function_of(const char* text) { return std::string(text, std::strcspn(text, "( ")); }

}  // namespace

void damaged(const std::string& damage) {
  const std::string what = "a guarded place was written " + damage;
  if (!live.empty()) return live.back()->fail(what);
  ++failed;
  std::printf("FAIL guards %s\n", what.c_str());
}

Check::Check(std::string name) : name_(std::move(name)) { live.push_back(this); }

Check::~Check() {
  live.erase(std::remove(live.begin(), live.end(), this), live.end());
  if (*this) std::printf("ok %s\n", name_.c_str());
  std::fflush(stdout);
}

bool Check::noted(const char* text, long status, bool absent) {
  if (status == 0) return true;
  const std::string function = function_of(text);
  if (absent) {
    absent_ = true;
    std::printf("absent %s %s %ld\n", name_.c_str(), function.c_str(), status);
  } else {
    fail(function + " returned " + std::to_string(status));
  }
  return false;
}

void Check::refused(const char* text, long status, long wanted) {
  if (status != wanted) {
    fail(function_of(text) + " returned " + std::to_string(status) + ", expected " +
         std::to_string(wanted));
  }
}

void Check::fail(const std::string& what) {
  ++failures_;
  ++failed;
  std::printf("FAIL %s %s\n", name_.c_str(), what.c_str());
}

void Check::expect(const char* text, bool holds) {
  if (!holds) fail(std::string("not so: ") + text);
}

void Check::equal(const char* text, double got, double want) {
  if (!(got == want)) {
    fail(std::string(text) + " is " + std::to_string(got) + ", expected " + std::to_string(want));
  }
}

void Check::near(const char* text, const std::vector<double>& got, const std::vector<double>& want,
                 double tolerance) {
  if (got.size() != want.size()) {
    fail(std::string(text) + ": " + std::to_string(got.size()) + " values, expected " +
         std::to_string(want.size()));
    return;
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double allowed = tolerance * std::max(1.0, std::fabs(want[i]));
    if (!(std::fabs(got[i] - want[i]) <= allowed)) {
      fail(std::string(text) + "[" + std::to_string(i) + "] is " + std::to_string(got[i]) +
           ", expected " + std::to_string(want[i]));
      return;
    }
  }
}

void Check::value(const std::string& field, double what) {
  std::printf("value %s.%s=%.17g\n", name_.c_str(), field.c_str(), what);
}

int failures() { return failed; }

}  // namespace maths
