// SPDX-License-Identifier: Apache-2.0

// How a program marks the begin and end of the call under test for its tracer.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

namespace anycuda::test {

// A signal stops a traced program without any of its system calls being looked at before.
constexpr int kBeginSignal = SIGUSR1;
inline void mark_begin() { raise(kBeginSignal); }

// A system call that does not exist.
constexpr long kEndCall = 100002;
inline void mark_end() { syscall(kEndCall); }

}  // namespace anycuda::test
