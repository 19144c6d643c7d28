// SPDX-License-Identifier: Apache-2.0

// How the programs of this folder report: one line per result, which ../maths.py reads.
//
//     ok <check>                           everything in it was as expected
//     FAIL <check> <what came, and what was expected>
//     absent <check> <function> <status>   the library lacks the function and the stub said so
//     value <check>.<field>=<text>         must be the same through the stub as natively
//     note <text>                          what a reader of the results should know
//     runtime <number>                     of the loaded CUDA runtime
//     map <file>                           a CUDA library of the process at its end
//     done <program>                       the program came to its end
#pragma once

#include <cuda_runtime_api.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "../conformance/guarded.h"

// Which status means that the loaded library lacks a function: each library has its own, in its
// program. The runtime's part is not tested here.
inline bool is_absent(cudaError_t) { return false; }

namespace maths {

// Fails the innermost check, or the process outside every check.
void damaged(const std::string& damage);

// A place between guard bytes. It looks at them at its end too, so that a program without INTACT
// for it does not pass.
template <typename T>
class Guarded : public conformance::Guarded<T> {
 public:
  using conformance::Guarded<T>::Guarded;
  Guarded() = default;
  Guarded(const Guarded&) = default;
  Guarded& operator=(const Guarded&) = default;
  ~Guarded() {
    if (!this->intact()) damaged(this->damage());
  }
};

// One thing that is checked, from its construction to its end.
class Check {
 public:
  explicit Check(std::string name);
  ~Check();
  Check(const Check&) = delete;
  Check& operator=(const Check&) = delete;

  // Whether a call succeeded; `text` begins with the function's name.
  template <typename Status>
  bool call(const char* text, Status status) {
    return noted(text, static_cast<long>(status), is_absent(status));
  }
  // A call that must be refused with this status.
  void refused(const char* text, long status, long wanted);

  void fail(const std::string& what);
  void expect(const char* text, bool holds);
  void equal(const char* text, double got, double want);
  // Whether all values are near, by `tolerance` times the magnitude of what is wanted, or of 1.
  void near(const char* text, const std::vector<double>& got, const std::vector<double>& want,
            double tolerance);
  void value(const std::string& field, double what);

  template <typename T>
  void intact(const char* text, const Guarded<T>& guarded) {
    if (!guarded.intact()) fail(std::string(text) + ": written " + guarded.damage());
  }

  // Whether everything went well so far.
  explicit operator bool() const { return failures_ == 0 && !absent_; }

 private:
  bool noted(const char* text, long status, bool absent);

  std::string name_;
  int failures_ = 0;
  bool absent_ = false;
};

// One part of a program, which is one check.
template <typename... Arguments>
struct Topic {
  const char* name;
  void (*run)(Check&, Arguments...);
};

// All with the same arguments. The name of each check begins with that of the program.
template <typename... Arguments>
void run_topics(const std::string& program, std::initializer_list<Topic<Arguments...>> topics,
                Arguments... arguments) {
  for (const Topic<Arguments...>& topic : topics) {
    Check check(program + "." + topic.name);
    topic.run(check, arguments...);
  }
}

// All with one object, which a check makes first.
template <typename Object>
void run_topics_with(const std::string& program,
                     std::initializer_list<Topic<const Object&>> topics) {
  Check made(program + ".handle");
  const Object object(made);
  if (made) run_topics<const Object&>(program, topics, object);
}

// Failures of the whole process.
int failures();

// The program of one library, in its own file; the rest of main() is the same for all.
void run();

}  // namespace maths

#define CALL(check, ...) (check).call(#__VA_ARGS__, __VA_ARGS__)
// In a function that returns nothing: what follows needs the call's result.
#define NEED(check, ...)                   \
  do {                                     \
    if (!CALL(check, __VA_ARGS__)) return; \
  } while (false)
#define REFUSED(check, status, ...) \
  (check).refused(#__VA_ARGS__, static_cast<long>(__VA_ARGS__), status)
#define EXPECT(check, ...) (check).expect(#__VA_ARGS__, __VA_ARGS__)
#define INTACT(check, guarded) (check).intact(#guarded, guarded)
