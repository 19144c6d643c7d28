// SPDX-License-Identifier: Apache-2.0

// The message of a search that met a shortage (compat/base/shortage.h).
#pragma once

namespace anycuda {

// `error`: of the shortage. Written once for each cause.
void report_shortage(int error, const char* function);

}  // namespace anycuda
