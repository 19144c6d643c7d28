// SPDX-License-Identifier: Apache-2.0

// The GPU, its context and a stream, by plain driver calls (through the driver's stub).
#pragma once

#include <cuda.h>

#include <functional>
#include <string>
#include <vector>

#include "common/check.h"

namespace gputest {

// The primary context of GPU 0, current on this thread; made at the first call.
CUcontext use_device();
// What is to be given back before end_device(), the last first.
void at_the_end(std::function<void()> give_back);
// Gives everything back, calls `last`, and resets the context, so that a checker can say what is
// left.
void end_device(const std::function<void()>& last = [] {});
// sm_90 and the like, of GPU 0.
std::string device_arch();
int driver_version();  // 13000; 0 without a driver

class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator CUstream() const { return stream_; }
  CUresult wait() const { return cuStreamSynchronize(stream_); }

 private:
  CUstream stream_ = nullptr;
};

// Memory of the host that the GPU sees, too; an int that one side waits for.
class Mapped {
 public:
  Mapped();
  ~Mapped();
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  CUdeviceptr device() const { return device_; }
  int get() const { return *host_; }
  void set(int value) { *host_ = value; }

 private:
  volatile int* host_ = nullptr;
  CUdeviceptr device_ = 0;
};

std::vector<int> read(CUdeviceptr from, std::size_t count);
void write(CUdeviceptr to, const std::vector<int>& values);

// Why NVIDIA's and this project's functions say no, in words.
std::string describe(CUresult status);

}  // namespace gputest

// A driver call that must succeed.
#define DRIVER(check, ...) (check).call(#__VA_ARGS__, __VA_ARGS__)
