// The library behind the stub: found, judged and opened once, at the first call that needs it.
#pragma once

#include "loader/tables.h"

namespace anycuda {

struct Opened {
  void* handle;
  Version version;
  int major_index;  // in the descriptor's majors; -1 for a major that the database does not know
  const char* path;
};

// The opened library, nullptr if none has been opened. Never opens anything.
const Opened* opened_library();

// The library for a call of `function` from `caller` under `symbol_version`: opened now if it has
// to be. nullptr if no library may serve this caller; the reason has been reported.
// Takes no lock: threads that come here together may search together, one result is kept.
const Opened* open_library(int symbol_version, const void* caller, const char* function);

// Major that a symbol version stands for; kNativeCaller for ANYCUDA_NATIVE.
int major_of_symbol_version(int symbol_version);

}  // namespace anycuda
