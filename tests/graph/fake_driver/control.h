// SPDX-License-Identifier: Apache-2.0

// How a test queries and steers the fake driver. The library exports one function, fake_control(),
// which returns this table.
#pragma once

#include <cstddef>

namespace fake {

// How many there are now.
struct Live {
  std::size_t graphs, nodes, execs, user_objects, memory, modules, events;
};

struct LaunchedKernel {
  unsigned grid[3], block[3], shared_bytes, cluster[3];
  int cooperative, priority, programmatic;
  const void* node;  // for `argument`
};

struct Control {
  void (*reset)();  // as at the start; what is alive stays
  Live (*live)();
  // The n-th call (from 1) of any function from now on, or only of this one, gives `status`.
  void (*fail_call)(std::size_t nth, unsigned status);
  void (*fail_function)(const char* name, std::size_t nth, unsigned status);
  bool (*failed)();            // the requested failure has happened
  const char* (*failed_in)();  // the function in which it did
  std::size_t (*calls)(const char* name);
  void (*flush)();  // returns when the destructors that are due have run
  // Destructors wait until `hold` is false again: what a busy driver does.
  void (*hold_destructors)(bool hold);
  // Launches run until finish_launches().
  void (*hold_launches)(bool hold);
  void (*finish_launches)();
  void (*finish_oldest_launch)();
  // A driver that finds no counterparts in the copies that are embedded in child nodes.
  void (*find_in_embedded)(bool can);
  // cuLaunchHostFunc in a capture: adds its node and then fails; adds one more node that the stream
  // depends on.
  void (*capture_then_fail)(unsigned status);
  void (*capture_two)(bool two);
  // How often a handle that is gone was used, a reference released that was not there, or an
  // executable graph with host nodes destroyed while a launch of it ran. A program with a real
  // driver would have crashed.
  std::size_t (*misuses)();
  // How often something was freed in another context than it was made in.
  std::size_t (*wrong_contexts)();
  const void* (*context_of)(const void* node);  // of a copy or memset
  // The bytes of an argument of a kernel node, of an executable graph if that is not null. nullptr
  // for a number that is too large.
  const void* (*argument)(void* exec, const void* node, std::size_t number);
  // Of the last launch of a kernel on a stream, captured ones too.
  LaunchedKernel (*last_launch)();
  const void* (*upload_stream)();  // of the last instantiation with an upload
  void* (*new_stream)();
  void (*join)(void* fork, void* primary);  // as by an event
  void (*invalidate)(void* stream);
};

}  // namespace fake

extern "C" const fake::Control* fake_control();
