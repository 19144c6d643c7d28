// SPDX-License-Identifier: Apache-2.0

// The arguments runtime (fakes/arguments.cc) as its callers see it. The names are the runtime's,
// what they take is not.
#pragma once

struct Large {
  long a, b, c;
};
struct Small {
  int a, b;
};
struct Mixed {
  long a;
  double b;
};

constexpr int kMostFrames = 64;
struct Frames {
  void* addresses[kMostFrames];
  int count;
};

extern "C" {
__attribute__((weak)) extern char told[1024];                // the program's
__attribute__((weak)) extern Frames* frames_in_constructor;  // the program's, or null
__attribute__((weak)) extern Frames* frames_in_replay;

long cudaMemcpy3D(long, long, long, long, long, long, long, long, long, long, double, double,
                  double, double, double, double, double, double, double, Large, Small, Mixed,
                  long double);
double cudaMemset3D(float, double, int);
int cudaMemcpyPeer(const char* format, ...);
Large cudaMallocArray(long);
Mixed cudaFreeArray(long);
int cudaMemcpyToArray(int);
int cudaMemcpyFromArray(Frames*);
}
