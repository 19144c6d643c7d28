// SPDX-License-Identifier: Apache-2.0

// The library behind the stub: found, evaluated and opened once, at the first call that needs it.
#pragma once

#include "loader/opened_library.h"

namespace anycuda {

// The library for a call of `function` from `caller` under `symbol_version`: opened now if it has
// to be. nullptr if no library may serve this caller; the reason has been reported, or there is
// nothing of the library and the function asked just that (report.h).
// Takes no lock: threads that come here together may search together, one result is kept.
const Opened* open_library(int symbol_version, const void* caller, const char* function,
                           bool is_question = false);

// The library that this copy of the stub has opened, or that another copy has chosen; nullptr: none
// yet. Opens nothing.
const Opened* known_library();

// Opens the library now, if one is usable. A failure leaves no trace: the first call searches
// again, and reports.
void open_silently(int symbol_version, const void* caller);

// Major that a symbol version stands for; kUnversionedCaller for ANYCUDA_NATIVE.
int major_of_symbol_version(int symbol_version);

}  // namespace anycuda
