// SPDX-License-Identifier: Apache-2.0

// Which process is this: a program, or a child that was forked from it?
#pragma once

#include <cstdint>

namespace anycuda {

// A number that is never 0, stays the same in a process, and is another one in its parent and in
// its children. (The process's ID may be the same: the first process of a PID namespace is number
// 1, and so is a child of it that begins another namespace.) A kernel before 4.14 gives the
// process's ID. Any thread; takes no lock.
std::uint32_t process_token();

}  // namespace anycuda
