// SPDX-License-Identifier: Apache-2.0

// How the programs of linker/ and graph/ report: one line per check, for a person and for the
// runner.
//
//     ok <check>[: <detail>]
//     FAILED: <check>: <what came, and what was expected>
#pragma once

#include <atomic>
#include <functional>
#include <sstream>
#include <string>
#include <type_traits>

namespace gputest {

template <typename T>
std::string show(const T& value) {
  std::ostringstream text;
  if constexpr (std::is_enum_v<T>) {
    text << static_cast<long long>(value);
  } else {
    text << value;
  }
  return text.str();
}

// One thing that is checked, from its construction to its end. fail() may be called by any thread.
class Check {
 public:
  explicit Check(std::string name) : name_(std::move(name)) {}
  ~Check();
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  void fail(const std::string& what);
  void expect(const char* text, bool holds) {
    if (!holds) fail(std::string("expected ") + text);
  }
  // Whether a call succeeded; `why` is the reason of a failure.
  bool call(const char* text, int status, const char* why = "");
  template <typename Got, typename Want>
  void equal(const char* text, const Got& got, const Want& want) {
    if (!(got == want)) fail(std::string(text) + " is " + show(got) + ", expected " + show(want));
  }
  // Said in the line of a check that went well, or after what failed.
  void detail(const std::string& text) { detail_ += (detail_.empty() ? "" : ", ") + text; }

  // What is being done, said in failures; what was said before is forgotten.
  void during(std::string text) { during_ = std::move(text); }

  explicit operator bool() const { return failures_ == 0; }

 private:
  std::string name_;
  std::string detail_;
  std::string during_;
  std::atomic<int> failures_{0};
};

// A part of a program. The first argument of the program names one; all without.
struct Topic {
  const char* name;
  void (*run)();
};

// Runs what the arguments name, prints how many checks went well, and gives main's status: 1 if one
// failed or a topic is unknown. `--list` prints the topics.
int run_topics(int argc, char** argv, const Topic* topics, int count);

// The environment asks for fewer repetitions: a memory checker is looking on.
bool quick();

}  // namespace gputest

#define EXPECT(check, ...) (check).expect(#__VA_ARGS__, static_cast<bool>(__VA_ARGS__))
#define EQUAL(check, got, ...) (check).equal(#got, got, __VA_ARGS__)
