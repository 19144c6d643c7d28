// SPDX-License-Identifier: Apache-2.0

// How a program tells its tracer where the call under test begins and ends.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

namespace anycuda::test {

// A signal stops a traced program without any of its system calls being looked at before.
constexpr int kBeginSignal = SIGUSR1;
inline void mark_begin() { raise(kBeginSignal); }

// A system call that no kernel has.
constexpr long kEndCall = 100002;
inline void mark_end() { syscall(kEndCall); }

}  // namespace anycuda::test
