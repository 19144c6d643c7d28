// SPDX-License-Identifier: Apache-2.0

// Its first calls come out of the resolver of an indirect function (IFUNC), which the dynamic
// linker calls while it relocates the program: before any constructor, and before libc is ready.
// They are made again once the program runs. As a library (IFUNC_LIBRARY) it does the same when it
// is loaded.
#include <cstdio>

#ifdef IFUNC_DRIVER
extern "C" {
int cuInit(unsigned);
int cuDriverGetVersion(int*);
}
#else
extern "C" {
int cudaRuntimeGetVersion(int*);
int cudaGetDeviceCount(int*);
int cudaDriverGetVersion(int*);
int cudaGetLastError();
const char* cudaGetErrorName(int);
}
#endif

namespace {

struct Answers {
  int status[4];
  int value[3];
};
Answers early;

#ifdef IFUNC_DRIVER
inline void ask(Answers* answers) {
  answers->status[0] = cuInit(0);
  answers->status[1] = cuDriverGetVersion(&answers->value[1]);
}
#else
inline void ask(Answers* answers) {
  answers->value[0] = answers->value[1] = answers->value[2] = 77;
  answers->status[0] = cudaRuntimeGetVersion(&answers->value[0]);
  answers->status[1] = cudaGetDeviceCount(&answers->value[1]);
  answers->status[2] = cudaDriverGetVersion(&answers->value[2]);
  answers->status[3] = cudaGetLastError();
}
#endif

void tell(const char* when, const Answers& answers) {
  std::printf("%s: %d:%d %d:%d %d:%d %d\n", when, answers.status[0], answers.value[0],
              answers.status[1], answers.value[1], answers.status[2], answers.value[2],
              answers.status[3]);
}

int chosen() { return 7; }

}  // namespace

extern "C" {
__attribute__((visibility("hidden"))) int (*choose())() {
  ask(&early);
  return chosen;
}
__attribute__((visibility("hidden"))) int indirect() __attribute__((ifunc("choose")));

int report() {
  tell("resolver", early);
  Answers late{};
  ask(&late);
  tell("program", late);
  std::fflush(stdout);
  return indirect();
}
}

#ifndef IFUNC_LIBRARY
int main() { return report() == 7 ? 0 : 1; }
#endif
