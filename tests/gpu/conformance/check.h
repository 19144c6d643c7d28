// SPDX-License-Identifier: Apache-2.0

// How every topic reports: one line per result, for the runner (../conformance.py) to read.
//
//     ok <check>                           everything in it was as expected
//     FAIL <check> <what came, and what was expected>
//     absent <check> <function> <status>   the runtime cannot do it and said so: 302, or 801
//     value <check>.<field>=<text>         must be the same natively and through the stub
#pragma once

#include <cuda_runtime.h>

#include <sstream>
#include <string>
#include <type_traits>

#include "guarded.h"

namespace conformance {

template <typename T>
std::string show(const T& value) {
  std::ostringstream text;
  if constexpr (std::is_enum_v<T>) {
    text << static_cast<long long>(value);
  } else if constexpr (std::is_same_v<T, unsigned char> || std::is_same_v<T, signed char>) {
    text << static_cast<int>(value);
  } else {
    text << value;
  }
  return text.str();
}

template <typename T, std::size_t N>
std::string show(const T (&values)[N]) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : ",") + show(value);
  return text;
}

template <std::size_t N>
std::string show(const char (&text)[N]) {
  return text;
}

// One thing that is checked, from its construction to its end.
class Check {
 public:
  explicit Check(std::string name);
  ~Check();
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  // Whether a call succeeded. One that the runtime cannot do (302, 801) is noted as absent and ends
  // the check; any other status is a failure. `text` begins with the function's name.
  bool call(const char* text, cudaError_t status);
  // The call must end like natively, whatever that is; the status is the value.
  bool status(const std::string& field, const char* text, cudaError_t status);

  void fail(const std::string& what);
  void expect(const char* text, bool holds);

  template <typename Got, typename Want>
  void equal(const char* text, const Got& got, const Want& want) {
    if (!(got == want)) fail(std::string(text) + " is " + show(got) + ", expected " + show(want));
  }

  template <typename T>
  void intact(const char* text, const Guarded<T>& guarded) {
    if (!guarded.intact()) fail(std::string(text) + ": written " + guarded.damage());
  }

  template <typename T>
  void value(const std::string& field, const T& what) {
    print_value(field, show(what));
  }

  // Whether everything went well so far; what builds on an earlier step asks this.
  explicit operator bool() const { return failures_ == 0 && !absent_; }

 private:
  void print_value(const std::string& field, const std::string& text);
  void absence(const char* text, cudaError_t status);

  std::string name_;
  int failures_ = 0;
  bool absent_ = false;
};

// Failures of the whole process.
int failures();

// The next 302 is the client's own answer (later.h): no library was asked, none has a last error.
void note_own_absence();

}  // namespace conformance

#define CALL(check, ...) (check).call(#__VA_ARGS__, __VA_ARGS__)
#define STATUS(check, field, ...) (check).status(field, #__VA_ARGS__, __VA_ARGS__)
#define EQUAL(check, got, ...) (check).equal(#got, got, __VA_ARGS__)
#define EXPECT(check, ...) (check).expect(#__VA_ARGS__, __VA_ARGS__)
#define INTACT(check, guarded) (check).intact(#guarded, guarded)
